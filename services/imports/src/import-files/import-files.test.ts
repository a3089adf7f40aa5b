import { describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { anOffice } from "../../../../test/support/office.ts";
import {
  createBundle,
  createReadyBundle,
  csvFile,
  listEvents,
  listStoredFiles,
  queryImportsDatabase,
  uploadFiles,
  waitForRemovedUploads,
  zipFile,
} from "../../test/bundles.ts";

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
  test("stores a file and returns its format and mapping", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice, "appfolio");
    const file = csvFile("rent_roll-20260630.csv", ...rentRoll);
    const bytes = Buffer.from(await file.arrayBuffer());
    const [stored] = await uploadFiles(newOffice, id, file);
    expect(stored).toMatchObject({
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
    expect(stored!.mapping).toMatchObject({ Unit: "unit_number", Tenant: "primary_tenant_name", "Past Due": "balance" });
    expect(stored!.mappingConfidence).toBeGreaterThan(0.9);
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([stored!.id]);
    await waitForRemovedUploads();
    expect((await listEvents(newOffice, id)).map(({ type }) => type)).toEqual(["import_bundle.status_changed", "import_bundle.updated"]);
  });

  test("removes NUL characters from column names and warnings, and shortens a heading in a warning without splitting a surrogate pair", async () => {
    const { id } = await createBundle(office, "appfolio");
    const lines = [
      ["Property Name", "Property\u0000 ID", "Property Address"],
      [`${"x".repeat(79)}😀`],
      ["Zero\u0000 House"],
      ["Oak House", "P-1", "7 Oak Street"],
    ];
    const text = lines.map((cells) => cells.join("\t")).join("\r\n");
    const [file] = await uploadFiles(office, id, new File([Buffer.from(`\uFEFF${text}`, "utf16le")], "property_directory.csv"));
    expect(file!.header).toEqual(["Property Name", "Property ID", "Property Address"]);
    expect(file!.warnings.map(({ message }) => message.split('"')[1])).toEqual(["x".repeat(79), "Zero House"]);
  });

  test("accepts several files, and unpacks ZIP archives", async () => {
    const { id } = await createBundle(office);
    const zip = await zipFile("export.zip", { "tenants.csv": "source_id,full_name\nT-1,Sam Sample\n", "README.txt": "Read me" });
    const files = await uploadFiles(office, id, csvFile("vendors.csv", "source_id;name", "V-1;Pipes & Co"), zip);
    expect(files.map(({ fileName, form, delimiter, rowCount }) => [fileName, form, delimiter, rowCount])).toEqual([
      ["vendors.csv", "vendors", ";", 1],
      ["tenants.csv", "tenants", ",", 1],
    ]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.files).toEqual(files);
  });

  test("accepts the unchanged templates of each provider", async () => {
    for (const provider of ["generic", "appfolio", "buildium"] as const) {
      const { id } = await createBundle(office, provider);
      const template = await office.raw("GET", `/api/import-bundles/templates/${provider}`);
      const files = await uploadFiles(office, id, new File([await template.arrayBuffer()], `${provider}.zip`));
      expect(files.map(({ form, missingRequired }) => [form, missingRequired])).toEqual(files.map(({ fileName }) => [fileName.replace(".csv", ""), []]));
      expect(files.length).toBeGreaterThanOrEqual(8);
    }
  });

  test("resets a ready bundle to draft", async () => {
    const { id } = await createReadyBundle(office, "generic", csvFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    await uploadFiles(office, id, csvFile("owners.csv", "source_id,full_name,email", "O-1,Olga Owner,olga@example.com"));
    expect((await office.call("getImportBundle", { params: { id } })).importBundle).toMatchObject({
      status: "draft",
      validatedAt: null,
      counts: { ready_create: 0 },
    });
  });

  test("stores all files of a request or none, and at most twenty in a bundle", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice);
    const validFile = (n: number) => csvFile(`vendors-${n}.csv`, "source_id,name", `V-${n},Vendor`);
    const invalid = await newOffice.attempt("uploadImportFiles", { params: { id }, body: { file: [validFile(1), new File(["\0\0\0"], "b.csv")] } });
    expect([invalid.status, invalid.body.code, invalid.body.message]).toEqual([400, "unsupported_file", expect.stringMatching(/^b\.csv: /)]);
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([]);
    await uploadFiles(newOffice, id, ...Array.from({ length: 19 }, (_, index) => validFile(index)));
    const tooMany = await newOffice.attempt("uploadImportFiles", { params: { id }, body: { file: [validFile(20), validFile(21)] } });
    expect([tooMany.status, tooMany.body.message]).toEqual([409, expect.stringContaining("at most 20 files")]);
    const responses = await Promise.all([30, 31, 32].map((n) => newOffice.attempt("uploadImportFiles", { params: { id }, body: { file: [validFile(n)] } })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await listStoredFiles(newOffice.organizationId)).toHaveLength(20);
  });
});

