import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aContribution, anOwner, anOwnedProperty, aPayingOffice, aReturnedRent } from "../../owners/owners.fixtures.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, clearAmounts } from "./reconciliations.fixtures.ts";

const byText = (one: unknown[], other: unknown[]): number => (one.join(" ") < other.join(" ") ? -1 : 1);

/** Returns the money of owners in a bank account as `[propertyId, ownerId, cents]`. */
async function moneyOf(office: Office, id: string, asOf = "2026-01-31") {
  const { subLedgers } = await office.call("listSubLedgers", { params: { id }, query: { asOf } });
  return subLedgers.map(({ propertyId, ownerId, balanceCents }) => [propertyId, ownerId, balanceCents]).toSorted(byText);
}

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

test("sub-ledgers name each owner of a property that has had several ones up to the day, with the money of the own ledger", async () => {
  const { office, olga, otto, bankAccountId, sold, shared } = await aPooledAccount();
  expect(await moneyOf(office, bankAccountId, "2026-01-31")).toEqual([[sold, olga, 1_000], ...[olga, otto].map((id) => [shared, id, 250])].toSorted(byText));
  // Olga has earned the rent of January before she sold the property.
  expect(await moneyOf(office, bankAccountId, "2026-02-01")).toEqual([[sold, olga, 1_000], ...[olga, otto].map((id) => [shared, id, 250])].toSorted(byText));
});

test("a proof names each owner of the money at the end of the statement, also when it is stored and printed", async () => {
  const { office, olga, otto, bankAccountId, sold, shared } = await aPooledAccount();
  const id = await aDraft(office, bankAccountId, 1_500);
  const owner = (propertyId: string, ownerId: string, name: string, balanceCents: number) => ({
    kind: "owner",
    id: ownerId,
    propertyId,
    propertyName: "Elm Street 1",
    name,
    balanceCents,
  });
  const beneficiaries = [owner(sold, olga, "Olga Owner", 1_000), owner(shared, olga, "Olga Owner", 250), owner(shared, otto, "Otto Other", 250)];
  const cleared = await clearAmounts(office, id, 1_000, 500);
  expect(cleared.threeWay).toMatchObject({ isBalanced: true, liabilityCents: 1_500 });
  expect(cleared.threeWay!.byBeneficiary).toHaveLength(3);
  expect(cleared.threeWay!.byBeneficiary).toEqual(expect.arrayContaining(beneficiaries));
  const { reconciliation } = await office.call("finalizeReconciliation", { params: { id }, body: {} });
  expect(reconciliation.threeWay!.byBeneficiary).toEqual(cleared.threeWay!.byBeneficiary);
  await office.call("updateOwner", { params: { id: olga }, body: { fullName: "Olga Renamed" } });
  expect((await office.call("getReconciliation", { params: { id } })).reconciliation.threeWay!.byBeneficiary).toEqual(cleared.threeWay!.byBeneficiary);
  const pdf = Buffer.from(await (await office.raw("GET", `/api/trust/reconciliations/${id}/report?format=pdf`)).arrayBuffer());
  const text = pageTexts(pdf).join(" ");
  for (const part of ["Owners: Olga Owner, Elm Street 1", "Owners: Otto Other, Elm Street 1"]) expect(text).toContain(part);
});

test("a proof in which the money of a buyer covers what the seller owes does not balance, and its variance must be acknowledged", async () => {
  const { office, ann, cat, propertyId, bankAccountId } = await aReturnedRent();
  expect(await moneyOf(office, bankAccountId, "2026-02-28")).toEqual(
    [
      [propertyId, ann, -100_000],
      [propertyId, cat, 100_000],
    ].toSorted(byText),
  );
  const { totalCents, differenceCents } = await office.call("listSubLedgers", { params: { id: bankAccountId }, query: { asOf: "2026-02-28" } });
  expect([totalCents, differenceCents]).toEqual([0, 0]);
  const id = await aDraft(office, bankAccountId, 0, "2026-02-28");
  const { threeWay } = await clearAmounts(office, id, 100_000, -100_000);
  expect(threeWay).toMatchObject({ bookCents: 0, liabilityCents: 100_000, isBalanced: false });
  const refused = await office.attempt("finalizeReconciliation", { params: { id }, body: {} });
  expect([refused.status, refused.body.code]).toEqual([409, "reconciliation_out_of_balance"]);
  const body = { acknowledgeThreeWayVariance: true, note: "Ann will pay her debt back." };
  expect((await office.attempt("finalizeReconciliation", { params: { id }, body })).status).toBe(200);
  await office.call("createOwnerContribution", {
    params: { id: ann },
    body: aContribution(propertyId, bankAccountId, 100_000, { receivedAt: "2026-03-02T17:00:00.000Z" }),
  });
  const march = await aDraft(office, bankAccountId, 100_000, "2026-03-31");
  expect((await clearAmounts(office, march, 100_000)).threeWay).toMatchObject({ liabilityCents: 100_000, isBalanced: true });
});

test("in several accounts, the money of each owner is what is left there, and money that the company has advanced names no owner", async () => {
  const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
  const [reserve, business] = [await aBankAccount(office, "reserve"), await aBankAccount(office, "business", { openingBalanceCents: 50_000 })];
  const transfer = (fromBankAccountId: string, toBankAccountId: string, amountCents: number, allocation: object = {}) =>
    office.call("createTransfer", {
      body: {
        fromBankAccountId,
        toBankAccountId,
        amountCents,
        occurredAt: "2026-01-10T17:00:00.000Z",
        allocations: [{ propertyId, amountCents, ...allocation }],
      },
    });
  const both = (annCents: number, benCents: number, ownerlessCents = 0) =>
    [[propertyId, ann, annCents], [propertyId, ben, benCents], ...(ownerlessCents ? [[propertyId, null, ownerlessCents]] : [])].toSorted(byText);
  await transfer(bankAccountId, reserve, 20_000);
  expect([await moneyOf(office, bankAccountId), await moneyOf(office, reserve)]).toEqual([both(40_000, 40_000), both(10_000, 10_000)]);
  await transfer(bankAccountId, reserve, 5_000, { ownerId: ann });
  expect([await moneyOf(office, bankAccountId), await moneyOf(office, reserve)]).toEqual([both(35_000, 40_000), both(15_000, 10_000)]);
  await transfer(business, bankAccountId, 7_000);
  expect(await moneyOf(office, bankAccountId)).toEqual(both(35_000, 40_000, 7_000));
  const id = await aDraft(office, reserve, 0);
  expect((await office.call("getReconciliation", { params: { id } })).reconciliation.threeWay).toMatchObject({ bookCents: 25_000, liabilityCents: 25_000 });
});
