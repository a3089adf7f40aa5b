/** Deposits that are paid from accounts which hold none of their money, or whose money is used for others. */
import { describe, expect, test } from "@jest/globals";
import { aCharge, aTenancy } from "../../../../../../test/support/tenancy.ts";
import { aBankAccount, subLedgersOf } from "../../trust.fixtures.ts";
import {
  aDepositOffice,
  aLetter,
  aReceipt,
  aReceivedDeposit,
  aRefund,
  booksOf,
  expectNoViolations,
  type DepositOffice,
} from "../security-deposits.fixtures.ts";

const moveOut = { moveOutDate: "2026-02-20" };

/** Finalizes the disposition of a deposit without deductions. */
async function finalize({ office }: Pick<DepositOffice, "office">, id: string): Promise<void> {
  await office.call("updateSecurityDeposit", { params: { id }, body: moveOut });
  await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
}

/** Returns the payment of the deposit by the bank on a day. */
async function bounce({ office }: Pick<DepositOffice, "office">, leaseId: string, reversedAt: string): Promise<void> {
  const [payment] = (await office.call("listPayments", { query: { leaseId } })).payments;
  await office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "nsf", reversedAt } });
}

describe("a deposit in escrow", () => {
  test("is not used in a business account", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const params = { id };
    const business = await aBankAccount(office, "business");
    const { categories } = await office.call("listCategories", {});
    const rent = await aCharge(office, tenancy.leaseId, 1_000, "2026-02-01");
    const { leaseId: toLeaseId } = await aTenancy(office);
    const before = await booksOf(deposit);
    for (const bankAccountId of [business, categories.find(({ code }) => code === "1090")!.id]) {
      const allocations = [{ chargeId: rent, amountCents: 1_000 }];
      const refused = [
        await office.attempt("applySecurityDeposit", { params, body: { allocations, occurredOn: "2026-02-10", bankAccountId } }),
        await office.attempt("transferSecurityDeposit", { params, body: { toLeaseId, occurredOn: "2026-02-10", bankAccountId } }),
        await office.attempt("finalizeSecurityDeposit", { params, body: { ...aLetter, bankAccountId } }),
        await office.attempt("refundSecurityDeposit", { params, body: aRefund(1_000, bankAccountId) }),
        await office.attempt("recordSecurityDepositReceipt", { params, body: aReceipt(1_000, bankAccountId) }),
      ];
      for (const { status, body } of refused)
        expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: "bankAccountId", code: "not_allowed" }] });
    }
    expect(await booksOf(deposit)).toEqual(before);
  });

  test("is not used in an account of the chart that has no bank account and no money of the property", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    const params = { id };
    const rent = await aCharge(office, tenancy.leaseId, 1_000, "2026-02-01");
    const { categories } = await office.call("listCategories", {});
    const bankAccountId = categories.find(({ code }) => code === "1000")!.id;
    const allocations = [{ chargeId: rent, amountCents: 1_000 }];
    const short = { status: 409, body: { code: "insufficient_trust_funds" } };
    expect(await office.attempt("applySecurityDeposit", { params, body: { allocations, occurredOn: "2026-02-10", bankAccountId } })).toMatchObject(short);
    await finalize(deposit, id);
    expect(await office.attempt("refundSecurityDeposit", { params, body: aRefund(150_000, bankAccountId) })).toMatchObject(short);
    await expectNoViolations(office);
  });

  test("is refunded from an account of the chart without a bank account as far as its money was deposited there", async () => {
    const deposit = await aDepositOffice();
    const { office } = deposit;
    const { leaseId } = await aTenancy(office);
    const { categories } = await office.call("listCategories", {});
    const account = categories.find(({ code }) => code === "1000")!.id;
    const id = await aReceivedDeposit(office, { leaseId }, account);
    await finalize(deposit, id);
    expect((await office.attempt("refundSecurityDeposit", { params: { id }, body: aRefund(150_000, account) })).status).toBe(200);
    await expectNoViolations(office);
  });
});

describe("deposits of other tenants", () => {
  test("do not pay the refund of one that was transferred to another lease and then returned by the bank", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, escrow, id } = deposit;
    await aReceivedDeposit(office, await aTenancy(office), escrow);
    const next = await aTenancy(office, { tenantId: tenancy.tenantId });
    await office.call("transferSecurityDeposit", { params: { id }, body: { toLeaseId: next.leaseId, occurredOn: "2026-02-01" } });
    await bounce(deposit, tenancy.leaseId, "2026-02-02T17:00:00.000Z");
    const [target] = (await office.call("listSecurityDeposits", { query: { leaseId: next.leaseId } })).securityDeposits;
    await finalize(deposit, target!.id);
    expect(await office.attempt("refundSecurityDeposit", { params: { id: target!.id }, body: aRefund(150_000, escrow) })).toMatchObject({
      status: 409,
      body: { code: "insufficient_trust_funds" },
    });
    expect((await subLedgersOf(office, escrow)).totals).toEqual([150_000, 150_000, 0]);
  });

  test("are refunded again, and received meanwhile, once the money that one of them lacks is in the account", async () => {
    const deposit = await aDepositOffice();
    const { office, escrow, id, tenancy } = deposit;
    const otherId = await aReceivedDeposit(office, await aTenancy(office), escrow);
    for (const each of [id, otherId]) await finalize(deposit, each);
    await office.call("refundSecurityDeposit", { params: { id }, body: aRefund(150_000, escrow) });
    await bounce(deposit, tenancy.leaseId, "2026-03-06T17:00:00.000Z");
    const refund = () =>
      office.attempt("refundSecurityDeposit", { params: { id: otherId }, body: { ...aRefund(150_000, escrow), paidAt: "2026-03-10T17:00:00.000Z" } });
    const message = expect.stringContaining(`lacks 150000 cents of its tenants' money at the property Elm Street 1 (${tenancy.propertyId}), so`);
    expect(await refund()).toMatchObject({ status: 409, body: { code: "insufficient_trust_funds", message } });
    await aReceivedDeposit(office, await aTenancy(office), escrow);
    expect((await refund()).status).toBe(409);
    const business = await aBankAccount(office, "business", { openingBalanceCents: 150_000 });
    await office.call("createTransfer", {
      body: { fromBankAccountId: business, toBankAccountId: escrow, amountCents: 150_000, occurredAt: "2026-03-07T17:00:00.000Z" },
    });
    expect((await refund()).status).toBe(200);
  });
});