describe("updateImportFile", () => {
  const houses = csvFile("houses.csv", "No,House,Street,Town,St,Zip", "1,Oak House,7 Oak Street,Albany,NY,12207");

  test("sets the entity type and maps columns", async () => {
    const { id } = await createBundle(office);
    const [file] = await uploadFiles(office, id, houses);
    const params = { id, fileId: file!.id };
    const mapping = { No: "source_id", House: "name", Street: "street_line1", Town: "city", St: "state", Zip: "postal_code" };
    const { file: mapped } = await office.call("updateImportFile", { params, body: { entityType: "property", mapping } });
    expect(mapped).toMatchObject({ form: "properties", entityType: "property", mapping, mappingConfidence: 1, missingRequired: [], unmappedColumns: [] });
    const { file: unmapped } = await office.call("updateImportFile", { params, body: { mapping: { Zip: null } } });
    expect(unmapped).toMatchObject({ mapping: { ...mapping, Zip: null }, missingRequired: ["postal_code"], unmappedColumns: ["Zip"] });
  });

  test("applies a mapping profile of the same provider only", async () => {
    const { id } = await createBundle(office);
    const [file] = await uploadFiles(office, id, houses);
    const params = { id, fileId: file!.id };
    const mapping = { No: "source_id", House: "name", Street: "street_line1", Town: "city", St: "state", Zip: "postal_code", Owner: null };
    const saveProfile = async (name: string, provider: "generic" | "buildium") =>
      (await office.call("createImportMappingProfile", { body: { name, provider, entityType: "property", mapping } })).mappingProfile.id;
    const mappingProfileId = await saveProfile("Houses", "generic");
    const { file: mapped } = await office.call("updateImportFile", { params, body: { mappingProfileId } });
    expect(mapped).toMatchObject({ mappingProfileId, form: "properties", missingRequired: [], mappingConfidence: 1 });
    const other = await office.attempt("updateImportFile", { params, body: { mappingProfileId: await saveProfile("Others", "buildium") } });
    expect([other.status, other.body.errors]).toMatchObject([400, [{ path: "mappingProfileId", code: "mismatch" }]]);
    expect((await office.call("updateImportFile", { params, body: { mappingProfileId: null } })).file).toMatchObject({
      mappingProfileId: null,
      mapping: { House: "name" },
    });
  });

  test("refuses two columns for one field, naming both, and leaves the file unchanged", async () => {
    const { id } = await createBundle(office);
    const [file] = await uploadFiles(office, id, houses);
    const params = { id, fileId: file!.id };
    const { status, body } = await office.attempt("updateImportFile", { params, body: { entityType: "property", mapping: { House: "name", Town: "name" } } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "mapping.Town", code: "unique", message: expect.stringMatching(/"House" and "Town"/) }]]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.files).toEqual([file]);
  });

  test("checks If-Match against the version of the file", async () => {
    const { id } = await createBundle(office);
    const [file] = await uploadFiles(office, id, houses);
    const change = (ifMatch: string) =>
      office.attempt("updateImportFile", { params: { id, fileId: file!.id }, body: { entityType: "property" }, headers: { "If-Match": ifMatch } });
    const first = await change('"1"');
    expect([first.status, first.headers.get("etag")]).toEqual([200, '"2"']);
    expect((await change('"1"')).status).toBe(412);
  });

  test("is refused while the bundle is being validated", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice);
    const [file] = await uploadFiles(newOffice, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    for (const validatingStatus of ["inspecting", "validating"]) {
      await queryImportsDatabase(newOffice.organizationId, "update import_bundle set status = $1 where id = $2", [validatingStatus, id]);
      const { status, body } = await newOffice.attempt("updateImportFile", { params: { id, fileId: file!.id }, body: { mapping: { name: null } } });
      expect([status, body.message]).toEqual([409, expect.stringContaining("being validated")]);
    }
  });
});

describe("deleteImportFile", () => {
  test("removes a file from the bundle and from the store, and returns 404 for a concurrent second request", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice);
    const [file] = await uploadFiles(newOffice, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    const remove = () => newOffice.attempt("deleteImportFile", { params: { id, fileId: file!.id } });
    const responses = await Promise.all([remove(), remove()]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await newOffice.call("getImportBundle", { params: { id } })).importBundle.files).toEqual([]);
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([]);
  });
});
