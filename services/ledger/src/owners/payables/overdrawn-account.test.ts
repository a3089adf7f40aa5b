/** Payouts from a bank account that holds less than its owners are owed, because money was returned after it had been paid out. */
import { describe, expect, test } from "@jest/globals";
import type { Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import { anExpense } from "../../payables/payables.fixtures.ts";
import { aReceipt } from "../../trust/security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { anOwnedProperty, aPayee, aPayingOffice, approvePayouts, contribute, draftPayouts, payBill, payoutsOf, payPayout } from "../owners.fixtures.ts";

const FEBRUARY = { periodEnd: "2026-02-28" };

/** Pays out the rent of January of a property, and has the bank return it on February 10 with `bounce`. */
async function aPaidOutRent(terms: { annBps?: number }) {
  const paying = await aPayingOffice(terms);
  const { office, leaseId } = paying;
  const payouts = await draftPayouts(office);
  await approvePayouts(office, payouts);
  for (const payout of payouts) expect((await payPayout(office, payout)).status).toBe(200);
  const [payment] = (await office.call("listPayments", { query: { leaseId } })).payments;
  const bounce = () => office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "nsf", reversedAt: "2026-02-10T17:00:00.000Z" } });
  return { ...paying, bounce };
}

const pay = (office: Office, { id }: { id: string }) => office.attempt("payOwnerPayable", { params: { id }, body: { paidAt: "2026-03-02T17:00:00.000Z" } });
const bookOf = async (office: Office, id: string) => (await office.call("getBankAccount", { params: { id } })).balances.bookCents;

/** Cat has 1,500.00 in an account in which Ann owes 1,000.00, besides the money that `add` puts there. */
async function aDebtBesides(add: (paid: Awaited<ReturnType<typeof aPaidOutRent>>, cat: Awaited<ReturnType<typeof anOwnedProperty>>) => Promise<unknown>) {
  const { bounce, ...paid } = await aPaidOutRent({ annBps: 10_000 });
  const cat = await aPayee(paid.office, "Cat");
  const owned = await anOwnedProperty(paid.office, { rentCents: 150_000, shares: { [cat]: 10_000 } }, paid.bankAccountId);
  await add({ ...paid, bounce }, owned);
  const [draft] = await draftPayouts(paid.office, FEBRUARY);
  await approvePayouts(paid.office, [draft!]);
  await bounce();
  return { ...paid, cat, draft: draft! };
}

describe("payouts from an account in which an owner owes money pay the other owners no money of others", () => {
  test.each([
    [
      "a tenant's deposit",
      async ({ office, bankAccountId }: Awaited<ReturnType<typeof aPaidOutRent>>, { leaseId }: { leaseId: string }) => {
        const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId, requiredCents: 100_000, chargeTenant: false } });
        await office.call("recordSecurityDepositReceipt", { params: { id: securityDeposit.id }, body: aReceipt(100_000, bankAccountId) });
      },
    ],
    [
      "prepaid rent",
      async ({ office, bankAccountId }: Awaited<ReturnType<typeof aPaidOutRent>>, tenancy: { tenantId: string; leaseId: string }) => {
        const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
        await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-02", paymentIds: [payment.id] } });
      },
    ],
    [
      "the company's own money",
      async ({ office, bankAccountId }: Awaited<ReturnType<typeof aPaidOutRent>>) => {
        const business = await aBankAccount(office, "business", { openingBalanceCents: 100_000 });
        const body = { fromBankAccountId: business, toBankAccountId: bankAccountId, amountCents: 100_000, occurredAt: "2026-02-02T17:00:00.000Z" };
        await office.call("createTransfer", { body });
      },
    ],
  ])("such as %s", async (_, add) => {
    const { office, cat, bankAccountId, draft } = await aDebtBesides(add);
    expect([draft.amountCents, await bookOf(office, bankAccountId)]).toEqual([150_000, 150_000]);
    const refused = await pay(office, draft);
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      "insufficient_trust_funds",
      expect.stringContaining("would lack 100000 cents of the money of its owners"),
    ]);
    await office.call("voidOwnerPayable", { params: { id: draft.id }, body: {} });
    const again = await draftPayouts(office, FEBRUARY);
    expect(again.map(({ ownerId, amountCents }) => [ownerId, amountCents])).toEqual([[cat, 50_000]]);
    await approvePayouts(office, again);
    expect([(await pay(office, again[0]!)).status, await bookOf(office, bankAccountId)]).toEqual([200, 100_000]);
  });
});

