/** Reversal of payments that were refunded before. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let bankAccountId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  bankAccountId = (await accountIdsByCode(office))["1000"]!;
});

/** Returns the balances other than zero of the property at the end of a day, by account code. */
async function balancesOn(asOf: string, basis: "accrual" | "cash" = "accrual"): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf, basis, propertyId: tenancy.propertyId } });
  return Object.fromEntries(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents]));
}
const refund = (id: string, amountCents: number, refundedAt: string) =>
  office.call("refundPayment", { params: { id }, body: { amountCents, method: "check", bankAccountId, refundedAt } });
const expectNoViolations = async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("reversePayment of a refunded payment", () => {
  test("charges the refunded amount to the lease, and a payment settles this charge on both bases", async () => {
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 900) });
    await refund(payment.id, 300, "2026-02-10T15:00:00.000Z");
    const reversal = await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-20T15:00:00.000Z" } });
    expect(reversal.payment).toMatchObject({ status: "reversed", unallocatedCents: 0, refundedCents: 300 });
    expect(reversal.charges).toMatchObject([
      { name: "Refund of a returned payment", chargeType: "other", amountCents: 300, dueDate: "2026-02-20", leaseId: tenancy.leaseId, status: "pending" },
    ]);
    expect(await balancesOn("2026-02-19")).toEqual({ "1000": -300, "1050": 900, "2150": -600 });
    expect(await balancesOn("2026-02-20")).toEqual({ "1000": -300, "1100": 300 });
    expect(await balancesOn("2026-02-20", "cash")).toEqual({ "1000": -300, "2150": 300 });
    await expectNoViolations();
    const chargeId = reversal.charges[0]!.id;
    const { status, body } = await office.attempt("voidCharge", { params: { id: chargeId }, body: { reason: "forgiven" } });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    const body300 = { ...aPayment(tenancy, 300), receivedAt: "2026-03-01T15:00:00.000Z", allocations: [{ chargeId, amountCents: 300 }] };
    await office.call("recordPayment", { body: body300 });
    for (const basis of ["accrual", "cash"] as const) expect(await balancesOn("2026-03-01", basis)).toEqual({ "1000": -300, "1050": 300 });
    await expectNoViolations();
  });

  test("charges a refund that is dated after the reversal on the day of the refund", async () => {
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 500) });
    await refund(payment.id, 200, "2026-04-10T15:00:00.000Z");
    await refund(payment.id, 300, "2026-04-20T15:00:00.000Z");
    const { charges } = await office.call("reversePayment", {
      params: { id: payment.id },
      body: { reason: "chargeback", reversedAt: "2026-04-15T15:00:00.000Z" },
    });
    expect(charges.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([
      ["2026-04-15", 200],
      ["2026-04-20", 300],
    ]);
    await expectNoViolations();
  });

  test("shows the refund once in the ledgers of the lease and of the tenant", async () => {
    const own = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: aPayment(own, 900) });
    await refund(payment.id, 300, "2026-02-10T15:00:00.000Z");
    const { charges } = await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-20T15:00:00.000Z" } });
    const body300 = { ...aPayment(own, 300), receivedAt: "2026-03-01T15:00:00.000Z", allocations: [{ chargeId: charges[0]!.id, amountCents: 300 }] };
    await office.call("recordPayment", { body: body300 });
    const expected = [
      ["2026-01-05", "payment", -900],
      ["2026-02-10", "refund", -600],
      ["2026-02-20", "reversal", 300],
      ["2026-03-01", "payment", 0],
    ];
    const [ofLease, ofTenant] = [
      await office.call("listLeaseLedger", { params: { id: own.leaseId }, query: {} }),
      await office.call("listTenantLedger", { params: { id: own.tenantId }, query: {} }),
    ];
    for (const { entries, closingBalanceCents } of [ofLease, ofTenant]) {
      expect(entries.map(({ date, kind, balanceCents }) => [date, kind, balanceCents])).toEqual(expected);
      expect(closingBalanceCents).toBe(0);
    }
  });

  test("charges a refund of credit without a lease to the lease that the payment settled, whose property then lacks the money at the bank", async () => {
    const own = await anOffice();
    const [other, { propertyId, tenantId, leaseId }] = [await aTenancy(own), await aTenancy(own)];
    await aTenancy(own, { tenantId, startDate: "2026-03-01" });
    const bankId = await aBankAccount(own, "operating");
    const chargeId = await aCharge(own, leaseId, 600);
    const body = { ...aPayment({ tenantId, leaseId }, 900), leaseId: undefined, allocations: [{ chargeId, amountCents: 600 }] };
    const { payment } = await own.call("recordPayment", { body });
    const params = { id: payment.id };
    await own.call("createDeposit", { body: { bankAccountId: bankId, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
    await own.call("refundPayment", { params, body: { amountCents: 300, method: "check", bankAccountId: bankId, refundedAt: "2026-02-10T15:00:00.000Z" } });
    const { charges } = await own.call("reversePayment", { params, body: { reason: "chargeback", reversedAt: "2026-02-20T15:00:00.000Z" } });
    expect(charges.map((charge) => [charge.name, charge.leaseId, charge.balanceCents])).toEqual([
      ["Rent", leaseId, 600],
      ["Refund of a returned payment", leaseId, 300],
    ]);
    expect((await subLedgersOf(own, bankId)).rows).toEqual([["owner", propertyId, null, -300]]);
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
    const paid = charges.map(({ id, balanceCents }) => ({ chargeId: id, amountCents: balanceCents }));
    const second = await own.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, 900), allocations: paid } });
    await own.call("createDeposit", { body: { bankAccountId: bankId, depositedOn: "2026-03-01", paymentIds: [second.payment.id] } });
    expect((await subLedgersOf(own, bankId)).rows).toEqual([["owner", propertyId, null, 600]]);
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
    expect((await own.call("listCharges", { query: { leaseId: other.leaseId } })).charges).toEqual([]);
  });

  test("is refused for a tenant without a lease, without an effect", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Nora New" } });
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 500), tenantId: tenant.id, leaseId: undefined } });
    await refund(payment.id, 500, "2026-04-10T15:00:00.000Z");
    const { status, body } = await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    expect((await office.call("getPayment", { params: { id: payment.id } })).payment.status).toBe("refunded");
    await expectNoViolations();
  });

  test("charges a refund that was moved out of a closed month on the first open day, also when the month is open again", async () => {
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 700), receivedAt: "2026-05-05T15:00:00.000Z" } });
    for (const month of ["2026-01", "2026-02", "2026-03", "2026-04"]) await closeMonth(office, month);
    const { id } = await closeMonth(office, "2026-05");
    await refund(payment.id, 200, "2026-05-10T15:00:00.000Z");
    await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late bill" } });
    const before = await balancesOn("2026-05-31");
    const { charges } = await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-05-20T15:00:00.000Z" } });
    expect(charges.map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([["2026-06-01", 200]]);
    expect((await balancesOn("2026-05-31"))["1100"]).toBe(before["1100"]);
    await expectNoViolations();
  });
});
