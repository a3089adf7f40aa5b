import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Candidate } from "@freehold/contract/import-bundles";
import { anOffice } from "../../../../test/office.ts";
import { aBundle, aFile, aReadyBundle, candidatesOf, eventsOf, reaching, rows, upload, validated } from "../../test/bundles.ts";

const office = await anOffice();

const files = {
  properties: aFile(
    "properties.csv",
    "source_id,name,street_line1,city,state,postal_code",
    "P-1,Oak House,7 Oak Street,Albany,NY,12207",
    "P-2,Elm House,,Albany,NY,12207",
  ),
  units: aFile(
    "units.csv",
    "source_id,property_source_id,property_name,unit_number,monthly_rent",
    "U-1,P-1,,1,1000.00",
    "U-2,P-2,,1,900.00",
    "U-3,,Oak House,2,a lot",
    "U-4,P-9,,1,800.00",
  ),
  tenants: aFile("tenants.csv", "source_id,full_name,email", 'T-1,"Sample, Sam",sam@example.com', "T-2,Alex Sample,alex@example.com", "T-3,Alex Sample,"),
  leases: aFile(
    "leases.csv",
    "source_id,unit_source_id,property_name,unit_number,primary_tenant_source_id,primary_tenant_name,co_tenants,start_date,end_date,rent",
    "L-1,U-1,,,T-1,,T-2,2026-01-01,2026-12-31,1000.00",
    "L-2,U-2,,,,Sam Sample,,2026-01-01,2026-12-31,900.00",
    "L-3,,Oak House,1,,Alex Sample,,2027-01-01,2026-12-31,900.00",
  ),
  charges: aFile("charges.csv", "source_id,lease_source_id,date,amount", "C-1,L-1,2026-06-01,1000.00", "C-2,L-2,2026-06-01,900.00"),
};

const brief = (all: readonly Candidate[]) => all.map(({ sourceId, status }) => [sourceId, status]);
const everything = (who = office) => aReadyBundle(who, "generic", ...Object.values(files));
const by = (all: readonly Candidate[], sourceId: string) => all.find((each) => each.sourceId === sourceId)!;

