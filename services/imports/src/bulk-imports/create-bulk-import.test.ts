/** Upload of bulk import files: refused files, supported formats, the error file and the templates. */
import { describe, expect, test } from "@jest/globals";
import { bulkEntityTypes } from "@freehold/contract/imports/bulk-imports";
import { anOffice } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { downloadLines, listBulkRows, listRowErrors, runBulkImport, sendBulkFile, validateBulkImport } from "../../test/bulk-imports.ts";
import { listStoredFiles, waitForRemovedUploads } from "../../test/bundles.ts";

const office = await anOffice();
const header = "name,street_line1,city,state,postal_code";
const row = "Maple Court,12 Maple Street,Albany,NY,12207";
const sendFile = (file: File, entityType: "properties" | "units" = "properties") => office.attempt("createBulkImport", { body: { entityType, file } });
const fileOf = (name: string, ...content: (string | Uint8Array<ArrayBuffer>)[]) => new File(content, name);

describe("createBulkImport refuses and does not store", () => {
  test.each([
    ["an empty file", () => fileOf("empty.csv"), "unsupported_file", "empty.csv: The file is empty."],
    ["a file without rows", () => fileOf("header.csv", `${header}\n`), "validation_failed", "header.csv has no row below the names of its columns."],
    ["a workbook", () => fileOf("sheet.csv", "PK\u0003\u0004rest"), "unsupported_file", "Save the sheet as CSV"],
    ["binary data", () => fileOf("photo.csv", new Uint8Array([0xff, 0xd8, 0, 1, 2, 3, 0xfe, 0])), "unsupported_file", "This is not a text file"],
    [
      "a quote that is never closed",
      () => fileOf("open.csv", `${header}\n"Maple,1 Street\n${row}`),
      "unsupported_file",
      "open.csv, row 2: A quotation mark opens a cell",
    ],
    [
      "a file of 50001 rows",
      () => fileOf("long.csv", `${header}\n${`${row}\n`.repeat(50_001)}`),
      "unsupported_file",
      "There are more than 50000 rows. Split the file.",
    ],
    [
      "a file above 20 MiB",
      () => fileOf("large.csv", new Uint8Array(20_971_521).fill(97)),
      "file_too_large",
      "The file is larger than 20 MiB. Send a smaller one.",
    ],
  ])(
    "%s",
    async (_, file, code, message) => {
      const before = await listStoredFiles(office.organizationId);
      const { status, body } = await sendFile(file());
      expect([status, body.code, body.message]).toEqual([400, code, expect.stringContaining(message)]);
      expect(await listStoredFiles(office.organizationId)).toEqual(before);
      await waitForRemovedUploads();
    },
    30_000,
  );

  test("a file without required columns, naming the columns and the template", async () => {
    const before = await listStoredFiles(office.organizationId);
    const { status, body } = await sendFile(fileOf("units.csv", "unit,beds\n1A,2\n"), "units");
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    const hint = "Add it, or rename the column that contains it. GET /api/bulk-imports/templates/units.csv has all columns.";
    expect(body.errors).toEqual([
      { path: "file", code: "required", message: `units.csv: The column property_name or property_id is missing. ${hint}` },
      { path: "file", code: "required", message: `units.csv: The column market_rent or monthly_rent is missing. ${hint}` },
    ]);
    expect(await listStoredFiles(office.organizationId)).toEqual(before);
  });

  test.each([
    ["an unknown type", { entityType: "pets" }, "entityType", "enum"],
    ["an unsupported type", { entityType: "ownership" }, "entityType", "enum"],
    ["an unknown mode", { mode: "replace" }, "mode", "enum"],
    ["an invalid dryRun", { dryRun: "perhaps" }, "dryRun", "enum"],
  ])("%s", async (_, invalid, path, code) => {
    const before = await listStoredFiles(office.organizationId);
    const body = { entityType: "properties", file: fileOf("a.csv", `${header}\n${row}\n`), ...invalid } as never;
    const { status, body: result } = await office.attempt("createBulkImport", { body });
    expect([status, result.errors]).toMatchObject([400, [{ path, code }]]);
    expect(await listStoredFiles(office.organizationId)).toEqual(before);
  });
});

