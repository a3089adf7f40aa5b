import { describe, expect, test } from "@jest/globals";
import { inflateRawSync } from "node:zlib";
import { anOffice } from "../../../../test/support/office.ts";
import { buildImportTemplate } from "./import-templates.ts";

const headers: Record<string, string> = {
  properties: "source_id,name,asset_class,street_line1,street_line2,city,state,postal_code,units,reserve,management_start_date",
  units: "source_id,property_source_id,property_name,unit_number,unit_type,bedrooms,bathrooms,square_feet,market_rent,monthly_rent,status",
  owners: "source_id,full_name,company_name,email,phone,street_line1,street_line2,city,state,postal_code,tax_id_type,include_1099",
  ownership: "property_source_id,owner_source_id,share_percent,effective_date",
  vendors: "source_id,name,trade,email,phone,insurance_provider,insurance_policy,insurance_expires,include_1099,notes",
  tenants: "source_id,full_name,first_name,last_name,email,phone,preferred_language,date_of_birth",
  leases:
    "source_id,property_source_id,unit_source_id,property_name,unit_number,primary_tenant_source_id,primary_tenant_name,co_tenants,lease_kind,term_type,status,start_date,end_date,move_in_date,rent,rent_charge_day,late_fee_type,late_fee_amount,late_fee_percent,late_fee_grace_days",
  recurring_charges: "source_id,lease_source_id,label,kind,amount,day_of_month,start_date,end_date,category_code",
  deposits: "lease_source_id,amount_held,holder,bank_account,received_date",
  opening_balances: "lease_source_id,as_of,balance,prepaid",
  charges: "source_id,lease_source_id,date,due_date,type,label,amount,category_code",
  payments: "source_id,lease_source_id,tenant_source_id,received_date,amount,method,check_number,applied_to_charge_source_id",
};
const files = Object.keys(headers);

/** Returns the contents of a ZIP's files by name, as its central directory lists them. */
function unzip(zip: Buffer): Map<string, string> {
  const endRecord = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const contents = new Map<string, string>();
  let entryOffset = zip.readUInt32LE(endRecord + 16);
  for (let remaining = zip.readUInt16LE(endRecord + 10); remaining > 0; remaining--) {
    const [method, size, nameLength] = [zip.readUInt16LE(entryOffset + 10), zip.readUInt32LE(entryOffset + 20), zip.readUInt16LE(entryOffset + 28)];
    const localHeader = zip.readUInt32LE(entryOffset + 42);
    const start = localHeader + 30 + zip.readUInt16LE(localHeader + 26) + zip.readUInt16LE(localHeader + 28);
    const bytes = zip.subarray(start, start + size);
    contents.set(zip.toString("utf8", entryOffset + 46, entryOffset + 46 + nameLength), (method === 8 ? inflateRawSync(bytes) : bytes).toString("utf8"));
    entryOffset += 46 + nameLength + zip.readUInt16LE(entryOffset + 30) + zip.readUInt16LE(entryOffset + 32);
  }
  return contents;
}

/** Returns the rows of a CSV whose cells need no quotes. */
const rowsOf = (csv: string): string[][] =>
  csv
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));

