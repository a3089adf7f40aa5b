import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { anOffice } from "../../../../test/support/office.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import {
  createBundle,
  createReadyBundle,
  csvFile,
  listAllCandidates,
  listEvents,
  queryImportsDatabase,
  uploadFiles,
  validateBundle,
} from "../../test/bundles.ts";
import { createFullBundle, files, findBySourceId, summarize } from "../../test/rental-portfolio.ts";

const office = await anOffice();

describe("a validated bundle", () => {
  test("has candidates with statuses, dependencies and errors by file, row and column", async () => {
    const { id, counts } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    expect(summarize(all)).toEqual([
      ["P-1", "ready_create"],
      ["P-2", "missing_source_data"],
      ["U-1", "ready_create"],
      ["U-2", "blocked"],
      ["U-3", "invalid"],
      ["U-4", "invalid"],
      ["T-1", "ready_create"],
      ["T-2", "ready_create"],
      ["T-3", "ready_create"],
      ["L-1", "ready_create"],
      // Occupant from the column co_tenants, with a derived source id.
      ["~L-1/t 2", "ready_create"],
      ["L-2", "blocked"],
      ["L-3", "invalid"],
      ["C-1", "ready_create"],
      ["C-2", "blocked"],
    ]);
    expect(findBySourceId(all, "P-2")).toMatchObject({
      fileName: "properties.csv",
      rowNumber: 3,
      displayName: "Elm House",
      errors: [{ path: "street_line1", code: "required" }],
    });
    expect(findBySourceId(all, "U-3").errors).toMatchObject([{ path: "monthly_rent", message: expect.stringMatching(/^Column monthly_rent: "a lot"/) }]);
    expect(findBySourceId(all, "U-4").errors).toMatchObject([{ path: "property_source_id", code: "not_found", message: expect.stringContaining('"P-9"') }]);
    expect(findBySourceId(all, "L-3").errors.map(({ path, code }) => [path, code])).toEqual([
      ["primary_tenant_name", "not_found"],
      ["end_date", "before_start"],
    ]);
    const lease = findBySourceId(all, "L-1");
    expect(lease.dependsOn.toSorted()).toEqual([findBySourceId(all, "U-1").id, findBySourceId(all, "T-1").id].toSorted());
    expect(lease.data).toMatchObject({ term_type: "fixed", rent: "1000.00" });
    expect(findBySourceId(all, "L-2")).toMatchObject({ blockedBy: [findBySourceId(all, "U-2").id] });
    expect(findBySourceId(all, "T-1").data["full_name"]).toBe("Sam Sample");
    expect(counts).toMatchObject({ ready_create: 8, blocked: 3, invalid: 3, missing_source_data: 1, byEntity: { charge: { ready_create: 1, blocked: 1 } } });
  });

  test("merges duplicate rows, and fills missing fields from the duplicates", async () => {
    const { id } = await createReadyBundle(
      office,
      "generic",
      csvFile("vendors.csv", "source_id,name,email", "V-1,Pipes & Co,", "V-1,Pipes,pipes@example.com", "V-2,Wires,"),
      csvFile("more vendors.csv", "source_id,name,trade", "V-1,Pipes & Co,Plumbing"),
    );
    const all = await listAllCandidates(office, id);
    const [kept, duplicate, , duplicateInOtherFile] = all as [Candidate, Candidate, Candidate, Candidate];
    expect(summarize(all)).toEqual([
      ["V-1", "ready_create"],
      ["V-1", "duplicate_merged"],
      ["V-2", "ready_create"],
      ["V-1", "duplicate_merged"],
    ]);
    expect([duplicate.mergedIntoId, duplicateInOtherFile.mergedIntoId]).toEqual([kept.id, kept.id]);
    expect(kept.data).toMatchObject({ name: "Pipes & Co", email: "pipes@example.com", trade: "Plumbing" });
  });

  test("links records of different reports by their names", async () => {
    const property = [
      "Property Name,Property ID,Property Street Address 1,Property City,Property State,Property Zip",
      "Maple Court,100,12 Maple Street,Hartford,CT,06103",
    ];
    const units = ["Property Name,Unit Name,Unit ID,Market Rent", 'Maple Court,101,2101,"1,550.00"', "Maple Court,102,2102,900.00"];
    const tenants = ["Property Name,Unit,Tenant,Tenant ID,Emails", 'Maple Court,101,"Sample, Sam",501,sam@example.com'];
    const rentRoll = [
      "Property,Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Past Due",
      '"Maple Court - 12 Maple Street Hartford, CT 06103",101,"Sample, Sam; Sample, Alex",Current,"1,495.00","1,495.00",01/01/2026,12/31/2026,120.00',
      '"Maple Court - 12 Maple Street Hartford, CT 06103",102,,Vacant-Unrented,,,,,',
    ];
    const { id } = await createReadyBundle(
      office,
      "appfolio",
      csvFile("rent_roll-20260630.csv", ...rentRoll),
      csvFile("property_directory.csv", ...property),
      csvFile("unit_directory.csv", ...units),
      csvFile("tenant_directory.csv", ...tenants),
    );
    const all = await listAllCandidates(office, id);
    /** Returns the row number, whether the source id is derived, and the status of each candidate of a type. */
    const summarizeType = (entityType: string) =>
      all.filter((each) => each.entityType === entityType).map(({ sourceId, status, rowNumber }) => [rowNumber, sourceId!.startsWith("~"), status]);
    expect(summarizeType("property")).toEqual([[2, false, "ready_create"]]);
    expect(summarizeType("unit")).toEqual([
      [2, true, "duplicate_merged"],
      [3, true, "duplicate_merged"],
      [2, false, "ready_create"],
      [3, false, "ready_create"],
    ]);
    expect(summarizeType("tenant")).toEqual([
      [2, true, "duplicate_merged"],
      [2, true, "ready_create"],
      [2, false, "ready_create"],
    ]);
    for (const entityType of ["lease", "occupant", "deposit", "opening_balance"])
      expect([entityType, summarizeType(entityType)]).toEqual([entityType, [[2, true, "ready_create"]]]);
    const lease = all.find(({ entityType }) => entityType === "lease")!;
    const [unit, tenant] = [findBySourceId(all, "2101"), findBySourceId(all, "501")];
    expect(lease.dependsOn).toEqual(expect.arrayContaining([unit.id, tenant.id]));
    expect(unit.data).toMatchObject({ market_rent: "1550.00", monthly_rent: "1495.00" });
  });

  test("recognizes records of an earlier bundle of the namespace, changed and unchanged", async () => {
    const newOffice = await anOffice();
    const { id: earlierBundleId } = await createBundle(newOffice, "generic", "again");
    const createVendor = async (name: string) => (await newOffice.call("createVendor", { body: { name } })).vendor.id;
    const [changedId, unchangedId] = [await createVendor("Pipes & Co"), await createVendor("Wires")];
    const insertIdentity = (sourceId: string, entityId: string, data: object) =>
      queryImportsDatabase(
        newOffice.organizationId,
        `insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, data, action, created_at, updated_at)
         values ($1, 'again', 'vendor', $2, $3, $4, $5, 'created', now(), now())`,
        [newOffice.organizationId, sourceId, entityId, earlierBundleId, JSON.stringify(data)],
      );
    await insertIdentity("V-1", changedId, { source_id: "V-1", name: "Pipes & Co", trade: "Plumbing" });
    await insertIdentity("V-2", unchangedId, { source_id: "V-2", name: "Wires" });
    const { id } = await createBundle(newOffice, "generic", "again");
    await uploadFiles(newOffice, id, csvFile("vendors.csv", "source_id,name,trade", "V-1,Pipes Inc,", "V-2,Wires,", "V-3,Paint,"));
    await validateBundle(newOffice, id);
    expect(await listAllCandidates(newOffice, id)).toMatchObject([
      { sourceId: "V-1", status: "ready_update", chosenEntityId: changedId, changes: [{ field: "name", from: "Pipes & Co", to: "Pipes Inc" }] },
      { sourceId: "V-2", status: "unchanged", chosenEntityId: unchangedId, changes: [] },
      { sourceId: "V-3", status: "ready_create", chosenEntityId: null },
    ]);
    const otherNamespace = await createReadyBundle(newOffice, "generic", csvFile("vendors.csv", "source_id,name", "V-2,Bricks"));
    expect(await listAllCandidates(newOffice, otherNamespace.id)).toMatchObject([{ status: "ready_create" }]);
  });
});

