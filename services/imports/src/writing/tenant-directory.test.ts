/** AppFolio's tenant directory: everybody who lives on a lease of the rent roll, or guarantees it. */
import { describe, expect, test } from "@jest/globals";
import type { Candidate, ImportBundle } from "@freehold/contract/imports/import-bundles";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, listAllCandidates, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { writeBundle } from "../../test/writing.ts";

const rentRoll = csvFile(
  "rent_roll.csv",
  "Unit,Tenant,Occupancy ID,Status,Rent,Lease From,Lease To",
  '"Birch Row - 40 Birch Ave Salem, OR 97301",,,,,,',
  '1,"Sample, Sam & Sample, Alex",9001,Current,"1,495.00",01/01/2026,12/31/2099',
  '2,"Newt, Nan",9003,Current,"1,200.00",01/01/2026,12/31/2099',
);
const directory = csvFile(
  "tenant_directory.csv",
  "Property Name,Unit,Tenant,Tenant ID,Occupancy ID,Status,Tenant Type,Email",
  'Birch Row,1,"Sample, Sam",501,9001,Current,Financially Responsible,sam@example.com',
  'Birch Row,1,"Sample, Alex",502,9001,Current,Financially Responsible,alex@example.com',
  'Birch Row,1,"Kid, Kim",503,9001,Current,Other Occupant,',
  'Birch Row,1,"Guar, Gus",504,9001,Current,Co-signer,gus@example.com',
  'Birch Row,1,"Gone, Gil",506,9001,Past,Financially Responsible,gil@example.com',
  'Birch Row,2,"Newt, Nan",505,9003,Current,Financially Responsible,nan@example.com',
  'Birch Row,2,"Past, Pete",507,9002,Past,Financially Responsible,',
  'Birch Row,2,"Futu, Fay",508,9004,Future,Financially Responsible,',
);
/** The directory has one person whose lease is not on the rent roll. */
const ONE_WITHOUT_LEASE = { invalid: 0, ambiguous: 0, blocked: 0, missing_source_data: 1 };

async function prepare(office: Office, ...files: File[]): Promise<ImportBundle> {
  const { id } = await createBundle(office, "appfolio", "directory");
  await uploadFiles(office, id, ...files);
  return validateBundle(office, id);
}
async function peopleOf(office: Office) {
  const { leases } = await office.call("listLeases", { query: { sortBy: "unitNumber", sortDirection: "asc" } as never });
  return leases.map(({ tenantName, occupants }) => [tenantName, ...occupants.map(({ fullName, role }) => `${fullName}: ${role}`).toSorted()]);
}
async function expectNothingNew(office: Office, ...bundles: File[][]): Promise<void> {
  for (const files of bundles) {
    const { id } = await prepare(office, ...files);
    const candidates = await listAllCandidates(office, id);
    const settled = ["unchanged", "duplicate_merged", "missing_source_data"];
    expect(candidates.filter(({ status }) => !settled.includes(status)).map(({ entityType, status, changes }) => [entityType, status, changes])).toEqual([]);
  }
}
const everybody = [
  ["Sam Sample", "Alex Sample: co_tenant", "Gus Guar: guarantor", "Kim Kid: occupant", "Sam Sample: primary"],
  ["Nan Newt", "Nan Newt: primary"],
];

test("the people of the directory live on the leases of the rent roll, in the roles of their types, and nobody twice", async () => {
  const office = await anOffice();
  const bundle = await prepare(office, rentRoll, directory);
  expect(bundle.counts).toMatchObject(ONE_WITHOUT_LEASE);
  expect(bundle.counts.byEntity["tenant"]).toEqual({ ready_create: 8, duplicate_merged: 3 });
  expect(bundle.counts.byEntity["occupant"]).toEqual({ ready_create: 3, duplicate_merged: 1, unchanged: 2, missing_source_data: 1 });
  await writeBundle(office, bundle.id);
  expect(await peopleOf(office)).toEqual(everybody);
  await expectNothingNew(office, [rentRoll, directory], [directory], [rentRoll]);
});

test("somebody whose lease is not imported lacks source data, and is among the failures", async () => {
  const office = await anOffice();
  const { id, counts } = await prepare(office, directory);
  expect(counts.byEntity).toEqual({ tenant: { ready_create: 8 }, occupant: { missing_source_data: 6 } });
  const [{ errors }] = (await listAllCandidates(office, id, { status: "missing_source_data" })) as [Candidate];
  expect(errors).toEqual([
    {
      path: "lease_source_id",
      code: "required",
      message:
        'There is no lease "9001" in the bundle or among the records imported under its namespace, so this person lives on no lease. ' +
        "Import the rent roll with this lease first, or both files in one bundle, or exclude the row.",
    },
  ]);
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed_with_errors" });
  expect(await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text()).toMatch(/no lease ""9004""/);
});