describe("a validated bundle", () => {
  test("says of each row what it would become, and what is wrong with it by file, row and column", async () => {
    const { id, counts } = await everything();
    const all = await candidatesOf(office, id);
    expect(brief(all)).toEqual([
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
      ["~L-1/t 2", "ready_create"],
      ["L-2", "blocked"],
      ["L-3", "invalid"],
      ["C-1", "ready_create"],
      ["C-2", "blocked"],
    ]);
    expect(by(all, "P-2")).toMatchObject({
      fileName: "properties.csv",
      rowNumber: 3,
      displayName: "Elm House",
      errors: [{ path: "street_line1", code: "required" }],
    });
    expect(by(all, "U-3").errors).toMatchObject(
      [{ path: "monthly_rent", message: expect.stringMatching(/^Column monthly_rent: "a lot"/) }, { path: "monthly_rent" }].slice(0, 1),
    );
    expect(by(all, "U-4").errors).toMatchObject([{ path: "property_source_id", code: "not_found", message: expect.stringContaining('"P-9"') }]);
    expect(by(all, "L-3").errors.map(({ path, code }) => [path, code])).toEqual([
      ["primary_tenant_name", "not_found"],
      ["end_date", "before_start"],
    ]);
    const lease = by(all, "L-1");
    expect(lease.dependsOn.toSorted()).toEqual([by(all, "U-1").id, by(all, "T-1").id].toSorted());
    expect(lease.data).toMatchObject({ term_type: "fixed", rent: "1000.00" });
    expect(by(all, "L-2")).toMatchObject({ blockedBy: [by(all, "U-2").id] });
    expect(by(all, "T-1").data["full_name"]).toBe("Sam Sample");
    expect(counts).toMatchObject({ ready_create: 8, blocked: 3, invalid: 3, missing_source_data: 1, byEntity: { charge: { ready_create: 1, blocked: 1 } } });
  });

  test("merges rows that are one record, and fills what one lacks from the other", async () => {
    const { id } = await aReadyBundle(
      office,
      "generic",
      aFile("vendors.csv", "source_id,name,email", "V-1,Pipes & Co,", "V-1,Pipes,pipes@example.com", "V-2,Wires,"),
      aFile("more vendors.csv", "source_id,name,trade", "V-1,Pipes & Co,Plumbing"),
    );
    const all = await candidatesOf(office, id);
    const [first, second, , third] = all as [Candidate, Candidate, Candidate, Candidate];
    expect(brief(all)).toEqual([
      ["V-1", "ready_create"],
      ["V-1", "duplicate_merged"],
      ["V-2", "ready_create"],
      ["V-1", "duplicate_merged"],
    ]);
    expect([second.mergedIntoId, third.mergedIntoId]).toEqual([first.id, first.id]);
    expect(first.data).toMatchObject({ name: "Pipes & Co", email: "pipes@example.com", trade: "Plumbing" });
  });

  test("ties the reports of one system together by their names", async () => {
    const property = [
      "Property Name,Property ID,Property Street Address 1,Property City,Property State,Property Zip",
      "Maple Court,100,12 Maple Street,Hartford,CT,06103",
    ];
    const units = ["Property Name,Unit Name,Unit ID,Market Rent", 'Maple Court,101,2101,"1,550.00"', "Maple Court,102,2102,900.00"];
    const people = ["Property Name,Unit,Tenant,Tenant ID,Emails", 'Maple Court,101,"Sample, Sam",501,sam@example.com'];
    const rents = [
      "Property,Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Past Due",
      '"Maple Court - 12 Maple Street Hartford, CT 06103",101,"Sample, Sam; Sample, Alex",Current,"1,495.00","1,495.00",01/01/2026,12/31/2026,120.00',
      '"Maple Court - 12 Maple Street Hartford, CT 06103",102,,Vacant-Unrented,,,,,',
    ];
    const { id } = await aReadyBundle(
      office,
      "appfolio",
      aFile("rent_roll-20260630.csv", ...rents),
      aFile("property_directory.csv", ...property),
      aFile("unit_directory.csv", ...units),
      aFile("tenant_directory.csv", ...people),
    );
    const all = await candidatesOf(office, id);
    const ofType = (entityType: string) =>
      all.filter((each) => each.entityType === entityType).map(({ sourceId, status, rowNumber }) => [rowNumber, sourceId!.startsWith("~"), status]);
    expect(ofType("property")).toEqual([[2, false, "ready_create"]]);
    expect(ofType("unit")).toEqual([
      [2, true, "duplicate_merged"],
      [3, true, "duplicate_merged"],
      [2, false, "ready_create"],
      [3, false, "ready_create"],
    ]);
    expect(ofType("tenant")).toEqual([
      [2, true, "duplicate_merged"],
      [2, true, "ready_create"],
      [2, false, "ready_create"],
    ]);
    for (const entityType of ["lease", "occupant", "deposit", "opening_balance"])
      expect([entityType, ofType(entityType)]).toEqual([entityType, [[2, true, "ready_create"]]]);
    const lease = all.find(({ entityType }) => entityType === "lease")!;
    const [unit, tenant] = [by(all, "2101"), by(all, "501")];
    expect(lease.dependsOn).toEqual(expect.arrayContaining([unit.id, tenant.id]));
    expect(unit.data).toMatchObject({ market_rent: "1550.00", monthly_rent: "1495.00" });
  });

  test("knows what an earlier bundle of the namespace wrote: what changed, and what did not", async () => {
    const mine = await anOffice();
    const { id: earlier } = await aBundle(mine, "generic", "again");
    const [one, two] = [randomUUID(), randomUUID()];
    const remember = (sourceId: string, entityId: string, data: object) =>
      rows(
        mine.organizationId,
        `insert into import_identity (organization_id, namespace, entity_type, source_id, entity_id, bundle_id, data, action, created_at, updated_at)
         values ($1, 'again', 'vendor', $2, $3, $4, $5, 'created', now(), now())`,
        [mine.organizationId, sourceId, entityId, earlier, JSON.stringify(data)],
      );
    await remember("V-1", one, { source_id: "V-1", name: "Pipes & Co", trade: "Plumbing" });
    await remember("V-2", two, { source_id: "V-2", name: "Wires" });
    const { id } = await aBundle(mine, "generic", "again");
    await upload(mine, id, aFile("vendors.csv", "source_id,name,trade", "V-1,Pipes Inc,", "V-2,Wires,", "V-3,Paint,"));
    await validated(mine, id);
    expect(await candidatesOf(mine, id)).toMatchObject([
      { sourceId: "V-1", status: "ready_update", chosenEntityId: one, changes: [{ field: "name", from: "Pipes & Co", to: "Pipes Inc" }] },
      { sourceId: "V-2", status: "unchanged", chosenEntityId: two, changes: [] },
      { sourceId: "V-3", status: "ready_create", chosenEntityId: null },
    ]);
    const other = await aReadyBundle(mine, "generic", aFile("vendors.csv", "source_id,name", "V-2,Wires"));
    expect(await candidatesOf(mine, other.id)).toMatchObject([{ status: "ready_create" }]);
  });
});

