/** Files as people send them: what is refused at once, what is read, and how rows with errors come back. */
import { describe, expect, test } from "@jest/globals";
import { bulkEntityTypes } from "@freehold/contract/bulk-imports";
import { anOffice } from "../../../../test/office.ts";
import { download, errorsOf, imported, judged, rowsOf, send } from "../../test/bulk-imports.ts";
import { keptFiles, nothingStays } from "../../test/bundles.ts";

const office = await anOffice();
const header = "name,street_line1,city,state,postal_code";
const row = "Maple Court,12 Maple Street,Albany,NY,12207";
const sending = (file: File, entityType: "properties" | "units" = "properties") => office.attempt("createBulkImport", { body: { entityType, file } });
const bytes = (name: string, ...content: (string | Uint8Array<ArrayBuffer>)[]) => new File(content, name);

describe("a file that cannot be taken is refused at once, and nothing of it is kept:", () => {
  test.each([
    ["an empty one", () => bytes("empty.csv"), "unsupported_file", "empty.csv: The file is empty."],
    ["one with a header alone", () => bytes("header.csv", `${header}\n`), "validation_failed", "header.csv has no row below the names of its columns."],
    ["a workbook", () => bytes("sheet.csv", "PK\u0003\u0004rest"), "unsupported_file", "Save the sheet as CSV"],
    ["bytes", () => bytes("photo.csv", new Uint8Array([0xff, 0xd8, 0, 1, 2, 3, 0xfe, 0])), "unsupported_file", "This is no text"],
    [
      "a quote that never ends",
      () => bytes("open.csv", `${header}\n"Maple,1 Street\n${row}`),
      "unsupported_file",
      "open.csv, row 2: A quotation mark opens a cell",
    ],
    [
      "one of 50001 rows",
      () => bytes("long.csv", `${header}\n${`${row}\n`.repeat(50_001)}`),
      "unsupported_file",
      "There are more than 50000 rows. Split the file.",
    ],
    [
      "one of 20 MiB and a byte",
      () => bytes("large.csv", new Uint8Array(20_971_521).fill(97)),
      "file_too_large",
      "The file is larger than 20 MiB. Send a smaller one.",
    ],
  ])(
    "%s",
    async (_, file, code, message) => {
      const before = await keptFiles(office.organizationId);
      const { status, body } = await sending(file());
      expect([status, body.code, body.message]).toEqual([400, code, expect.stringContaining(message)]);
      expect(await keptFiles(office.organizationId)).toEqual(before);
      await nothingStays();
    },
    30_000,
  );

  test("one without a column that its rows need, each by its names and with where to find them all", async () => {
    const { status, body } = await sending(bytes("units.csv", "unit,beds\n1A,2\n"), "units");
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    const template = "Add it, or name the column so. GET /api/bulk-imports/templates/units.csv has all columns.";
    expect(body.errors).toEqual([
      { path: "file", code: "required", message: `units.csv: no column gives property_name or property_id. ${template}` },
      { path: "file", code: "required", message: `units.csv: no column gives market_rent or monthly_rent. ${template}` },
    ]);
  });

  test.each([
    ["an unknown type", { entityType: "pets" }, "entityType", "enum"],
    ["expenses, which nobody keeps yet", { entityType: "expenses" }, "entityType", "enum"],
    ["an unknown mode", { mode: "replace" }, "mode", "enum"],
    ["a dry run that is neither true nor false", { dryRun: "perhaps" }, "dryRun", "enum"],
  ])("%s", async (_, wrong, path, code) => {
    const body = { entityType: "properties", file: bytes("a.csv", `${header}\n${row}\n`), ...wrong } as never;
    const { status, body: answer } = await office.attempt("createBulkImport", { body });
    expect([status, answer.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("a file is read", () => {
  test.each([
    ["in UTF-16 with tabs", bytes("a.csv", Buffer.from(`\uFEFFname\ttrade\nCafé Müller\tcoffee\n`, "utf16le"))],
    ["in Windows-1252 with semicolons", bytes("a.csv", Buffer.from("Name;Trade\r\nCafé Müller;coffee\r\n", "latin1"))],
    ["with a title above and a total below", bytes("a.csv", "Our vendors\n\nname,trade\nCafé Müller,coffee\nTotal,\n")],
  ])("%s", async (_, file) => {
    const mine = await anOffice();
    const { bulkImport } = await mine.call("createBulkImport", { body: { entityType: "vendors", file, dryRun: "false" } });
    expect(bulkImport.totalRows).toBe(1);
    const { name } = await vendorOf(mine);
    expect(name).toBe("Café Müller");
  });
  const vendorOf = async (who: typeof office) => {
    for (;;) {
      const [vendor] = (await who.call("listVendors")).vendors;
      if (vendor) return vendor;
    }
  };

  test("with columns that mean nothing here: they are named, kept with the row and change nothing", async () => {
    const mine = await anOffice();
    const bulk = await judged(mine, "vendors", ["name,Favourite colour,trade", "Brightwater,green,plumbing"]);
    expect(bulk.unmappedColumns).toEqual(["Favourite colour"]);
    expect(await rowsOf(mine, bulk)).toMatchObject([{ data: { name: "Brightwater", trade: "plumbing", extra: { "Favourite colour": "green" } } }]);
  });

  test("with cells that are no dates, amounts or states: each is an error in its column", async () => {
    const mine = await anOffice();
    await imported(mine, "properties", [header, row]);
    const bulk = await judged(mine, "units", ["property,unit,monthly rent,bedrooms", "Maple Court,1,lots,#", "Maple Court,2,900,2"]);
    expect((await errorsOf(mine, bulk)).map((line) => line.split(":")[0]!).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "2 bedrooms format",
      "2 monthly rent format",
    ]);
    expect(bulk).toMatchObject({ validRows: 1, errorRows: 1 });
  });
});

describe("errors.csv", () => {
  test("has the rows with errors as they came; mended, it is a file that comes in", async () => {
    const mine = await anOffice();
    const lines: string[][] = [
      ["Name", "street_line1", "city", "State", "postal_code", "Notes, own"],
      ["Maple Court", "12 Maple Street", "Albany", "NY", "12207", "fine"],
      ['Oak, "the old" House', "7 Oak Street", "Albany", "Nowhere", "12207", "=1+1"],
      ["Elm House", "", "Albany", "NY", "12-20", "+15185550100"],
    ];
    const bulk = await imported(mine, "properties", lines);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1, errorRows: 2 });
    const errors = await download(mine, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect(errors).toEqual([
      'Name,street_line1,city,State,postal_code,"Notes, own",errors',
      `"Oak, ""the old"" House",7 Oak Street,Albany,Nowhere,12207,'=1+1,"Column State: ""Nowhere"" is no state. Write its two letters."`,
      expect.stringMatching(/^Elm House,,Albany,NY,12-20,'\+15185550100,"Column postal_code: .* street_line1 is empty\."$/),
    ]);
    const mended = errors.map((line) => line.replace("Nowhere,", "NY,").replace("House,,", "House,1 Elm Street,").replace("12-20", "12207"));
    const again = await imported(mine, "properties", mended);
    expect([again.status, again.createdCount, again.unmappedColumns]).toEqual(["completed", 2, ["Notes, own", "errors"]]);
    expect((await rowsOf(mine, again)).map(({ data }) => (data["extra"] as Record<string, string>)["Notes, own"])).toEqual(["=1+1", "+15185550100"]);
    expect((await mine.call("listProperties", { query: { sortBy: "name" } })).properties.map(({ name }) => name)).toEqual([
      "Elm House",
      "Maple Court",
      'Oak, "the old" House',
    ]);
    expect(await download(mine, `/api/bulk-imports/${again.id}/errors.csv`)).toHaveLength(1);
  });

  test("of a file that was mended by half has its column errors once, and says what is still wrong", async () => {
    const bulk = await judged(office, "vendors", ["name,email,errors", "Brightwater,nobody,email: is none"]);
    expect(await download(office, `/api/bulk-imports/${bulk.id}/errors.csv`)).toEqual([
      "name,email,errors",
      'Brightwater,nobody,"Column email: ""nobody"" is no e-mail address."',
    ]);
  });

  test("has a header whose names are no formulas", async () => {
    const bulk = await judged(office, "vendors", [
      ["name", "email", "=cmd()"],
      ["Brightwater", "nobody", "-5"],
    ]);
    const [names, cells] = await download(office, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect([names, cells]).toEqual(["name,email,'=cmd(),errors", expect.stringMatching(/^Brightwater,nobody,'-5,/)]);
  });

  test("has rows that the owning service refused, by the columns of the file", async () => {
    const mine = await anOffice();
    await imported(mine, "properties", [header, row]);
    await imported(mine, "units", ["property_name,unit_number,monthly_rent", "Maple Court,1A,900.00"]);
    await imported(mine, "tenants", ["full_name", "Tess Tenant", "Cora Co"]);
    const lease = (tenant: string, day: string) => `Maple Court,1A,${tenant},${day},900.00`;
    const bulk = await imported(mine, "leases", [
      "property_name,unit_number,tenant_name,start_date,rent",
      lease("Tess Tenant", "2026-01-01"),
      lease("Cora Co", "2026-06-01"),
    ]);
    expect(bulk).toMatchObject({ status: "completed_with_errors", createdCount: 1, errorRows: 1, validRows: 1 });
    const lines = await download(mine, `/api/bulk-imports/${bulk.id}/errors.csv`);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^Maple Court,1A,(?:Cora Co,2026-06-01|Tess Tenant,2026-01-01),900\.00,/);
  });
});

describe("a template", () => {
  test.each(bulkEntityTypes)("of %s is a CSV with a mark for spreadsheets, a header and one example", async (type) => {
    const answer = await office.raw("GET", `/api/bulk-imports/templates/${type}.csv`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
      200,
      "text/csv; charset=utf-8",
      `attachment; filename="${type}.csv"`,
    ]);
    const text = Buffer.from(await answer.arrayBuffer()).toString();
    expect([text.startsWith("\uFEFFid,"), text.trimEnd().split("\r\n").length]).toEqual([true, 2]);
  });

  test("is asked for as a file", async () => {
    const answer = await office.raw("GET", "/api/bulk-imports/templates/units");
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "not_found" }]);
  });

  test("of what is no type is refused by the name of the parameter", async () => {
    const answer = await office.raw("GET", "/api/bulk-imports/templates/pets.csv");
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ path: "entityType", code: "enum" }] }]);
  });
});

test("a type that is not said is refused by name", async () => {
  const { status, body } = await send(office, undefined as never, [header, row]);
  expect([status, body.errors]).toMatchObject([400, [{ path: "entityType", code: "required" }]]);
});
