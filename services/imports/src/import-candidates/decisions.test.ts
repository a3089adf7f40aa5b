import { describe, expect, test } from "@jest/globals";
import type { Candidate, importBundles } from "@freehold/contract/import-bundles";
import type { BodyOf } from "@freehold/contract/operation";
import { anOffice } from "../../../../test/office.ts";
import { aBundle, aFile, candidatesOf, upload, validated } from "../../test/bundles.ts";

const office = await anOffice();
const owners = aFile(
  "owners.csv",
  "source_id,full_name,email",
  "O-1,Olga Owner,olga@example.com",
  "O-2,Otto Owner,otto@example.com",
  "O-3,Oda Owner,oda at example",
);
/** Rows without ids: their place in the file tells them. */
const roll = aFile(
  "rent_roll.csv",
  "Property,Unit,Tenant,Status,Rent,Lease From,Lease To,Contact",
  'Maple Court,101,"Sample, Sam & Sample, Alex",Current,"1,495.00",01/01/2026,12/31/2026,one',
  'Maple Court,102,"Other, Olga",Current,"1,300.00",01/01/2026,12/31/2026,two',
);
type Resolution = BodyOf<(typeof importBundles)["operations"]["resolveImportCandidate"]>;
const brief = (all: readonly Candidate[]) => all.map(({ sourceId, status, decision }) => [sourceId, status, decision]);
const named = (all: readonly Candidate[], name: string) => all.find(({ displayName }) => displayName === name)!;
const resolve = (id: string, candidate: Candidate, body: Resolution) =>
  office.call("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body });

/** A bundle whose owners somebody has decided over: one stays out, one is new in any case, one was set right. */
async function decided(...files: File[]) {
  const { id } = await aBundle(office);
  await upload(office, id, ...files);
  await validated(office, id);
  const [one, two, three] = (await candidatesOf(office, id, { entityType: "owner" })) as [Candidate, Candidate, Candidate];
  await resolve(id, one, { action: "exclude" });
  await resolve(id, two, { action: "create" });
  await resolve(id, three, { action: "edit", data: { email: "oda@example.com" } });
  return id;
}

describe("what was decided over candidates", () => {
  test("stays when another file comes and the bundle is validated anew, as often as that happens", async () => {
    const id = await decided(owners);
    await upload(office, id, aFile("vendors.csv", "source_id,name", "V-1,Pipes & Co"));
    for (let time = 0; time < 2; time++) {
      const { counts } = await validated(office, id);
      const all = await candidatesOf(office, id);
      expect(brief(all)).toEqual([
        ["O-1", "excluded", "exclude"],
        ["O-2", "ready_create", "create"],
        ["O-3", "ready_create", null],
        ["V-1", "ready_create", null],
      ]);
      expect(all[2]!.data).toMatchObject({ email: "oda@example.com" });
      expect(counts).toMatchObject({ excluded: 1, ready_create: 3 });
    }
    const edited = named(await candidatesOf(office, id), "Oda Owner");
    const { candidate } = await resolve(id, edited, { action: "reset" });
    expect([candidate.status, candidate.errors[0]?.path]).toEqual(["invalid", "email"]);
  });

  test("goes along when the same rows come in another file, and an edit ends where its row says something else", async () => {
    const id = await decided(owners);
    const { importBundle } = await office.call("getImportBundle", { params: { id } });
    await office.call("deleteImportFile", { params: { id, fileId: importBundle.files[0]!.id } });
    const again = ["source_id,full_name,email", "O-2,Otto Owner,otto@example.org", "O-3,Oda Owner,oda at example", "O-1,Olga Owner,olga@example.com"];
    await upload(office, id, aFile("owners.csv", ...again));
    await validated(office, id);
    expect(brief(await candidatesOf(office, id))).toEqual([
      ["O-2", "ready_create", "create"],
      ["O-3", "ready_create", null],
      ["O-1", "excluded", "exclude"],
    ]);
    const { files } = (await office.call("getImportBundle", { params: { id } })).importBundle;
    await office.call("deleteImportFile", { params: { id, fileId: files[0]!.id } });
    await upload(office, id, aFile("owners.csv", again[0]!, "O-3,Oda Owner,oda at example.org", "O-4,Olga Owner,olga@example.com"));
    await validated(office, id);
    expect(brief(await candidatesOf(office, id))).toEqual([
      ["O-3", "invalid", null],
      ["O-4", "ready_create", null],
    ]);
  });

  test("stays with the row of a file that has no ids when a mapping is corrected, and when the file is sent again", async () => {
    const { id } = await aBundle(office, "appfolio");
    const [file] = await upload(office, id, roll);
    await validated(office, id);
    const tenants = await candidatesOf(office, id, { entityType: "tenant" });
    await resolve(id, named(tenants, "Alex Sample"), { action: "exclude" });
    await resolve(id, named(tenants, "Olga Other"), { action: "edit", data: { email: "olga@example.com" } });
    await office.call("updateImportFile", { params: { id, fileId: file!.id }, body: { mapping: { "Lease To": null } } });
    const holds = async () => {
      await validated(office, id);
      const all = await candidatesOf(office, id, { entityType: "tenant" });
      expect(all.map(({ displayName, decision, data }) => [displayName, decision, data["email"]])).toEqual([
        ["Sam Sample", null, undefined],
        ["Alex Sample", "exclude", undefined],
        ["Olga Other", null, "olga@example.com"],
      ]);
      expect((await candidatesOf(office, id, { entityType: "lease" })).map(({ data }) => data["term_type"])).toEqual(["month_to_month", "month_to_month"]);
    };
    await holds();
    await office.call("deleteImportFile", { params: { id, fileId: file!.id } });
    const [sent] = await upload(office, id, roll);
    await office.call("updateImportFile", { params: { id, fileId: sent!.id }, body: { mapping: { "Lease To": null } } });
    await holds();
  });

  test("is let go of where the chosen record is gone", async () => {
    const own = await anOffice();
    const make = async (fullName: string) => (await own.call("createTenant", { body: { fullName, email: `${fullName}@example.com` } })).tenant.id;
    const [stays, goes] = [await make("stays"), await make("goes")];
    const { id } = await aBundle(own);
    await upload(own, id, aFile("tenants.csv", "source_id,full_name", "T-1,One Of Them", "T-2,Another Of Them"));
    await validated(own, id);
    const [first, second] = (await candidatesOf(own, id)) as [Candidate, Candidate];
    await own.call("resolveImportCandidate", { params: { id, candidateId: first.id }, body: { action: "match", entityId: stays } });
    await own.call("resolveImportCandidate", { params: { id, candidateId: second.id }, body: { action: "match", entityId: goes } });
    await own.call("deleteTenant", { params: { id: goes } });
    await validated(own, id);
    expect((await candidatesOf(own, id)).map(({ status, decision, chosenEntityId }) => [status, decision, chosenEntityId])).toEqual([
      ["ready_update", "match", stays],
      ["ready_create", null, null],
    ]);
  });
});
