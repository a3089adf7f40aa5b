/** Withdrawals from a trust account that use no money of one owner for another, in that account and on every day. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { eventually } from "../../../../test/support/eventually.ts";
import type { Office } from "../../../../test/support/office.ts";
import { aCharge } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../journal/journal.fixtures.ts";
import { anAgreement, aRun, paidRent } from "../payables/management-fees/management-fees.fixtures.ts";
import { anExpense } from "../payables/payables.fixtures.ts";
import { aLetter, aReceipt } from "../trust/security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../trust/trust.fixtures.ts";
import { aPayingOffice, contribute, ownMoneyIn, payBill, payoutsOf } from "./owners.fixtures.ts";

const onJanuary = (day: number) => `2026-01-${String(day).padStart(2, "0")}T17:00:00.000Z`;
const refused = [409, "insufficient_trust_funds"];
const warnOnly = (office: Office) => office.call("updateOrganization", { body: { policies: { trustOverdraft: "warn" } } });

/** Property of Ann and Ben with 500.00 of each in an operating account, and functions that transfer its money to another account. */
async function aSharedProperty() {
  const paying = await aPayingOffice();
  const { office, propertyId, bankAccountId } = paying;
  const other = await aBankAccount(office, "reserve");
  const attempt = (amountCents: number, ownerId: string | undefined, day = 10, from = bankAccountId, to = other) => {
    const allocations = [{ propertyId, amountCents, ...(ownerId && { ownerId }) }];
    return office.attempt("createTransfer", { body: { fromBankAccountId: from, toBankAccountId: to, amountCents, occurredAt: onJanuary(day), allocations } });
  };
  const transfer = async (...terms: Parameters<typeof attempt>) => {
    const { status, body } = await attempt(...terms);
    return [status, body.code];
  };
  const bill = async (cents: number, day = 20, change: object = {}) => {
    const { id } = await anExpense(office, propertyId, cents, change);
    const { status, body } = await payBill(office, bankAccountId, id, cents, onJanuary(day));
    return [status, body.code];
  };
  const moneyIn = async () => [await ownMoneyIn(office, bankAccountId), await ownMoneyIn(office, other)];
  return { ...paying, other, attempt, transfer, bill, moneyIn };
}

describe("a transfer of an owner's money", () => {
  test("is refused beyond what that owner has in the account, although the co-owner has money there", async () => {
    const { ann, ben, transfer, moneyIn } = await aSharedProperty();
    expect([await transfer(50_010, ben), await transfer(50_000, ben)]).toEqual([refused, [200, undefined]]);
    expect([await transfer(10, ben), await moneyIn()]).toEqual([refused, [{ [ann]: 50_000 }, { [ben]: 50_000 }]]);
  });

  test("is refused on a day after which the owner has used the money, with and without the owner's name", async () => {
    const { ann, ben, transfer, bill, moneyIn } = await aSharedProperty();
    expect(await bill(50_000, 20, { ownerId: ben })).toEqual([200, undefined]);
    expect([await transfer(10, ben, 7), await transfer(10, undefined, 7)]).toEqual([refused, refused]);
    expect([await transfer(1_000, ann, 7), await transfer(1_000, undefined, 21)]).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    expect(await moneyIn()).toEqual([{ [ann]: 48_000 }, { [ann]: 2_000 }]);
  });

  test("cannot be voided when the owner has used it in the other account, where the co-owner has money", async () => {
    const { office, ann, ben, propertyId, other, attempt, moneyIn } = await aSharedProperty();
    await contribute(office, ann, propertyId, other, 50_000);
    const { body } = await attempt(40_000, ben);
    const { id } = await anExpense(office, propertyId, 40_000, { ownerId: ben });
    expect((await payBill(office, other, id, 40_000)).status).toBe(200);
    const voided = await office.attempt("voidTransfer", { params: { id: body.transfer.id }, body: { reason: "wrong account" } });
    expect([voided.status, voided.body.code, await moneyIn()]).toEqual([...refused, [{ [ann]: 50_000, [ben]: 10_000 }, { [ann]: 50_000 }]]);
  });
});