describe("listImportCandidates", () => {
  test("finds candidates by status, type, file and words, in the order of the rows, with the counts of all", async () => {
    const { id, files: kept, counts } = await everything();
    const found = async (query: Record<string, string>) => (await candidatesOf(office, id, query)).map(({ sourceId }) => sourceId);
    expect(await found({ status: "missing_source_data,invalid" })).toEqual(["P-2", "U-3", "U-4", "L-3"]);
    expect(await found({ entityType: "charge" })).toEqual(["C-1", "C-2"]);
    expect(await found({ fileId: kept[2]!.id })).toEqual(["T-1", "T-2", "T-3"]);
    expect(await found({ search: "alex" })).toEqual(["T-2", "T-3", "L-3"]);
    expect(await found({ search: "t-3" })).toEqual(["T-3"]);
    expect(await found({ sortBy: "displayName", entityType: "property" })).toEqual(["P-2", "P-1"]);
    const page = await office.call("listImportCandidates", { params: { id }, query: { page: 2, pageSize: 10 } });
    expect(page).toMatchObject({ page: 2, pageSize: 10, total: 15, totalPages: 2, counts });
    expect(page.candidates).toHaveLength(5);
  });

  test("gives the list as CSV, and nothing in it is a formula", async () => {
    const { id } = await aReadyBundle(office, "generic", aFile("vendors.csv", "source_id,name,notes", '=1+1,"=HYPERLINK(""http://example.com"")",@x'));
    const answer = await office.raw("GET", `/api/import-bundles/${id}/candidates`, undefined, { Accept: "text/csv" });
    const text = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(text).toContain(`'=1+1`);
    expect(text.split(/[,\r\n]/).filter((cell) => /^"?[=+@-]/.test(cell))).toEqual([]);
  });
});

describe("resolveImportCandidate", () => {
  const resolve = async (id: string, candidate: Candidate, body: object, who = office) =>
    who.attempt("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body: body as { action: "exclude" } });

  test("corrects a candidate, and what was blocked by it is free", async () => {
    const { id } = await everything();
    const all = await candidatesOf(office, id);
    const { body } = await resolve(id, by(all, "P-2"), { action: "edit", data: { street_line1: "9 Elm Street", reserve: "$500" } });
    expect(body.candidate).toMatchObject({ status: "ready_create", errors: [], data: { street_line1: "9 Elm Street", reserve: "500.00" } });
    expect(body.importBundle.counts).toMatchObject({ ready_create: 12, blocked: 0, missing_source_data: 0 });
    const after = await candidatesOf(office, id);
    expect(["U-2", "L-2", "C-2"].map((sourceId) => by(after, sourceId))).toMatchObject([
      { status: "ready_create", blockedBy: [] },
      { status: "ready_create" },
      { status: "ready_create" },
    ]);
    const { body: back } = await resolve(id, by(after, "P-2"), { action: "reset" });
    expect(back.candidate).toMatchObject({ status: "missing_source_data", errors: [{ path: "street_line1" }] });
    expect(back.candidate.data).not.toHaveProperty("reserve");
    expect(by(await candidatesOf(office, id), "C-2").status).toBe("blocked");
    expect((await eventsOf(office, id)).filter(({ type }) => type === "import_bundle.updated")).toHaveLength(3);
  });

  test("gives a row the id that others were looking for", async () => {
    const { id } = await everything();
    const all = await candidatesOf(office, id);
    await resolve(id, by(all, "P-2"), { action: "edit", data: { source_id: "P-9", street_line1: "9 Elm Street" } });
    const after = await candidatesOf(office, id);
    expect([by(after, "P-9").status, by(after, "U-4").status, by(after, "U-2").status]).toEqual(["ready_create", "ready_create", "ready_create"]);
    const taken = await resolve(id, by(after, "P-9"), { action: "edit", data: { source_id: "P-1" } });
    expect([taken.status, taken.body.errors]).toMatchObject([400, [{ path: "data.source_id", code: "unique" }]]);
  });

  test("excludes a candidate, and what depends on it waits", async () => {
    const { id } = await everything();
    const all = await candidatesOf(office, id);
    const { body } = await resolve(id, by(all, "T-1"), { action: "exclude" });
    expect(body.candidate).toMatchObject({ status: "excluded", decision: "exclude" });
    const after = await candidatesOf(office, id);
    expect(by(after, "L-1")).toMatchObject({ status: "blocked", blockedBy: [by(all, "T-1").id] });
    expect(by(after, "C-1").status).toBe("blocked");
    await resolve(id, by(all, "T-1"), { action: "reset" });
    expect(by(await candidatesOf(office, id), "C-1").status).toBe("ready_create");
  });

  test("chooses the record that a candidate is, if the organization has it", async () => {
    const mine = await anOffice();
    const { id } = await everything(mine);
    const all = await candidatesOf(mine, id);
    const { tenant } = await mine.call("createTenant", { body: { fullName: "Sam Sample" } });
    const chosen = await resolve(id, by(all, "T-1"), { action: "match", entityId: tenant.id }, mine);
    expect(chosen.body.candidate).toMatchObject({ status: "ready_update", decision: "match", chosenEntityId: tenant.id });
    const unknown = await resolve(id, by(all, "T-2"), { action: "match", entityId: randomUUID() }, mine);
    expect([unknown.status, unknown.body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found" }]]);
    const wrongKind = await resolve(id, by(all, "P-1"), { action: "match", entityId: tenant.id }, mine);
    expect([wrongKind.status, wrongKind.body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found" }]]);
    const created = await resolve(id, by(all, "T-1"), { action: "create" }, mine);
    expect(created.body.candidate).toMatchObject({ status: "ready_create", decision: "create", chosenEntityId: null });
  });

  test.each([
    ["a match without a record", { action: "match" }, "entityId", "required"],
    ["an edit of nothing", { action: "edit", data: {} }, "data", "required"],
    ["a record with something else", { action: "create", entityId: randomUUID() }, "entityId", "not_allowed"],
    ["fields with something else", { action: "exclude", data: { name: "x" } }, "data", "not_allowed"],
    ["a field that there is not", { action: "edit", data: { colour: "red" } }, "data.colour", "unrecognized_key"],
    ["a value that is none", { action: "edit", data: { units: "many" } }, "data.units", "format"],
    ["anything unknown", { action: "guess" }, "action", "enum"],
  ])("refuses %s", async (_, body, path, code) => {
    const { id } = await aReadyBundle(office, "generic", files.properties);
    const [candidate] = await candidatesOf(office, id);
    const refused = await resolve(id, candidate!, body);
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("of a duplicate names the one that stands for it, and heeds the version that was read", async () => {
    const { id } = await aReadyBundle(office, "generic", aFile("vendors.csv", "source_id,name", "V-1,Pipes", "V-1,Pipes"));
    const [first, second] = (await candidatesOf(office, id)) as [Candidate, Candidate];
    const refused = await resolve(id, second, { action: "create" });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(first.id)]);
    const stale = await office.attempt("resolveImportCandidate", {
      params: { id, candidateId: first.id },
      body: { action: "exclude" },
      headers: { "If-Match": '"999"' },
    });
    expect(stale.status).toBe(412);
  });

  test("waits for the bundle to be ready, and of many at once each is done", async () => {
    const { id } = await everything();
    const all = await candidatesOf(office, id);
    const answers = await Promise.all(["T-1", "T-2", "T-3", "C-1"].map((sourceId) => resolve(id, by(all, sourceId), { action: "exclude" })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({ excluded: 4 });
    await upload(office, id, aFile("vendors.csv", "source_id,name", "V-1,Pipes"));
    const late = await resolve(id, by(all, "T-1"), { action: "reset" });
    expect([late.status, late.body.code]).toEqual([409, "bundle_not_ready"]);
  });
});

describe("resolveImportCandidates", () => {
  test("decides over all that fit, and what depends on them follows", async () => {
    const { id, files: kept } = await everything();
    const resolve = async (body: object) => (await office.call("resolveImportCandidates", { params: { id }, body: body as never })).updated;
    expect(await resolve({ status: ["invalid", "missing_source_data"], action: "exclude" })).toBe(4);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({
      excluded: 4,
      invalid: 0,
      missing_source_data: 0,
      blocked: 3,
    });
    expect(await resolve({ status: ["ready_create"], entityType: ["tenant"], search: "alex", action: "exclude" })).toBe(2);
    expect(await resolve({ status: ["excluded"], fileId: kept[2]!.id, action: "reset" })).toBe(2);
    expect(await resolve({ status: ["excluded"], action: "reset" })).toBe(4);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({
      ready_create: 8,
      blocked: 3,
      invalid: 3,
      missing_source_data: 1,
    });
  });

  test("decides over thousands at once, and is ready again when all of them are judged", async () => {
    const lines = Array.from({ length: 2_500 }, (_, at) => `V-${at},Vendor ${at}`);
    const { id } = await aReadyBundle(office, "generic", aFile("vendors.csv", "source_id,name", ...lines));
    for (const [from, action, to] of [
      ["ready_create", "exclude", "excluded"],
      ["excluded", "reset", "ready_create"],
    ] as const) {
      expect(await office.call("resolveImportCandidates", { params: { id }, body: { status: [from], action } })).toEqual({ updated: 2_500 });
      expect((await reaching(office, id, "ready")).counts).toMatchObject({ [from]: 0, [to]: 2_500 });
    }
  });

  test("is refused before the bundle is ready", async () => {
    const { id } = await aBundle(office);
    const { status, body } = await office.attempt("resolveImportCandidates", { params: { id }, body: { status: ["invalid"], action: "exclude" } });
    expect([status, body.code]).toEqual([409, "bundle_not_ready"]);
  });
});