describe("createBulkImport accepts a file", () => {
  test.each([
    ["in UTF-16 with tabs", fileOf("a.csv", Buffer.from(`\uFEFFname\ttrade\nCafé Müller\tcoffee\n`, "utf16le"))],
    ["in Windows-1252 with semicolons", fileOf("a.csv", Buffer.from("Name;Trade\r\nCafé Müller;coffee\r\n", "latin1"))],
    ["with a title above and a total below", fileOf("a.csv", "Our vendors\n\nname,trade\nCafé Müller,coffee\nTotal,\n")],
  ])("%s", async (_, file) => {
    const newOffice = await anOffice();
    const { bulkImport } = await newOffice.call("createBulkImport", { body: { entityType: "vendors", file, dryRun: "false" } });
    expect(bulkImport.totalRows).toBe(1);
    const { name } = await waitForVendor(newOffice);
    expect(name).toBe("Café Müller");
  });
  const waitForVendor = (client: typeof office) => eventually("vendor", async () => (await client.call("listVendors")).vendors[0]);

  test("with unknown columns, which it lists and stores with the row", async () => {
    const newOffice = await anOffice();
    const bulk = await validateBulkImport(newOffice, "vendors", ["name,Favourite colour,trade", "Brightwater,green,plumbing"]);
    expect(bulk.unmappedColumns).toEqual(["Favourite colour"]);
    expect(await listBulkRows(newOffice, bulk)).toMatchObject([{ data: { name: "Brightwater", trade: "plumbing", extra: { "Favourite colour": "green" } } }]);
  });

  test("with invalid cells, each of which is an error in its column", async () => {
    const newOffice = await anOffice();
    await runBulkImport(newOffice, "properties", [header, row]);
    const bulk = await validateBulkImport(newOffice, "units", ["property,unit,monthly rent,bedrooms", "Maple Court,1,lots,#", "Maple Court,2,900,2"]);
    expect((await listRowErrors(newOffice, bulk)).map((line) => line.split(":")[0]!).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "2 bedrooms format",
      "2 monthly rent format",
    ]);
    expect(bulk).toMatchObject({ validRows: 1, errorRows: 1 });
  });
});