describe("a payment from an account in which one of the owners has nothing", () => {
  test("is refused for a bill of that owner or of both and for a manual entry, and the co-owner is paid out in full", async () => {
    const { office, ann, ben, propertyId, bankAccountId, transfer, bill } = await aSharedProperty();
    expect(await transfer(50_000, ann)).toEqual([200, undefined]);
    expect([await bill(10_000), await bill(10_000, 20, { ownerId: ann })]).toEqual([refused, refused]);
    const accounts = await accountIdsByCode(office);
    const lines = [
      { accountId: accounts["3200"]!, debitCents: 10_000, propertyId, ownerId: ann },
      { accountId: accounts["1000"]!, creditCents: 10_000, propertyId, bankAccountId },
    ];
    const entry = await office.attempt("createJournalEntry", { body: { memo: "To Ann", occurredAt: onJanuary(20), status: "posted", lines } });
    expect([entry.status, entry.body.code]).toEqual(refused);
    expect(await bill(10_000, 20, { ownerId: ben })).toEqual([200, undefined]);
    // Half of the unpaid bill of both is Ben's.
    expect([await ownMoneyIn(office, bankAccountId), (await payoutsOf(office, { bankAccountId }))[ben]]).toEqual([{ [ben]: 40_000 }, 35_000]);
  });

  test("is refused on a day on which that owner has nothing there yet", async () => {
    const { office, ann, ben, propertyId, bankAccountId, transfer, bill } = await aSharedProperty();
    expect(await transfer(50_000, ann)).toEqual([200, undefined]);
    await contribute(office, ann, propertyId, bankAccountId, 60_000, { receivedAt: onJanuary(25) });
    expect([await bill(10_000, 20, { ownerId: ann }), await bill(10_000, 25, { ownerId: ann })]).toEqual([refused, [200, undefined]]);
    expect(await ownMoneyIn(office, bankAccountId)).toEqual({ [ann]: 50_000, [ben]: 50_000 });
  });

  test("collects no management fee there", async () => {
    const { office, ann, propertyId, bankAccountId, other, transfer } = await aSharedProperty();
    expect(await transfer(50_000, ann)).toEqual([200, undefined]);
    await anAgreement(office, propertyId, { feeType: "flat_per_month", percentBps: undefined, flatCents: 6_000 });
    expect(await aRun(office, { bankAccountId })).toMatchObject({ totalCents: 6_000, collectedCents: 0 });
    expect(await ownMoneyIn(office, other)).toEqual({ [ann]: 50_000 });
  });
});

describe("money of owners that goes back to a tenant", () => {
  /** Property of Ann and Ben, of which Ann has spent her half of a tenant's 1,000.00 and Ben has contributed 1,000.00. */
  async function aSpentHalf() {
    const shared = await aSharedProperty();
    const { office, ann, ben, propertyId, bankAccountId } = shared;
    const spend = async () => {
      expect(await shared.bill(50_000, 20, { ownerId: ann })).toEqual([200, undefined]);
      expect((await contribute(office, ben, propertyId, bankAccountId, 100_000)).status).toBe(200);
    };
    return { ...shared, spend };
  }

  test("is refused when an allocation is removed whose money one of them has used", async () => {
    const { office, ben, bankAccountId, spend } = await aSpentHalf();
    await spend();
    const [payment] = (await office.call("listPayments", {})).payments;
    const params = { id: payment!.id, allocationId: payment!.allocations[0]!.id };
    const { status, body } = await office.attempt("deletePaymentAllocation", { params });
    expect([status, body.code, await ownMoneyIn(office, bankAccountId)]).toEqual([...refused, { [ben]: 150_000 }]);
  });

  test("is refused when the use of a deposit is voided or its disposition is reopened", async () => {
    const { office, ann, ben, propertyId, leaseId, bankAccountId, bill } = await aSpentHalf();
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId, requiredCents: 150_000, chargeTenant: false } });
    const params = { id: securityDeposit.id };
    await office.call("recordSecurityDepositReceipt", { params, body: aReceipt(150_000, bankAccountId) });
    const chargeId = await aCharge(office, leaseId, 20_000, "2026-01-15");
    await office.call("applySecurityDeposit", { params, body: { allocations: [{ chargeId, amountCents: 20_000 }] } });
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    const { transactions } = (await office.call("getSecurityDeposit", { params })).securityDeposit;
    const transactionId = transactions.find(({ kind }) => kind === "application")!.id;
    expect(await bill(60_000, 20, { ownerId: ann })).toEqual([409, "insufficient_trust_funds"]);
    const { id } = await anExpense(office, propertyId, 60_000, { ownerId: ann });
    // The deposit was applied today.
    const day = today("America/New_York");
    expect((await payBill(office, bankAccountId, id, 60_000, `${day}T17:00:00.000Z`)).status).toBe(200);
    expect((await contribute(office, ben, propertyId, bankAccountId, 100_000)).status).toBe(200);
    const voided = await office.attempt("voidSecurityDepositTransaction", { params: { ...params, transactionId }, body: { reason: "wrong" } });
    expect([voided.status, voided.body.code]).toEqual(refused);
    await office.call("createSecurityDepositDeduction", { params, body: { category: "cleaning", description: "Carpet", amountCents: 10_000 } });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    const later = await anExpense(office, propertyId, 5_000, { ownerId: ann });
    expect((await payBill(office, bankAccountId, later.id, 5_000, `${day}T17:00:00.000Z`)).status).toBe(200);
    const reopened = await office.attempt("reopenSecurityDeposit", { params, body: { reason: "wrong" } });
    expect([reopened.status, reopened.body.code]).toEqual(refused);
    expect(await ownMoneyIn(office, bankAccountId)).toEqual({ [ben]: 165_000 });
  });
});

