/** Excel workbooks as the files of a bundle. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { createBundle, listStoredFiles, uploadFiles, validateBundle, waitForRemovedUploads, zipFile } from "../../test/bundles.ts";
import { styles, workbookFile, workbookParts, zipParts, type SheetOfCells } from "../../test/workbooks.ts";
import { writeBundle } from "../../test/writing.ts";

const day = (value: number) => ({ value, style: styles.date });
const sheets: SheetOfCells[] = [
  {
    name: "Properties",
    rows: [
      ["Property", "Street", "City", "State", "ZIP Code", "Reserve"],
      ["Maple Court", "12 Maple Street", "Hartford", "CT", { value: 6_103, style: styles.zipCode }, { value: 500, style: styles.money }],
    ],
  },
  {
    name: "Units",
    rows: [
      ["Property", "Unit #", "Beds", "Monthly Rent"],
      ["Maple Court", 101, 2, 1_495.5],
      ["Maple Court", 102, 1, 900],
    ],
  },
  {
    name: "Tenants",
    rows: [
      ["Tenant", "Email"],
      ["Tess Tenant", "tess@example.com"],
    ],
  },
  {
    name: "Leases",
    rows: [
      ["Maple Court: leases"],
      [],
      ["Property", "Unit", "Tenant", "Lease From", "Lease To", "Rent"],
      ["Maple Court", 101, "Tess Tenant", day(46_023), day(73_050), 1_495.5],
    ],
  },
  {
    name: "Notes",
    rows: [
      ["Lookups", "of the office"],
      ["x", "y"],
    ],
    state: "hidden",
  },
];

test("a workbook is imported like the CSV files of its sheets", async () => {
  const office = await anOffice();
  const { id } = await createBundle(office);
  const files = await uploadFiles(office, id, await workbookFile("Portfolio.xlsx", sheets));
  expect(files.map(({ fileName, entityType, headerRow, rowCount }) => [fileName, entityType, headerRow, rowCount])).toEqual([
    ["Portfolio/Properties.csv", "property", 1, 1],
    ["Portfolio/Units.csv", "unit", 1, 2],
    ["Portfolio/Tenants.csv", "tenant", 1, 1],
    ["Portfolio/Leases.csv", "lease", 3, 1],
  ]);
  expect(files.flatMap(({ missingRequired, unmappedColumns }) => [...missingRequired, ...unmappedColumns])).toEqual([]);
  expect((await validateBundle(office, id)).counts).toMatchObject({ ready_create: 5, invalid: 0, missing_source_data: 0, blocked: 0, ambiguous: 0 });
  expect((await writeBundle(office, id)).status).toBe("completed");
  expect((await office.call("listProperties")).properties).toMatchObject([{ name: "Maple Court", postalCode: "06103", reserveCents: 50_000 }]);
  expect((await office.call("listUnits", { query: { sortBy: "unitNumber" } })).units).toMatchObject([
    { unitNumber: "101", bedrooms: 2 },
    { unitNumber: "102" },
  ]);
  const [lease] = (await office.call("listLeases")).leases;
  expect(lease).toMatchObject({ tenantName: "Tess Tenant", unitNumber: "101", startDate: "2026-01-01", endDate: "2099-12-31", rentCents: 149_550 });
});

test("a hostile workbook, one with a password and one within a ZIP are refused, and nothing is stored", async () => {
  const office = await anOffice();
  const { id } = await createBundle(office);
  const refuse = async (file: File) => {
    const { status, body } = await office.attempt("uploadImportFiles", { params: { id }, body: { file: [file] } });
    expect([status, body.code, await listStoredFiles(office.organizationId)]).toEqual([400, "unsupported_file", []]);
    await waitForRemovedUploads();
    return body.message;
  };
  const parts = { ...workbookParts(sheets), "xl/worksheets/sheet4.xml": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>' };
  expect(await refuse(new File([new Uint8Array(await zipParts(parts))], "evil.xlsx"))).toMatch(
    /^evil\.xlsx: The workbook contains a document type declaration/,
  );
  const compoundFile = Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".padEnd(4_096, "\0"), "latin1");
  expect(await refuse(new File([new Uint8Array(compoundFile)], "secret.xlsx"))).toContain("without a password");
  const workbook = Buffer.from(await (await workbookFile("Book.xlsx", sheets)).arrayBuffer());
  expect(await refuse(await zipFile("books.zip", { "Book.xlsx": workbook }))).toContain("Send the workbook by itself");
});