describe("listImportCandidates", () => {
  test("filters by status, type, file and text, in the order of the rows, with the counts of the bundle", async () => {
    const { id, files: importFiles, counts } = await createFullBundle(office);
    const listSourceIds = async (query: Record<string, string>) => (await listAllCandidates(office, id, query)).map(({ sourceId }) => sourceId);
    expect(await listSourceIds({ status: "missing_source_data,invalid" })).toEqual(["P-2", "U-3", "U-4", "L-3"]);
    expect(await listSourceIds({ entityType: "charge" })).toEqual(["C-1", "C-2"]);
    expect(await listSourceIds({ fileId: importFiles[2]!.id })).toEqual(["T-1", "T-2", "T-3"]);
    expect(await listSourceIds({ search: "alex" })).toEqual(["T-2", "T-3", "L-3"]);
    expect(await listSourceIds({ search: "t-3" })).toEqual(["T-3"]);
    expect(await listSourceIds({ sortBy: "displayName", entityType: "property" })).toEqual(["P-2", "P-1"]);
    const page = await office.call("listImportCandidates", { params: { id }, query: { page: 2, pageSize: 10 } });
    expect(page).toMatchObject({ page: 2, pageSize: 10, total: 15, totalPages: 2, counts });
    expect(page.candidates).toHaveLength(5);
  });

  test("returns the list as CSV with escaped formulas", async () => {
    const { id } = await createReadyBundle(office, "generic", csvFile("vendors.csv", "source_id,name,notes", '=1+1,"=HYPERLINK(""http://example.com"")",@x'));
    const response = await office.raw("GET", `/api/import-bundles/${id}/candidates`, undefined, { Accept: "text/csv" });
    const text = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(text).toContain(`'=1+1`);
    expect(text.split(/[,\r\n]/).filter((cell) => /^"?[=+@-]/.test(cell))).toEqual([]);
  });
});

describe("resolveImportCandidate", () => {
  const resolve = async (id: string, candidate: Candidate, body: object, client = office) =>
    client.attempt("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body: body as { action: "exclude" } });

  test("edits a candidate and unblocks its dependents", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    const { body } = await resolve(id, findBySourceId(all, "P-2"), { action: "edit", data: { street_line1: "9 Elm Street", reserve: "$500" } });
    expect(body.candidate).toMatchObject({ status: "ready_create", errors: [], data: { street_line1: "9 Elm Street", reserve: "500.00" } });
    expect(body.importBundle.counts).toMatchObject({ ready_create: 12, blocked: 0, missing_source_data: 0 });
    const updatedCandidates = await listAllCandidates(office, id);
    expect(["U-2", "L-2", "C-2"].map((sourceId) => findBySourceId(updatedCandidates, sourceId))).toMatchObject([
      { status: "ready_create", blockedBy: [] },
      { status: "ready_create" },
      { status: "ready_create" },
    ]);
    const { body: reset } = await resolve(id, findBySourceId(updatedCandidates, "P-2"), { action: "reset" });
    expect(reset.candidate).toMatchObject({ status: "missing_source_data", errors: [{ path: "street_line1" }] });
    expect(reset.candidate.data).not.toHaveProperty("reserve");
    expect(findBySourceId(await listAllCandidates(office, id), "C-2").status).toBe("blocked");
    expect((await listEvents(office, id)).filter(({ type }) => type === "import_bundle.updated")).toHaveLength(3);
  });

  test("resolves references to an edited source id", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    await resolve(id, findBySourceId(all, "P-2"), { action: "edit", data: { source_id: "P-9", street_line1: "9 Elm Street" } });
    const updatedCandidates = await listAllCandidates(office, id);
    expect([
      findBySourceId(updatedCandidates, "P-9").status,
      findBySourceId(updatedCandidates, "U-4").status,
      findBySourceId(updatedCandidates, "U-2").status,
    ]).toEqual(["ready_create", "ready_create", "ready_create"]);
    const duplicate = await resolve(id, findBySourceId(updatedCandidates, "P-9"), { action: "edit", data: { source_id: "P-1" } });
    expect([duplicate.status, duplicate.body.errors]).toMatchObject([400, [{ path: "data.source_id", code: "unique" }]]);
  });

  test("resolves references to a source id again when its edit is reset", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    await resolve(id, findBySourceId(all, "P-2"), { action: "edit", data: { source_id: "P-9", street_line1: "9 Elm Street" } });
    await resolve(id, findBySourceId(all, "P-2"), { action: "reset" });
    expect(summarize(await listAllCandidates(office, id))).toEqual(summarize(all));
  });

  test("resolves references of candidates far behind the edited one", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    await queryImportsDatabase(
      office.organizationId,
      "update import_candidate set position = position + 60000 where bundle_id = $1 and entity_type <> 'property'",
      [id],
    );
    await resolve(id, findBySourceId(all, "P-2"), { action: "edit", data: { source_id: "P-9", street_line1: "9 Elm Street" } });
    expect(findBySourceId(await listAllCandidates(office, id), "U-4").status).toBe("ready_create");
  });

  test("excludes a candidate and blocks its dependents", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    const { body } = await resolve(id, findBySourceId(all, "T-1"), { action: "exclude" });
    expect(body.candidate).toMatchObject({ status: "excluded", decision: "exclude" });
    const updatedCandidates = await listAllCandidates(office, id);
    expect(findBySourceId(updatedCandidates, "L-1")).toMatchObject({ status: "blocked", blockedBy: [findBySourceId(all, "T-1").id] });
    expect(findBySourceId(updatedCandidates, "C-1").status).toBe("blocked");
    await resolve(id, findBySourceId(all, "T-1"), { action: "reset" });
    expect(findBySourceId(await listAllCandidates(office, id), "C-1").status).toBe("ready_create");
  });

  test("matches a candidate with an existing record of the organization", async () => {
    const newOffice = await anOffice();
    const { id } = await createFullBundle(newOffice);
    const all = await listAllCandidates(newOffice, id);
    const { tenant } = await newOffice.call("createTenant", { body: { fullName: "Sam Sample" } });
    const matched = await resolve(id, findBySourceId(all, "T-1"), { action: "match", entityId: tenant.id }, newOffice);
    expect(matched.body.candidate).toMatchObject({ status: "ready_update", decision: "match", chosenEntityId: tenant.id });
    const unknown = await resolve(id, findBySourceId(all, "T-2"), { action: "match", entityId: randomUUID() }, newOffice);
    expect([unknown.status, unknown.body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found" }]]);
    const otherType = await resolve(id, findBySourceId(all, "P-1"), { action: "match", entityId: tenant.id }, newOffice);
    expect([otherType.status, otherType.body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found" }]]);
    const created = await resolve(id, findBySourceId(all, "T-1"), { action: "create" }, newOffice);
    expect(created.body.candidate).toMatchObject({ status: "ready_create", decision: "create", chosenEntityId: null });
  });

  test("matches owners, units and vendors that were created by hand, and refuses deleted ones", async () => {
    const newOffice = await anOffice();
    const { propertyId, unitId } = await aTenancy(newOffice);
    const { id } = await createReadyBundle(
      newOffice,
      "generic",
      csvFile("owners.csv", "source_id,full_name,email", "O-1,Olga Owner,olga@example.com"),
      csvFile("vendors.csv", "source_id,name", "V-1,Pipes"),
      csvFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", "P-1,Oak House,7 Oak Street,Albany,NY,12207"),
      csvFile("units.csv", "source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,9,1000.00"),
    );
    const all = await listAllCandidates(newOffice, id);
    const createOwner = async () => (await newOffice.call("createOwner", { body: { fullName: "Somebody Else", email: "else@example.com" } })).owner.id;
    const createVendor = async () => (await newOffice.call("createVendor", { body: { name: "Wires" } })).vendor.id;
    const createUnit = async () => (await newOffice.call("createUnit", { body: { propertyId, unitNumber: "77", monthlyRentCents: 1 } })).unit.id;
    const [ownerId, vendorId, spareUnitId] = [await createOwner(), await createVendor(), await createUnit()];
    const match = async (sourceId: string, entityId: string) =>
      (await resolve(id, findBySourceId(all, sourceId), { action: "match", entityId }, newOffice)).status;
    const matchAll = async () => [await match("O-1", ownerId), await match("V-1", vendorId), await match("U-1", spareUnitId)];
    expect(await matchAll()).toEqual([200, 200, 200]);
    await newOffice.call("deleteOwner", { params: { id: ownerId } });
    await newOffice.call("deleteVendor", { params: { id: vendorId } });
    await newOffice.call("deleteUnit", { params: { id: spareUnitId } });
    expect(await matchAll()).toEqual([400, 400, 400]);
    expect(await match("U-1", unitId)).toBe(200);
  });

  test.each([
    ["a match without a record", { action: "match" }, "entityId", "required"],
    ["an edit without fields", { action: "edit", data: {} }, "data", "required"],
    ["entityId with another action", { action: "create", entityId: randomUUID() }, "entityId", "not_allowed"],
    ["data with another action", { action: "exclude", data: { name: "x" } }, "data", "not_allowed"],
    ["an unknown field", { action: "edit", data: { colour: "red" } }, "data.colour", "unrecognized_key"],
    ["an invalid value", { action: "edit", data: { units: "many" } }, "data.units", "format"],
    ["an unknown action", { action: "guess" }, "action", "enum"],
  ])("refuses %s", async (_, body, path, code) => {
    const { id } = await createReadyBundle(office, "generic", files.properties);
    const [candidate] = await listAllCandidates(office, id);
    const refused = await resolve(id, candidate!, body);
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("refuses a merged duplicate, naming the candidate that it was merged into, and checks If-Match", async () => {
    const { id } = await createReadyBundle(office, "generic", csvFile("vendors.csv", "source_id,name", "V-1,Pipes", "V-1,Pipes"));
    const [first, second] = (await listAllCandidates(office, id)) as [Candidate, Candidate];
    const refused = await resolve(id, second, { action: "create" });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(first.id)]);
    const stale = await office.attempt("resolveImportCandidate", {
      params: { id, candidateId: first.id },
      body: { action: "exclude" },
      headers: { "If-Match": '"999"' },
    });
    expect(stale.status).toBe(412);
  });

  test("succeeds for concurrent calls, and is refused while the bundle is not ready", async () => {
    const { id } = await createFullBundle(office);
    const all = await listAllCandidates(office, id);
    const responses = await Promise.all(["T-1", "T-2", "T-3", "C-1"].map((sourceId) => resolve(id, findBySourceId(all, sourceId), { action: "exclude" })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({ excluded: 4 });
    await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    const refused = await resolve(id, findBySourceId(all, "T-1"), { action: "reset" });
    expect([refused.status, refused.body.code]).toEqual([409, "bundle_not_ready"]);
  });
});