describe("the generic template", () => {
  test("contains a CSV for each entity type and a README", async () => {
    const { zip } = await buildImportTemplate("generic");
    expect([...unzip(zip).keys()]).toEqual([...files.map((file) => `${file}.csv`), "README.txt"]);
  });

  test.each(files)("%s.csv has the documented header and one complete example row", async (file) => {
    const { zip } = await buildImportTemplate("generic");
    const [header, example, ...rest] = rowsOf(unzip(zip).get(`${file}.csv`)!);
    expect(header!.join()).toBe(headers[file]);
    expect(example).toHaveLength(header!.length);
    expect(rest).toEqual([]);
  });

  test("contains no formulas", async () => {
    const { zip } = await buildImportTemplate("generic");
    for (const file of files) for (const row of rowsOf(unzip(zip).get(`${file}.csv`)!)) for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t]/);
  });

  test("has examples that refer to each other", async () => {
    const { zip } = await buildImportTemplate("generic");
    const contents = unzip(zip);
    const example = (file: string) => {
      const [header, row] = rowsOf(contents.get(`${file}.csv`)!);
      return Object.fromEntries(header!.map((name, index) => [name, row![index]]));
    };
    expect(example("units")["property_source_id"]).toBe(example("properties")["source_id"]);
    expect(example("leases")["unit_source_id"]).toBe(example("units")["source_id"]);
    expect(example("leases")["primary_tenant_source_id"]).toBe(example("tenants")["source_id"]);
    expect(example("ownership")["owner_source_id"]).toBe(example("owners")["source_id"]);
    expect(example("payments")["applied_to_charge_source_id"]).toBe(example("charges")["source_id"]);
    for (const file of ["recurring_charges", "deposits", "opening_balances", "charges", "payments"])
      expect(example(file)["lease_source_id"]).toBe(example("leases")["source_id"]);
  });

  test("explains every column of each file in its README", async () => {
    const { zip } = await buildImportTemplate("generic");
    const readme = unzip(zip).get("README.txt")!;
    const sections = new Map(readme.split(/\r\n(?=\w+\.csv\r\n-+\r\n)/).map((section) => [section.slice(0, section.indexOf(".csv")), section]));
    for (const [file, header] of Object.entries(headers)) {
      const section = sections.get(file);
      for (const name of header.split(",")) expect(section).toMatch(new RegExp(`\\r\\n  ${name}( \\*)? +[^\\s*]`));
    }
  });

  test("marks the columns without which a file is refused", async () => {
    const { zip } = await buildImportTemplate("generic");
    const readme = unzip(zip).get("README.txt")!;
    const marked = [...readme.matchAll(/\r\n {2}(\w+) \*/g)].map(([, name]) => name);
    expect(marked.join()).toBe(
      "street_line1,city,state,postal_code,unit_number,email,share_percent,name,start_date,rent,label,amount,start_date,amount_held,date,amount,received_date,amount",
    );
  });

  test("is reproducible byte for byte", async () => {
    const [first, second] = [await buildImportTemplate("generic"), await buildImportTemplate("generic")];
    expect(first.zip.equals(second.zip)).toBe(true);
    expect(first.etag).toBe(second.etag);
  });
});

describe("getImportTemplate", () => {
  test("returns the ZIP as a download with the digest of its content as ETag", async () => {
    const office = await anOffice();
    const response = await office.raw("GET", "/api/import-bundles/templates/generic");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="generic-import-template.zip"');
    expect(response.headers.get("etag")).toMatch(/^"[\w-]{43}"$/);
    const zip = Buffer.from(await response.arrayBuffer());
    expect(unzip(zip).size).toBe(13);
    expect(zip.equals((await buildImportTemplate("generic")).zip)).toBe(true);
  });

  test("returns 304 for a matching If-None-Match", async () => {
    const office = await anOffice();
    const etag = (await office.raw("GET", "/api/import-bundles/templates/generic")).headers.get("etag")!;
    const repeated = await office.raw("GET", "/api/import-bundles/templates/generic", undefined, { "If-None-Match": etag });
    expect(repeated.status).toBe(304);
    expect(await repeated.text()).toBe("");
  });

  test("refuses an unknown provider, naming the parameter", async () => {
    const office = await anOffice();
    const { status, body } = await office.attempt("getImportTemplate", { params: { provider: "other" as never } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: "provider", code: "enum" }]);
  });

  test("is limited to admins and managers", async () => {
    const office = await anOffice();
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    const request = { params: { provider: "generic" as const } };
    expect((await manager.attempt("getImportTemplate", request)).status).toBe(200);
    expect((await staff.attempt("getImportTemplate", request)).status).toBe(403);
  });
});
