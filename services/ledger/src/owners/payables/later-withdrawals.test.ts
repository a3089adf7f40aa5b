import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Office } from "../../../../../test/support/office.ts";
import { anExpense } from "../../payables/payables.fixtures.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { anOwnedProperty, aContribution, aPayee, aPayingOffice, approvePayouts, draftPayouts, payBill, payoutsOf } from "../owners.fixtures.ts";

const noonOn = (day: string) => `${day}T17:00:00.000Z`;

describe("money that a payment dated ahead will take", () => {
  const inDays = (days: number) => addDays(today("America/New_York"), days);

  /** Pays a bill of a property by a check that is dated in 20 days. */
  async function payLater(office: Office, propertyId: string, bankAccountId: string, amountCents: number, change: object = {}) {
    const bill = await anExpense(office, propertyId, amountCents, change);
    expect((await payBill(office, bankAccountId, bill.id, amountCents, noonOn(inDays(20)))).status).toBe(200);
  }

  const availableTo = async (office: Office, id: string, query: { asOf?: string } = {}) =>
    (await office.call("getOwnerBalance", { params: { id }, query })).balance.availableToPayCents;

  test("is available neither in the balance nor in a payout, which can be paid", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    await payLater(office, propertyId, bankAccountId, 70_000, { dueOn: inDays(25) });
    expect([await availableTo(office, ann), await payoutsOf(office)]).toEqual([30_000, { [ann]: 30_000 }]);
    const payouts = await draftPayouts(office, { periodEnd: inDays(0) });
    await approvePayouts(office, payouts);
    const paid = await office.attempt("payOwnerPayable", { params: { id: payouts[0]!.id }, body: { paidAt: noonOn(inDays(0)) } });
    expect([payouts.map(({ amountCents }) => amountCents), paid.status]).toEqual([[30_000], 200]);
    expect(await availableTo(office, ann)).toBe(0);
    // The balance of an earlier day is that of the day.
    expect(await availableTo(office, ann, { asOf: "2026-01-31" })).toBe(100_000);
  });

  test("counts once when the bill is due and unpaid as well, and not as far as money that arrives before covers it", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    await payLater(office, propertyId, bankAccountId, 70_000);
    expect(await availableTo(office, ann)).toBe(30_000);
    await payLater(office, propertyId, bankAccountId, 20_000, { dueOn: inDays(25) });
    expect(await availableTo(office, ann)).toBe(10_000);
    const body = aContribution(propertyId, bankAccountId, 15_000, { receivedAt: noonOn(inDays(10)) });
    await office.call("createOwnerContribution", { params: { id: ann }, body });
    expect(await availableTo(office, ann)).toBe(25_000);
  });

  test("is that of the owner who bears the bill, and of the account that pays it", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const reserve = await aBankAccount(office, "reserve");
    await payLater(office, propertyId, bankAccountId, 30_000, { ownerId: ann, dueOn: inDays(25) });
    expect([await availableTo(office, ann), await availableTo(office, ben)]).toEqual([20_000, 50_000]);
    expect(await payoutsOf(office, { bankAccountId })).toEqual({ [ann]: 20_000, [ben]: 50_000 });
    expect(await payoutsOf(office, { bankAccountId: reserve })).toEqual({});
  });
});

describe("money that was spent after the end of the period", () => {
  test("lowers the payout of its owner alone, and all payouts can be paid, together or one by one", async () => {
    const { office, ann, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    const cat = await aPayee(office, "Cat");
    const { propertyId } = await anOwnedProperty(office, { rentCents: 100_000, shares: { [cat]: 10_000 } }, bankAccountId);
    const bill = await anExpense(office, propertyId, 70_000, { incurredOn: "2026-02-05" });
    expect((await payBill(office, bankAccountId, bill.id, 70_000, noonOn("2026-02-05"))).status).toBe(200);
    const drafts = await draftPayouts(office);
    expect(Object.fromEntries(drafts.map(({ ownerId, amountCents }) => [ownerId, amountCents]))).toEqual({ [ann]: 100_000, [cat]: 30_000 });
    await approvePayouts(office, drafts);
    const body = { ids: drafts.map(({ id }) => id), paidAt: noonOn("2026-02-10") };
    expect((await office.attempt("payOwnerPayables", { body })).status).toBe(200);
    for (const { id } of drafts) await office.call("voidOwnerPayable", { params: { id }, body: {} });
    const again = await draftPayouts(office);
    await approvePayouts(office, again);
    const paid = [];
    for (const { id } of again) paid.push((await office.attempt("payOwnerPayable", { params: { id }, body: { paidAt: noonOn("2026-02-10") } })).status);
    expect(paid).toEqual([200, 200]);
  });

  test("leaves the reserve and the unpaid bills of its property", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 5_000 } });
    await anExpense(office, propertyId, 10_000);
    const bill = await anExpense(office, propertyId, 40_000, { incurredOn: "2026-02-05" });
    expect((await payBill(office, bankAccountId, bill.id, 40_000, noonOn("2026-02-05"))).status).toBe(200);
    expect(await payoutsOf(office)).toEqual({ [ann]: 45_000 });
  });

  test("is that of the owner of a property who has spent it", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const bill = await anExpense(office, propertyId, 30_000, { ownerId: ann, incurredOn: "2026-02-05" });
    expect((await payBill(office, bankAccountId, bill.id, 30_000, noonOn("2026-02-05"))).status).toBe(200);
    const drafts = await draftPayouts(office);
    expect(Object.fromEntries(drafts.map(({ ownerId, amountCents }) => [ownerId, amountCents]))).toEqual({ [ann]: 20_000, [ben]: 50_000 });
    await approvePayouts(office, drafts);
    const body = { ids: drafts.map(({ id }) => id), paidAt: noonOn("2026-02-10") };
    expect((await office.attempt("payOwnerPayables", { body })).status).toBe(200);
  });
});
