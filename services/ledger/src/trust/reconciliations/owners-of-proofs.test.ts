import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { anOwner, anOwnedProperty } from "../../owners/owners.fixtures.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, clearAmounts } from "./reconciliations.fixtures.ts";

/** A pooled account with 1,000 of Olga's property, which she sells to Otto in February, and 500 of a property of both. */
async function aPooledAccount() {
  const office = await anOffice();
  const [olga, otto, bankAccountId] = [await anOwner(office), await anOwner(office, "Otto Other"), await aBankAccount(office)];
  const sold = await anOwnedProperty(office, { rentCents: 1_000, shares: { [olga]: 10_000 } }, bankAccountId);
  const body = { effectiveDate: "2026-02-01", shares: [{ ownerId: otto, shareBps: 10_000 }] };
  await office.call("replaceOwnership", { params: { id: sold.propertyId }, body });
  const shared = await anOwnedProperty(office, { rentCents: 500, shares: { [olga]: 5_000, [otto]: 5_000 } }, bankAccountId);
  return { office, olga, otto, bankAccountId, sold: sold.propertyId, shared: shared.propertyId };
}

test("a sub-ledger names the owner of a property that has had no other one up to the day", async () => {
  const { office, olga, bankAccountId, sold, shared } = await aPooledAccount();
  const ownersOn = async (asOf: string) => {
    const { subLedgers } = await office.call("listSubLedgers", { params: { id: bankAccountId }, query: { asOf } });
    return Object.fromEntries(subLedgers.map(({ propertyId, ownerId }) => [propertyId, ownerId]));
  };
  expect(await ownersOn("2026-01-31")).toEqual({ [sold]: olga, [shared]: null });
  // Of the money that is left, some may be what the seller has earned.
  expect(await ownersOn("2026-02-01")).toEqual({ [sold]: null, [shared]: null });
});

test("a proof names the only owner that a property has had up to the end of the statement, also when it is stored and printed", async () => {
  const { office, olga, bankAccountId, sold, shared } = await aPooledAccount();
  const id = await aDraft(office, bankAccountId, 1_500);
  const beneficiaries = [
    { kind: "owner", id: shared, propertyId: shared, propertyName: "Elm Street 1", name: "Elm Street 1", balanceCents: 500 },
    { kind: "owner", id: olga, propertyId: sold, propertyName: "Elm Street 1", name: "Olga Owner", balanceCents: 1_000 },
  ];
  const cleared = await clearAmounts(office, id, 1_000, 500);
  expect(cleared.threeWay).toMatchObject({ isBalanced: true, byBeneficiary: beneficiaries });
  const { reconciliation } = await office.call("finalizeReconciliation", { params: { id }, body: {} });
  expect(reconciliation.threeWay!.byBeneficiary).toEqual(beneficiaries);
  await office.call("updateOwner", { params: { id: olga }, body: { fullName: "Olga Renamed" } });
  expect((await office.call("getReconciliation", { params: { id } })).reconciliation.threeWay!.byBeneficiary).toEqual(beneficiaries);
  const pdf = Buffer.from(await (await office.raw("GET", `/api/trust/reconciliations/${id}/report?format=pdf`)).arrayBuffer());
  const text = pageTexts(pdf).join(" ");
  for (const part of ["Owners: Olga Owner, Elm Street 1", "Owners: Elm Street 1"]) expect(text).toContain(part);
});
