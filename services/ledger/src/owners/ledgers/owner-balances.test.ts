import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aContribution, anOwnedProperty, anOwner, ownerLedgerOf } from "../owners.fixtures.ts";

test("the balance of an owner is that of the owner's ledger, in the record and in lists, and keeps the owner from being deleted", async () => {
  const office = await anOffice();
  const [ada, ben, cy] = [await anOwner(office, "Ada"), await anOwner(office, "Ben"), await anOwner(office, "Cy")];
  const { propertyId, bankAccountId } = await anOwnedProperty(office, { rentCents: 100_001, shares: { [ada]: 6_000, [ben]: 4_000 } });
  await anOwnedProperty(office, { rentCents: 500, shares: { [cy]: 10_000 } }, bankAccountId);
  await office.call("createOwnerContribution", { params: { id: ben }, body: aContribution(propertyId, bankAccountId, 30_000) });
  const balances = { [ada]: 60_001, [ben]: 70_000, [cy]: 500 };

  for (const [id, balanceCents] of Object.entries(balances)) {
    expect((await office.call("getOwner", { params: { id } })).owner.balanceCents).toBe(balanceCents);
    expect((await ownerLedgerOf(office, id)).closing).toBe(balanceCents);
  }
  const list = async (query: Record<string, string>) => (await office.call("listOwners", { query })).owners.map(({ id, balanceCents }) => [id, balanceCents]);
  expect(Object.fromEntries(await list({}))).toEqual(balances);
  expect(await list({ sortBy: "balanceCents", sortDirection: "desc" })).toEqual([
    [ben, 70_000],
    [ada, 60_001],
    [cy, 500],
  ]);
  const without = await anOwner(office, "Dee");
  expect(await list({ hasBalance: "false" })).toEqual([[without, 0]]);

  const { propertyId: sold } = await anOwnedProperty(office, { rentCents: 900, shares: { [without]: 10_000 } }, bankAccountId);
  await office.call("replaceOwnership", { params: { id: sold }, body: { effectiveDate: "2026-02-01", shares: [{ ownerId: cy, shareBps: 10_000 }] } });
  const deletion = await office.attempt("deleteOwner", { params: { id: without } });
  expect([deletion.status, deletion.body.code, deletion.body.message]).toEqual([409, "resource_in_use", expect.stringContaining("balance")]);
});
