import { describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { anOffice } from "../../../../test/office.ts";
import { aBundle, aFile, aReadyBundle, aZip, eventsOf, keptFiles, nothingStays, upload } from "../../test/bundles.ts";

const office = await anOffice();
const rentRoll = [
  "Rent Roll",
  "As of: 06/30/2026",
  "",
  ["Property", "Unit", "Tenant", "Status", "Sqft", "Market Rent", "Rent", "Deposit", "Lease From", "Lease To", "Move-in", "Past Due"],
  ["Maple Court - 12 Maple Street Hartford, CT 06103"],
  ["", "101", "Sample, Sam", "Current", "850", "1,550.00", "1,495.00", "1,495.00", "01/01/2026", "12/31/2026", "01/01/2026", "0.00"],
  ["", "102", "", "Vacant-Unrented", "800", "1,500.00", "", "", "", "", "", ""],
  ["Total", "2", "", "", "", "3,050.00", "1,495.00", "", "", "", "", ""],
];

describe("uploadImportFiles", () => {
  test("keeps a file, and answers how it is read and what its columns mean", async () => {
    const mine = await anOffice();
    const { id } = await aBundle(mine, "appfolio");
    const file = aFile("rent_roll-20260630.csv", ...rentRoll);
    const bytes = Buffer.from(await file.arrayBuffer());
    const [kept] = await upload(mine, id, file);
    expect(kept).toMatchObject({
      bundleId: id,
      fileName: "rent_roll-20260630.csv",
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      encoding: "utf-8",
      delimiter: ",",
      headerRow: 4,
      form: "rent_roll",
      entityType: "unit",
      entityTypes: ["unit", "lease", "tenant", "occupant", "deposit", "opening_balance"],
      rowCount: 2,
      skippedRows: 2,
      warnings: [
        { row: 5, message: expect.stringContaining("heading") },
        { row: 8, message: expect.stringContaining("total") },
      ],
      unmappedColumns: [],
      missingRequired: [],
      mappingProfileId: null,
    });
    expect(kept!.mapping).toMatchObject({ Unit: "unit_number", Tenant: "primary_tenant_name", "Past Due": "balance" });
    expect(kept!.mappingConfidence).toBeGreaterThan(0.9);
    expect(await keptFiles(mine.organizationId)).toEqual([kept!.id]);
    await nothingStays();
    expect((await eventsOf(mine, id)).map(({ type }) => type)).toEqual(["import_bundle.status_changed", "import_bundle.updated"]);
  });

  test("takes several files at once, and those inside a ZIP one by one", async () => {
    const { id } = await aBundle(office);
    const zip = await aZip("export.zip", { "tenants.csv": "source_id,full_name\nT-1,Sam Sample\n", "README.txt": "Read me" });
    const files = await upload(office, id, aFile("vendors.csv", "source_id;name", "V-1;Pipes & Co"), zip);
    expect(files.map(({ fileName, form, delimiter, rowCount }) => [fileName, form, delimiter, rowCount])).toEqual([
      ["vendors.csv", "vendors", ";", 1],
      ["tenants.csv", "tenants", ",", 1],
    ]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.files).toEqual(files);
  });

  test("takes the templates of each system as they are", async () => {
    for (const provider of ["generic", "appfolio", "buildium"] as const) {
      const { id } = await aBundle(office, provider);
      const template = await office.raw("GET", `/api/import-bundles/templates/${provider}`);
      const files = await upload(office, id, new File([await template.arrayBuffer()], `${provider}.zip`));
      expect(files.map(({ form, missingRequired }) => [form, missingRequired])).toEqual(files.map(({ fileName }) => [fileName.replace(".csv", ""), []]));
      expect(files.length).toBeGreaterThanOrEqual(8);
    }
  });

  test("takes a bundle that was ready back to draft", async () => {
    const { id } = await aReadyBundle(office, "generic", aFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    await upload(office, id, aFile("owners.csv", "source_id,full_name,email", "O-1,Olga Owner,olga@example.com"));
    expect((await office.call("getImportBundle", { params: { id } })).importBundle).toMatchObject({
      status: "draft",
      validatedAt: null,
      counts: { ready_create: 0 },
    });
  });

  test("takes all files of a request or none, and twenty in a bundle", async () => {
    const mine = await anOffice();
    const { id } = await aBundle(mine);
    const good = (at: number) => aFile(`vendors-${at}.csv`, "source_id,name", `V-${at},Vendor`);
    const bad = await mine.attempt("uploadImportFiles", { params: { id }, body: { file: [good(1), new File(["\0\0\0"], "b.csv")] } });
    expect([bad.status, bad.body.code, bad.body.message]).toEqual([400, "unsupported_file", expect.stringMatching(/^b\.csv: /)]);
    expect(await keptFiles(mine.organizationId)).toEqual([]);
    await upload(mine, id, ...Array.from({ length: 19 }, (_, at) => good(at)));
    const tooMany = await mine.attempt("uploadImportFiles", { params: { id }, body: { file: [good(20), good(21)] } });
    expect([tooMany.status, tooMany.body.message]).toEqual([409, expect.stringContaining("at most 20 files")]);
    const answers = await Promise.all([30, 31, 32].map((at) => mine.attempt("uploadImportFiles", { params: { id }, body: { file: [good(at)] } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await keptFiles(mine.organizationId)).toHaveLength(20);
  });
});

describe("updateImportFile", () => {
  const houses = aFile("houses.csv", "No,House,Street,Town,St,Zip", "1,Oak House,7 Oak Street,Albany,NY,12207");

  test("says what a file is, and sets its columns right", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, houses);
    const params = { id, fileId: file!.id };
    const mapping = { No: "source_id", House: "name", Street: "street_line1", Town: "city", St: "state", Zip: "postal_code" };
    const { file: set } = await office.call("updateImportFile", { params, body: { entityType: "property", mapping } });
    expect(set).toMatchObject({ form: "properties", entityType: "property", mapping, mappingConfidence: 1, missingRequired: [], unmappedColumns: [] });
    const { file: less } = await office.call("updateImportFile", { params, body: { mapping: { Zip: null } } });
    expect(less).toMatchObject({ mapping: { ...mapping, Zip: null }, missingRequired: ["postal_code"], unmappedColumns: ["Zip"] });
  });

  test("applies a saved mapping of the same system, and no other's", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, houses);
    const params = { id, fileId: file!.id };
    const mapping = { No: "source_id", House: "name", Street: "street_line1", Town: "city", St: "state", Zip: "postal_code", Owner: null };
    const save = async (name: string, provider: "generic" | "buildium") =>
      (await office.call("createImportMappingProfile", { body: { name, provider, entityType: "property", mapping } })).mappingProfile.id;
    const mappingProfileId = await save("Houses", "generic");
    const { file: set } = await office.call("updateImportFile", { params, body: { mappingProfileId } });
    expect(set).toMatchObject({ mappingProfileId, form: "properties", missingRequired: [], mappingConfidence: 1 });
    const other = await office.attempt("updateImportFile", { params, body: { mappingProfileId: await save("Others", "buildium") } });
    expect([other.status, other.body.errors]).toMatchObject([400, [{ path: "mappingProfileId", code: "mismatch" }]]);
    expect((await office.call("updateImportFile", { params, body: { mappingProfileId: null } })).file).toMatchObject({
      mappingProfileId: null,
      mapping: { House: "name" },
    });
  });

  test("refuses two columns for one field, naming both, and leaves the file as it was", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, houses);
    const params = { id, fileId: file!.id };
    const { status, body } = await office.attempt("updateImportFile", { params, body: { entityType: "property", mapping: { House: "name", Town: "name" } } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "mapping.Town", code: "unique", message: expect.stringMatching(/"House" and "Town"/) }]]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.files).toEqual([file]);
  });

  test("heeds the version that was read", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, houses);
    const change = (ifMatch: string) =>
      office.attempt("updateImportFile", { params: { id, fileId: file!.id }, body: { entityType: "property" }, headers: { "If-Match": ifMatch } });
    const first = await change('"1"');
    expect([first.status, first.headers.get("etag")]).toEqual([200, '"2"']);
    expect((await change('"1"')).status).toBe(412);
  });

  test("is refused while the bundle is validated", async () => {
    const { id } = await aBundle(office);
    const [file] = await upload(office, id, aFile("vendors.csv", "source_id,name", ...Array.from({ length: 5_000 }, (_, at) => `V-${at},Vendor`)));
    await office.call("validateImportBundle", { params: { id } });
    const { status, body } = await office.attempt("updateImportFile", { params: { id, fileId: file!.id }, body: { mapping: { name: null } } });
    expect([status, body.message]).toEqual([409, expect.stringContaining("being validated")]);
  });
});

describe("deleteImportFile", () => {
  test("takes a file away once, from the bundle and from the disk", async () => {
    const mine = await anOffice();
    const { id } = await aBundle(mine);
    const [file] = await upload(mine, id, aFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    const remove = () => mine.attempt("deleteImportFile", { params: { id, fileId: file!.id } });
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await mine.call("getImportBundle", { params: { id } })).importBundle.files).toEqual([]);
    expect(await keptFiles(mine.organizationId)).toEqual([]);
  });
});
