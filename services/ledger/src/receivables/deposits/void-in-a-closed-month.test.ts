/** Payments in a reopened month whose bank deposit was voided while the month was closed. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { anOwner } from "../../owners/owners.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";

/**
 * A check of 100.00 is received on January 5 and entered as deposited on January 6. January is closed. The deposit is voided: its
 * entry is posted on February 1, the first open day. Then January is reopened.
 */
async function aDepositVoidedInAClosedMonth(change: { leaseId?: undefined } = {}) {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 10_000), ...change } });
  const { deposit } = await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
  const { id } = await closeMonth(office, "2026-01");
  await office.call("voidDeposit", { params: { id: deposit.id }, body: { reason: "miscounted" } });
  await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late correction" } });
  /** Returns bank and undeposited funds at the end of a day. */
  const moneyOn = async (asOf: string) => {
    const { rows } = (await office.call("getTrialBalance", { query: { asOf } })).trialBalance;
    return ["1000", "1050"].map((code) => rows.find(({ accountCode }) => accountCode === code)!.closingCents);
  };
  return { office, tenancy, bankAccountId, paymentId: payment.id, moneyOn };
}

test("money whose deposit is void from February on is not in the bank twice in January when it is deposited again", async () => {
  const { office, bankAccountId, paymentId, moneyOn } = await aDepositVoidedInAClosedMonth();
  const body = { bankAccountId, depositedOn: "2026-01-10", paymentIds: [paymentId] };
  await office.attempt("createDeposit", { body });
  // The deposit may be refused or dated February 1. Only 100.00 were received, so bank and undeposited funds never exceed 100.00, and
  // neither is negative. Until January 31 the voided deposit still has the 100.00 in the bank.
  for (const day of ["2026-01-09", "2026-01-10", "2026-01-31"]) expect([day, ...(await moneyOn(day))]).toEqual([day, 10_000, 0]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

// Without a lease the money has no property; 60.00 of it settle a charge of January 15 at a property, entered after the reopening.
test("money whose deposit is void from February on is not moved between properties in undeposited funds in January", async () => {
  const { office, tenancy, paymentId } = await aDepositVoidedInAClosedMonth({ leaseId: undefined });
  const chargeId = await aCharge(office, tenancy.leaseId, 6_000, "2026-01-15");
  await office.attempt("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId, amountCents: 6_000 }] } });
  // In January all 100.00 are at the bank, so nothing can leave undeposited funds: those without a property are never -60.00.
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

test("the reversal of a payment whose deposit is void from February on does not make undeposited funds negative in January", async () => {
  const { office, paymentId, moneyOn } = await aDepositVoidedInAClosedMonth();
  const body = { reason: "nsf" as const, reversedAt: "2026-01-10T15:00:00.000Z" };
  await office.attempt("reversePayment", { params: { id: paymentId }, body });
  // The reversal may be refused, be dated February 1, or be posted against the bank: undeposited funds are never -100.00.
  for (const day of ["2026-01-09", "2026-01-10", "2026-01-31", "2026-02-01"]) expect([day, (await moneyOn(day))[1]! >= 0]).toEqual([day, true]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

describe("prepaid rent whose deposit is void from February on", () => {
  /** Prepaid rent of 500.00 that was deposited to one of two trust accounts on January 6. January is closed. */
  async function aDepositInAClosedMonth(office: Office) {
    const [tenancy, owner] = [await aTenancy(office), await anOwner(office)];
    await office.call("replaceOwnership", {
      params: { id: tenancy.propertyId },
      body: { effectiveDate: "2026-01-01", shares: [{ ownerId: owner, shareBps: 10_000 }] },
    });
    const [first, second] = [await aBankAccount(office), await aBankAccount(office)];
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 50_000) });
    const deposited = (bankAccountId: string, depositedOn: string) =>
      office.call("createDeposit", { body: { bankAccountId, depositedOn, paymentIds: [payment.id] } });
    const { id } = (await deposited(first, "2026-01-06")).deposit;
    await closeMonth(office, "2026-01");
    const figuresOn = async (asOf: string) => {
      const { cashCents, prepaidRentCents } = (await office.call("getOwnerBalance", { params: { id: owner }, query: { asOf } })).balance;
      return [cashCents, prepaidRentCents];
    };
    return {
      tenancy,
      first,
      second,
      deposited,
      figuresOn,
      voidDeposit: () => office.attempt("voidDeposit", { params: { id }, body: { reason: "Wrong account" } }),
    };
  }

  test("leaves the bank account with its money, and is in the one to which it is deposited then", async () => {
    const office = await anOffice();
    const { tenancy, first, second, deposited, figuresOn, voidDeposit } = await aDepositInAClosedMonth(office);
    const prepaid = { rows: [["prepaid", tenancy.propertyId, tenancy.tenantId, 50_000]], totals: [50_000, 50_000, 0] };
    expect((await voidDeposit()).status).toBe(200);
    expect(await figuresOn("2026-02-02")).toEqual([0, 0]);
    await deposited(second, "2026-02-03");
    expect(await subLedgersOf(office, first, "2026-01-31")).toEqual(prepaid);
    expect(await subLedgersOf(office, first)).toEqual({ rows: [], totals: [0, 0, 0] });
    expect(await subLedgersOf(office, second)).toEqual(prepaid);
    expect([await figuresOn("2026-01-31"), await figuresOn("2026-02-03")]).toEqual([
      [50_000, 50_000],
      [50_000, 50_000],
    ]);
  });

  test("leaves the bank account until it is deposited there again", async () => {
    const office = await anOffice();
    const { tenancy, first, deposited, figuresOn, voidDeposit } = await aDepositInAClosedMonth(office);
    await voidDeposit();
    expect(await subLedgersOf(office, first)).toEqual({ rows: [], totals: [0, 0, 0] });
    await deposited(first, "2026-02-03");
    expect((await subLedgersOf(office, first, "2026-02-02")).rows).toEqual([]);
    expect((await subLedgersOf(office, first)).rows).toEqual([["prepaid", tenancy.propertyId, tenancy.tenantId, 50_000]]);
    expect(await figuresOn("2026-02-03")).toEqual([50_000, 50_000]);
  });
});