describe("payouts from an account in which an owner of a property owes money", () => {
  /** Ann owes 1,000.00 at one property and has 600.00 at another one, Ben has 500.00: the account holds 100.00. */
  async function anOverdrawnOwner() {
    const { bounce, ...paid } = await aPaidOutRent({ annBps: 10_000 });
    const { office, ann, ben, bankAccountId } = paid;
    const { propertyId: otherId } = await anOwnedProperty(office, { rentCents: 60_000, shares: { [ann]: 10_000 } }, bankAccountId);
    await anOwnedProperty(office, { rentCents: 50_000, shares: { [ben]: 10_000 } }, bankAccountId);
    const drafts = await draftPayouts(office, FEBRUARY);
    await approvePayouts(office, drafts);
    await bounce();
    const draftOf = (ownerId: string) => drafts.find((draft) => draft.ownerId === ownerId)!;
    return { ...paid, otherId, drafts, draftOf };
  }

  test("are refused for that owner at another property, and for others beyond what the account holds", async () => {
    const { office, ann, ben, propertyId, bankAccountId, drafts, draftOf } = await anOverdrawnOwner();
    expect(new Set(drafts.map(({ amountCents }) => amountCents))).toEqual(new Set([50_000, 60_000]));
    const refused = [await pay(office, draftOf(ann)), await pay(office, draftOf(ben))];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([409, "insufficient_trust_funds"]));
    expect(refused.map(({ body }) => body.message)).toEqual([
      expect.stringContaining("Ann owes money at another property in the bank account"),
      expect.stringContaining("would lack 40000 cents of the money of its owners"),
    ]);
    expect(await bookOf(office, bankAccountId)).toBe(10_000);
    // Once Ann has paid what she owes, all are paid.
    expect((await contribute(office, ann, propertyId, bankAccountId, 100_000)).status).toBe(200);
    expect([(await pay(office, draftOf(ann))).status, (await pay(office, draftOf(ben))).status]).toEqual([200, 200]);
  });

  test("are drafted for no more than can be paid, with a term for it", async () => {
    const { office, ann, ben, bankAccountId, otherId, drafts } = await anOverdrawnOwner();
    for (const { id } of drafts) await office.call("voidOwnerPayable", { params: { id }, body: {} });
    const { preview } = await office.call("previewOwnerPayables", { body: FEBRUARY });
    expect(
      preview.lines.map(({ ownerId, amountCents, calculation }) => [
        ownerId,
        amountCents,
        calculation.find(({ key }) => key === "account_shortage")?.amountCents,
      ]),
    ).toEqual([[ben, 10_000, -40_000]]);
    expect(preview.skipped).toContainEqual({ ownerId: ann, propertyId: otherId, reason: "negative", availableCents: 60_000 });
    // The debt counts also when the property where it is is not paid out.
    expect(await payoutsOf(office, { ...FEBRUARY, propertyIds: [otherId] })).toEqual({});
    const [draft] = await draftPayouts(office, FEBRUARY);
    // A drafted payout is promised.
    expect(await payoutsOf(office, FEBRUARY)).toEqual({});
    await approvePayouts(office, [draft!]);
    expect([(await pay(office, draft!)).status, await bookOf(office, bankAccountId)]).toEqual([200, 0]);
  });
});

test("co-owners who owe money at a property are paid at others what is left to each of them in the account", async () => {
  const { office, ann, ben, bankAccountId, bounce } = await aPaidOutRent({});
  await anOwnedProperty(office, { rentCents: 80_000, shares: { [ann]: 5_000, [ben]: 5_000 } }, bankAccountId);
  await anOwnedProperty(office, { rentCents: 100_000, shares: { [ann]: 10_000 } }, bankAccountId);
  await bounce();
  // Each owes 500.00 and has 400.00, and Ann another 1,000.00; the account holds 800.00.
  const drafts = await draftPayouts(office, FEBRUARY);
  expect([new Set(drafts.map(({ ownerId }) => ownerId)), drafts.reduce((sum, { amountCents }) => sum + amountCents, 0)]).toEqual([new Set([ann]), 80_000]);
  await approvePayouts(office, drafts);
  for (const draft of drafts) expect((await pay(office, draft)).status).toBe(200);
  expect(await bookOf(office, bankAccountId)).toBe(0);
});

test("a draft whose money was returned since promises none of the money of other owners", async () => {
  const { office, ann, bankAccountId, leaseId } = await aPayingOffice({ annBps: 10_000 });
  const cat = await aPayee(office, "Cat");
  await anOwnedProperty(office, { rentCents: 60_000, shares: { [cat]: 10_000 } }, bankAccountId);
  const [dead] = await draftPayouts(office, { ownerIds: [ann] });
  await approvePayouts(office, [dead!]);
  const [payment] = (await office.call("listPayments", { query: { leaseId } })).payments;
  await office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "nsf", reversedAt: "2026-02-10T17:00:00.000Z" } });
  expect(dead!.amountCents).toBe(100_000);
  const drafts = await draftPayouts(office, FEBRUARY);
  expect(drafts.map(({ ownerId, amountCents }) => [ownerId, amountCents])).toEqual([[cat, 60_000]]);
  await approvePayouts(office, drafts);
  expect([(await pay(office, drafts[0]!)).status, (await pay(office, dead!)).status, await bookOf(office, bankAccountId)]).toEqual([200, 409, 0]);
});

test("payouts of owners who owe money elsewhere are not refused for the odd cent of their parts, and take it once", async () => {
  const { office, ann, ben, bankAccountId, ...property } = await aPayingOffice({ annBps: 6_000, rentCents: 6_998 });
  const other = await anOwnedProperty(office, { rentCents: 1, shares: { [ann]: 5_000, [ben]: 5_000 } }, bankAccountId);
  const { propertyId } = property;
  for (const cents of [7_878, 4_702]) {
    const allocations = [{ chargeId: await aCharge(office, property.leaseId, cents, "2026-01-06"), amountCents: cents }];
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(property, cents), allocations } });
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-08", paymentIds: [payment.id] } });
  }
  const places = { fromBankAccountId: bankAccountId, toBankAccountId: await aBankAccount(office, "reserve"), occurredAt: "2026-01-10T17:00:00.000Z" };
  await office.call("createTransfer", { body: { ...places, amountCents: 343, allocations: [{ propertyId, amountCents: 343 }] } });
  for (const cents of [512, 337]) await payBill(office, bankAccountId, (await anExpense(office, propertyId, cents)).id, cents);
  const fee = { kind: "bank_fee" as const, amountCents: 223, occurredOn: "2026-01-21", propertyId: other.propertyId };
  await office.call("createBankAdjustment", { params: { id: bankAccountId }, body: fee });
  const drafts = await draftPayouts(office, { bankAccountId });
  await approvePayouts(office, drafts);
  for (const draft of drafts) expect((await payPayout(office, draft)).status).toBe(200);
  expect([await bookOf(office, bankAccountId), await payoutsOf(office, { bankAccountId })]).toEqual([0, {}]);
});