describe("errors.csv", () => {
  test("contains the original rows with errors, and can be imported once corrected", async () => {
    const newOffice = await anOffice();
    const lines: string[][] = [
      ["Name", "street_line1", "city", "State", "postal_code", "Notes, own"],
      ["Maple Court", "12 Maple Street", "Albany", "NY", "12207", "fine"],
      ['Oak, "the old" House', "7 Oak Street", "Albany", "Nowhere", "12207", "=1+1"],
      ["Elm House", "", "Albany", "NY", "12-20", "+15185550100"],
    ];
    const bulk = await runBulkImport(newOffice, "properties", lines);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1, errorRows: 2 });
    const errors = await downloadLines(newOffice, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect(errors).toEqual([
      'Name,street_line1,city,State,postal_code,"Notes, own",errors',
      `"Oak, ""the old"" House",7 Oak Street,Albany,Nowhere,12207,'=1+1,"Column State: ""Nowhere"" is not a state. Use the two-letter code."`,
      expect.stringMatching(/^Elm House,,Albany,NY,12-20,'\+15185550100,"Column postal_code: .* street_line1 is empty\."$/),
    ]);
    const corrected = errors.map((line) => line.replace("Nowhere,", "NY,").replace("House,,", "House,1 Elm Street,").replace("12-20", "12207"));
    const correctedImport = await runBulkImport(newOffice, "properties", corrected);
    expect([correctedImport.status, correctedImport.createdCount, correctedImport.unmappedColumns]).toEqual(["completed", 2, ["Notes, own", "errors"]]);
    expect((await listBulkRows(newOffice, correctedImport)).map(({ data }) => (data["extra"] as Record<string, string>)["Notes, own"])).toEqual([
      "=1+1",
      "+15185550100",
    ]);
    expect((await newOffice.call("listProperties", { query: { sortBy: "name" } })).properties.map(({ name }) => name)).toEqual([
      "Elm House",
      "Maple Court",
      'Oak, "the old" House',
    ]);
    expect(await downloadLines(newOffice, `/api/bulk-imports/${correctedImport.id}/errors.csv`)).toHaveLength(1);
  });

  test("of a partly corrected file has the errors column once, with the remaining errors", async () => {
    const bulk = await validateBulkImport(office, "vendors", ["name,email,errors", "Brightwater,nobody,email: is none"]);
    expect(await downloadLines(office, `/api/bulk-imports/${bulk.id}/errors.csv`)).toEqual([
      "name,email,errors",
      'Brightwater,nobody,"Column email: ""nobody"" is not an e-mail address."',
    ]);
  });

  test("escapes column names that look like formulas", async () => {
    const bulk = await validateBulkImport(office, "vendors", [
      ["name", "email", "=cmd()"],
      ["Brightwater", "nobody", "-5"],
    ]);
    const [headerLine, rowLine] = await downloadLines(office, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect([headerLine, rowLine]).toEqual(["name,email,'=cmd(),errors", expect.stringMatching(/^Brightwater,nobody,'-5,/)]);
  });

  test("contains rows that another service refused", async () => {
    const newOffice = await anOffice();
    await runBulkImport(newOffice, "properties", [header, row]);
    await runBulkImport(newOffice, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"]);
    await runBulkImport(newOffice, "tenants", ["full_name", "Tess Tenant", "Cora Co"]);
    const lease = (tenant: string, startDate: string) => `Maple Court,1A,${tenant},${startDate},900.00`;
    const bulk = await runBulkImport(newOffice, "leases", [
      "property_name,unit_number,tenant_name,start_date,rent",
      lease("Tess Tenant", "2026-01-01"),
      lease("Cora Co", "2026-06-01"),
    ]);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1, errorRows: 1, validRows: 1 });
    const lines = await downloadLines(newOffice, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Maple Court,1A,(?:Cora Co,2026-06-01|Tess Tenant,2026-01-01),900\.00,/);
  });
});

describe("getBulkImportTemplate", () => {
  test.each(bulkEntityTypes)("returns a CSV with a byte order mark, a header and one example for %s", async (type) => {
    const response = await office.raw("GET", `/api/bulk-imports/templates/${type}.csv`);
    expect([response.status, response.headers.get("content-type"), response.headers.get("content-disposition")]).toEqual([
      200,
      "text/csv; charset=utf-8",
      `attachment; filename="${type}.csv"`,
    ]);
    const text = Buffer.from(await response.arrayBuffer()).toString();
    expect([text.startsWith("\uFEFFid,"), text.trimEnd().split("\r\n").length]).toEqual([true, 2]);
  });

  test("requires the extension .csv in the path", async () => {
    const response = await office.raw("GET", "/api/bulk-imports/templates/units");
    expect([response.status, await response.json()]).toMatchObject([404, { code: "not_found" }]);
  });

  test("refuses an unknown type, naming the parameter", async () => {
    const response = await office.raw("GET", "/api/bulk-imports/templates/pets.csv");
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ path: "entityType", code: "enum" }] }]);
  });
});

test("createBulkImport refuses a missing entityType", async () => {
  const { status, body } = await sendBulkFile(office, undefined as never, [header, row]);
  expect([status, body.errors]).toMatchObject([400, [{ path: "entityType", code: "required" }]]);
});