describe("the people of a directory are those of the rent roll", () => {
  const orders = {
    "when the directory is imported after it": [[rentRoll], [directory]],
    "when both are imported after it": [[rentRoll], [rentRoll, directory]],
    "when the directory is imported before it, and once more after it": [[directory], [rentRoll], [directory]],
  };
  test.each(Object.entries(orders))("%s", async (_, bundles) => {
    const office = await anOffice();
    for (const files of bundles) {
      const { id, counts } = await prepare(office, ...files);
      expect(counts).toMatchObject({ ambiguous: 0, blocked: 0, invalid: 0 });
      await writeBundle(office, id);
    }
    expect(await peopleOf(office)).toEqual(everybody);
    const { tenants } = await office.call("listTenants", { query: { search: "Sam Sample" } });
    expect(tenants).toMatchObject([{ email: "sam@example.com" }]);
    await expectNothingNew(office, [rentRoll, directory], [directory], [rentRoll]);
  });

  test("unless two people of the directory have one name in one unit", async () => {
    const office = await anOffice();
    await writeBundle(office, (await prepare(office, rentRoll)).id);
    const twoOfOneName = csvFile(
      "tenant_directory.csv",
      "Property Name,Unit,Tenant,Tenant ID,Occupancy ID,Status,Tenant Type,Email",
      'Birch Row,2,"Newt, Nan",505,9003,Current,Financially Responsible,nan@example.com',
      'Birch Row,2,"Newt, Nan",509,9003,Current,Other Occupant,',
    );
    expect((await prepare(office, twoOfOneName)).counts.byEntity["tenant"]).toEqual({ ambiguous: 2 });
  });
});

describe("two people of one name in one unit, with the rent roll in one bundle", () => {
  const DIRECTORY = "Property Name,Unit,Tenant,Tenant ID,Occupancy ID,Status,Tenant Type,Email";
  const directoryOf = (...lines: string[]) => csvFile("tenant_directory.csv", DIRECTORY, ...lines);
  const emailsOf = async (office: Office) => new Set((await office.call("listTenants", { query: { search: "Newt" } })).tenants.map(({ email }) => email));

  test.each([
    ["by the role", "9003,Current,Co-signer", ["Nan Newt: guarantor", "Nan Newt: primary"]],
    ["by the occupancy id", "8002,Past,Financially Responsible", ["Nan Newt: primary"]],
  ])("are told apart %s", async (_, other, people) => {
    const office = await anOffice();
    const namesakes = directoryOf(
      `Birch Row,2,"Newt, Nan",505,${other},other@example.com`,
      'Birch Row,2,"Newt, Nan",509,9003,Current,Financially Responsible,nan@example.com',
    );
    const { id, counts } = await prepare(office, rentRoll, namesakes);
    expect(counts).toMatchObject({ ambiguous: 0, invalid: 0, blocked: 0 });
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    expect(await emailsOf(office)).toEqual(new Set(["nan@example.com", "other@example.com"]));
    const { leases } = await office.call("listLeases", { query: { search: "Newt" } as never });
    const lease = leases.find(({ tenantName }) => tenantName === "Nan Newt")!;
    expect(lease.occupants.map(({ fullName, role }) => `${fullName}: ${role}`).toSorted()).toEqual(people);
    expect((await office.call("getTenant", { params: { id: lease.tenantId! } })).tenant.email).toBe("nan@example.com");
    await expectNothingNew(office, [rentRoll, namesakes], [namesakes], [rentRoll]);
  });

  test("need a decision when nothing tells them apart: the rent roll does not add a third person", async () => {
    const office = await anOffice();
    const namesakes = directoryOf(
      'Birch Row,2,"Newt, Nan",505,9003,Current,Financially Responsible,other@example.com',
      'Birch Row,2,"Newt, Nan",509,9003,Current,Financially Responsible,nan@example.com',
    );
    const { id } = await prepare(office, rentRoll, namesakes);
    const candidates = await listAllCandidates(office, id);
    const statusOf = (entityType: string, sourceId: RegExp) =>
      candidates.flatMap((each) => (each.entityType === entityType && sourceId.test(each.sourceId ?? "") ? [each.status] : []));
    expect(statusOf("tenant", /^~nan newt/)).toEqual(["ambiguous"]);
    expect(statusOf("tenant", /^50[59]$/)).toEqual(["ready_create", "ready_create"]);
    expect(statusOf("lease", /^9003$/)).toEqual(["blocked"]);
  });

  test("are two people on the lease once each has a decision, and nobody is added twice by the next import", async () => {
    const office = await anOffice();
    await writeBundle(office, (await prepare(office, rentRoll)).id);
    const namesakes = directoryOf(
      'Birch Row,2,"Newt, Nan",505,9003,Current,Financially Responsible,nan@example.com',
      'Birch Row,2,"Newt, Nan",509,9003,Current,Co-signer,other@example.com',
    );
    const { id } = await prepare(office, namesakes);
    const resolve = async (sourceId: string, decide: (person: Candidate) => { action: "create" } | { action: "match"; entityId: string }) => {
      const person = (await listAllCandidates(office, id, { entityType: "tenant" })).find((each) => each.sourceId === sourceId)!;
      await office.call("resolveImportCandidate", { params: { id, candidateId: person.id }, body: decide(person) });
    };
    await resolve("505", ({ matches }) => ({ action: "match", entityId: matches[0]!.entityId }));
    await resolve("509", () => ({ action: "create" }));
    const occupants = await listAllCandidates(office, id, { entityType: "occupant" });
    expect(occupants.map(({ sourceId, status }) => [sourceId, status])).toEqual([
      ["~9003/505", "unchanged"],
      ["~9003/509", "ready_create"],
    ]);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    expect(await peopleOf(office)).toContainEqual(["Nan Newt", "Nan Newt: guarantor", "Nan Newt: primary"]);
    await expectNothingNew(office, [rentRoll, namesakes], [namesakes], [rentRoll]);
  });
});