describe("the void of what has brought money to an account", () => {
  test("is refused for a bank deposit of which one of the owners has used a part", async () => {
    const { office, ann, ben, bankAccountId, bill, ...tenancy } = await aSharedProperty();
    const february = await paidRent(office, tenancy, "2026-01-08", 100_000);
    const { deposit } = await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-09", paymentIds: [february.id] } });
    expect(await bill(100_000, 20, { ownerId: ann })).toEqual([200, undefined]);
    const voidIt = () => office.attempt("voidDeposit", { params: { id: deposit.id }, body: {} });
    const { status, body } = await voidIt();
    expect([status, body.code, await ownMoneyIn(office, bankAccountId)]).toEqual([...refused, { [ben]: 100_000 }]);
    expect(body.message).toContain("would lack 50000 cents of an owner of");
    await warnOnly(office);
    let permitted = await voidIt();
    await eventually("policy", async () => permitted.status === 200 || (permitted = await voidIt()).status === 200);
    expect(permitted.body.warnings).toEqual([body.message]);
  });

  test("is refused for interest of which one of the owners has used a part", async () => {
    const { office, ann, ben, propertyId, bankAccountId, bill } = await aSharedProperty();
    const params = { id: bankAccountId };
    const body = { kind: "interest" as const, amountCents: 20_000, occurredOn: "2026-01-07", propertyId };
    const { adjustment } = await office.call("createBankAdjustment", { params, body });
    expect(await bill(60_000, 20, { ownerId: ann })).toEqual([200, undefined]);
    const voided = await office.attempt("voidBankAdjustment", { params: { ...params, adjustmentId: adjustment.id }, body: { reason: "wrong" } });
    expect([voided.status, voided.body.code, await ownMoneyIn(office, bankAccountId)]).toEqual([...refused, { [ben]: 60_000 }]);
  });
});

describe("a bank fee, which the bank has taken", () => {
  test("is recorded with a warning for an owner who has too little money for it, and for the management company", async () => {
    const { office, ann, ben, propertyId, bankAccountId, bill } = await aSharedProperty();
    expect(await bill(49_990, 20, { ownerId: ann })).toEqual([200, undefined]);
    const fee = async (change: object = {}) => {
      const body = { kind: "bank_fee" as const, amountCents: 1_000, occurredOn: "2026-01-25", ...change };
      return (await office.call("createBankAdjustment", { params: { id: bankAccountId }, body })).warnings;
    };
    expect(await fee({ propertyId, amountCents: 20 })).toEqual([]);
    expect(await fee({ propertyId })).toEqual([expect.stringContaining("lack 500 cents of an owner of")]);
    expect(await fee()).toEqual([expect.stringContaining("lack 1000 cents of the management company")]);
    expect(await ownMoneyIn(office, bankAccountId)).toEqual({ [ann]: -500, [ben]: 49_490 });
  });
});
