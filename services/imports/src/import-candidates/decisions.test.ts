import { describe, expect, test } from "@jest/globals";
import type { Candidate, importBundles } from "@freehold/contract/imports/import-bundles";
import type { BodyOf } from "@freehold/contract/operation";
import { anOffice } from "../../../../test/support/office.ts";
import { createBundle, createReadyBundle, csvFile, listAllCandidates, uploadFiles, validateBundle, waitForBundle } from "../../test/bundles.ts";

const office = await anOffice();
const owners = csvFile(
  "owners.csv",
  "source_id,full_name,email",
  "O-1,Olga Owner,olga@example.com",
  "O-2,Otto Owner,otto@example.com",
  "O-3,Oda Owner,oda at example",
);
/** Rows without source ids, identified by their position in the file. */
const rentRoll = csvFile(
  "rent_roll.csv",
  "Property,Unit,Tenant,Status,Rent,Lease From,Lease To,Contact",
  'Maple Court,101,"Sample, Sam & Sample, Alex",Current,"1,495.00",01/01/2026,12/31/2026,one',
  'Maple Court,102,"Other, Olga",Current,"1,300.00",01/01/2026,12/31/2026,two',
);
type Resolution = BodyOf<(typeof importBundles)["operations"]["resolveImportCandidate"]>;
const summarize = (all: readonly Candidate[]) => all.map(({ sourceId, status, decision }) => [sourceId, status, decision]);
const findByName = (all: readonly Candidate[], name: string) => all.find(({ displayName }) => displayName === name)!;
const resolve = (id: string, candidate: Candidate, body: Resolution) =>
  office.call("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body });

/** Creates a bundle with decisions: the first owner is excluded, the second created, the third edited. */
async function createBundleWithDecisions(...files: File[]) {
  const { id } = await createBundle(office);
  await uploadFiles(office, id, ...files);
  await validateBundle(office, id);
  const [first, second, third] = (await listAllCandidates(office, id, { entityType: "owner" })) as [Candidate, Candidate, Candidate];
  await resolve(id, first, { action: "exclude" });
  await resolve(id, second, { action: "create" });
  await resolve(id, third, { action: "edit", data: { email: "oda@example.com" } });
  return id;
}

describe("decisions", () => {
  test("are kept when a file is added and the bundle is validated again, repeatedly", async () => {
    const id = await createBundleWithDecisions(owners);
    await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    for (let validation = 0; validation < 2; validation++) {
      const { counts } = await validateBundle(office, id);
      const all = await listAllCandidates(office, id);
      expect(summarize(all)).toEqual([
        ["O-1", "excluded", "exclude"],
        ["O-2", "ready_create", "create"],
        ["O-3", "ready_create", null],
        ["V-1", "ready_create", null],
      ]);
      expect(all[2]!.data).toMatchObject({ email: "oda@example.com" });
      expect(counts).toMatchObject({ excluded: 1, ready_create: 3 });
    }
    const edited = findByName(await listAllCandidates(office, id), "Oda Owner");
    const { candidate } = await resolve(id, edited, { action: "reset" });
    expect([candidate.status, candidate.errors[0]?.path]).toEqual(["invalid", "email"]);
  });

  test("follow the rows to another file, and an edit is dropped when its row has changed", async () => {
    const id = await createBundleWithDecisions(owners);
    const { importBundle } = await office.call("getImportBundle", { params: { id } });
    await office.call("deleteImportFile", { params: { id, fileId: importBundle.files[0]!.id } });
    const lines = ["source_id,full_name,email", "O-2,Otto Owner,otto@example.org", "O-3,Oda Owner,oda at example", "O-1,Olga Owner,olga@example.com"];
    await uploadFiles(office, id, csvFile("owners.csv", ...lines));
    await validateBundle(office, id);
    expect(summarize(await listAllCandidates(office, id))).toEqual([
      ["O-2", "ready_create", "create"],
      ["O-3", "ready_create", null],
      ["O-1", "excluded", "exclude"],
    ]);
    const { files } = (await office.call("getImportBundle", { params: { id } })).importBundle;
    await office.call("deleteImportFile", { params: { id, fileId: files[0]!.id } });
    await uploadFiles(office, id, csvFile("owners.csv", lines[0]!, "O-3,Oda Owner,oda at example.org", "O-4,Olga Owner,olga@example.com"));
    await validateBundle(office, id);
    expect(summarize(await listAllCandidates(office, id))).toEqual([
      ["O-3", "invalid", null],
      ["O-4", "ready_create", null],
    ]);
  });

  test("on rows without source ids are kept when a mapping is corrected, and when the file is uploaded again", async () => {
    const { id } = await createBundle(office, "appfolio");
    const [file] = await uploadFiles(office, id, rentRoll);
    await validateBundle(office, id);
    const tenants = await listAllCandidates(office, id, { entityType: "tenant" });
    await resolve(id, findByName(tenants, "Alex Sample"), { action: "exclude" });
    await resolve(id, findByName(tenants, "Olga Other"), { action: "edit", data: { email: "olga@example.com" } });
    await office.call("updateImportFile", { params: { id, fileId: file!.id }, body: { mapping: { "Lease To": null } } });
    const validateAndExpectDecisions = async () => {
      await validateBundle(office, id);
      const all = await listAllCandidates(office, id, { entityType: "tenant" });
      expect(all.map(({ displayName, decision, data }) => [displayName, decision, data["email"]])).toEqual([
        ["Sam Sample", null, undefined],
        ["Alex Sample", "exclude", undefined],
        ["Olga Other", null, "olga@example.com"],
      ]);
      expect((await listAllCandidates(office, id, { entityType: "lease" })).map(({ data }) => data["term_type"])).toEqual(["month_to_month", "month_to_month"]);
    };
    await validateAndExpectDecisions();
    await office.call("deleteImportFile", { params: { id, fileId: file!.id } });
    const [uploaded] = await uploadFiles(office, id, rentRoll);
    await office.call("updateImportFile", { params: { id, fileId: uploaded!.id }, body: { mapping: { "Lease To": null } } });
    await validateAndExpectDecisions();
  });

  test("are dropped when the chosen record was imported and is deleted", async () => {
    const newOffice = await anOffice();
    const tenants = (sourceId: string) => csvFile("tenants.csv", "source_id,full_name", `${sourceId},Tess Tenant`);
    const { id: earlierId } = await createReadyBundle(newOffice, "generic", tenants("T-1"));
    await newOffice.call("startImportBundle", { params: { id: earlierId } });
    await waitForBundle(newOffice, earlierId, "completed");
    const [tenant] = (await newOffice.call("listTenants")).tenants;
    const { id } = await createReadyBundle(newOffice, "generic", tenants("T-2"));
    const [candidate] = await listAllCandidates(newOffice, id);
    const match = () =>
      newOffice.attempt("resolveImportCandidate", { params: { id, candidateId: candidate!.id }, body: { action: "match", entityId: tenant!.id } });
    expect((await match()).status).toBe(200);
    await newOffice.call("deleteTenant", { params: { id: tenant!.id } });
    await validateBundle(newOffice, id);
    expect(await listAllCandidates(newOffice, id)).toMatchObject([{ decision: null, chosenEntityId: null }]);
    const { status, body } = await newOffice.attempt("resolveImportCandidate", {
      params: { id, candidateId: (await listAllCandidates(newOffice, id))[0]!.id },
      body: { action: "match", entityId: tenant!.id },
    });
    expect([status, body.errors]).toMatchObject([400, [{ path: "entityId" }]]);
  });

  test("are dropped when the chosen record is deleted", async () => {
    const newOffice = await anOffice();
    const createTenant = async (fullName: string) => (await newOffice.call("createTenant", { body: { fullName, email: `${fullName}@example.com` } })).tenant.id;
    const [remainingTenantId, deletedTenantId] = [await createTenant("remaining"), await createTenant("deleted")];
    const { id } = await createBundle(newOffice);
    await uploadFiles(newOffice, id, csvFile("tenants.csv", "source_id,full_name", "T-1,Tenant One", "T-2,Tenant Two"));
    await validateBundle(newOffice, id);
    const [first, second] = (await listAllCandidates(newOffice, id)) as [Candidate, Candidate];
    await newOffice.call("resolveImportCandidate", { params: { id, candidateId: first.id }, body: { action: "match", entityId: remainingTenantId } });
    await newOffice.call("resolveImportCandidate", { params: { id, candidateId: second.id }, body: { action: "match", entityId: deletedTenantId } });
    await newOffice.call("deleteTenant", { params: { id: deletedTenantId } });
    await validateBundle(newOffice, id);
    expect((await listAllCandidates(newOffice, id)).map(({ status, decision, chosenEntityId }) => [status, decision, chosenEntityId])).toEqual([
      ["ready_update", "match", remainingTenantId],
      ["ready_create", null, null],
    ]);
  });
});
