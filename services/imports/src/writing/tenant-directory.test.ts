/** AppFolio's tenant directory: everybody who lives on a lease of the rent roll, or guarantees it. */
import { expect, test } from "@jest/globals";
import type { ImportBundle } from "@freehold/contract/imports/import-bundles";
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
const NO_ERRORS = { invalid: 0, ambiguous: 0, blocked: 0, missing_source_data: 0 };

async function prepare(office: Office, ...files: File[]): Promise<ImportBundle> {
  const { id } = await createBundle(office, "appfolio", "directory");
  await uploadFiles(office, id, ...files);
  return validateBundle(office, id);
}
async function peopleOf(office: Office) {
  const { leases } = await office.call("listLeases", { query: { sortBy: "unitNumber", sortDirection: "asc" } as never });
  return leases.map(({ tenantName, occupants }) => [tenantName, ...occupants.map(({ fullName, role }) => `${fullName}: ${role}`).toSorted()]);
}
const everybody = [
  ["Sam Sample", "Alex Sample: co_tenant", "Gus Guar: guarantor", "Kim Kid: occupant", "Sam Sample: primary"],
  ["Nan Newt", "Nan Newt: primary"],
];

test("the people of the directory live on the leases of the rent roll, in the roles of their types, and nobody twice", async () => {
  const office = await anOffice();
  const bundle = await prepare(office, rentRoll, directory);
  expect(bundle.counts).toMatchObject(NO_ERRORS);
  expect(bundle.counts.byEntity["tenant"]).toEqual({ ready_create: 8, duplicate_merged: 3 });
  expect(bundle.counts.byEntity["occupant"]).toEqual({ ready_create: 3, duplicate_merged: 1, unchanged: 3 });
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  expect(await peopleOf(office)).toEqual(everybody);
  for (const files of [[rentRoll, directory], [directory], [rentRoll]])
    expect((await prepare(office, ...files)).counts).toMatchObject({ ...NO_ERRORS, ready_create: 0, ready_update: 0 });
});

test("a directory that is imported after the rent roll adds those whom the rent roll does not name", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepare(office, rentRoll)).id);
  const { id } = await prepare(office, directory);
  for (const { id: candidateId, matches } of await listAllCandidates(office, id, { status: "ambiguous" }))
    await office.call("resolveImportCandidate", { params: { id, candidateId }, body: { action: "match", entityId: matches[0]!.entityId } });
  const { importBundle } = await office.call("getImportBundle", { params: { id } });
  expect(importBundle.counts).toMatchObject(NO_ERRORS);
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  expect(await peopleOf(office)).toEqual(everybody);
});
