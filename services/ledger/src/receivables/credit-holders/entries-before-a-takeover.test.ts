/** Entries of a tenancy that are dated before the day on which the renewal takes over the credit, but posted afterwards. */
import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

let office: Office;
beforeAll(async () => void (office = await anOffice()));
afterEach(async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]));

/** Creates a month-to-month lease of a new tenant from January 1, 2026 at a rent of 1,000. */
async function aLease(createRecurringRent: boolean): Promise<Tenancy> {
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const body = {
    propertyId,
    unitId,
    tenantId: tenant.id,
    rentCents: 100_000,
    createRecurringRent,
    startDate: "2026-01-01",
    termType: "month_to_month" as const,
  };
  const { lease } = await office.call("createLease", { body: { ...body, activate: true } });
  return { propertyId, unitId, tenantId: tenant.id, leaseId: lease.id };
}

async function renew(leaseId: string, startDate: string): Promise<string> {
  const body = { startDate, endDate: "2099-12-31", termType: "fixed" as const };
  const { lease } = await office.call("renewLease", { params: { id: leaseId }, body });
  await office.call("activateLease", { params: { id: lease.id }, body: {} });
  return lease.id;
}

const balanceOn = async (id: string, asOf: string) => (await office.call("listLeaseLedger", { params: { id }, query: { asOf } })).closingBalanceCents;

// 1,000 are received on January 5. The renewal takes the credit over on June 1. Then 400 for a utility due March 1 are charged and paid from it.
test("credit that settles a charge of the lease before the takeover is the lease's on that day, not the renewal's", async () => {
  const tenancy = await aLease(false);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
  const renewalId = await renew(tenancy.leaseId, "2026-06-01");
  const charge = { leaseId: tenancy.leaseId, amountCents: 40_000, dueDate: "2026-03-01", chargeType: "utility" as const };
  const { charge: utility } = await office.call("createCharge", { body: charge });
  await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: utility.id, amountCents: 40_000 }] } });
  expect([await balanceOn(tenancy.leaseId, "2026-05-31"), await balanceOn(renewalId, "2026-05-31")]).toEqual([-60_000, 0]);
  expect([await balanceOn(tenancy.leaseId, "2026-06-01"), await balanceOn(renewalId, "2026-06-01")]).toEqual([0, -60_000]);
});

// The rent of June, 1,000, is paid on June 3. The renewal starts on June 16, so the lease owes 500 of it, and 500 are credit since June 3.
test("an overpayment for the month of the takeover is credit of the lease until the renewal starts", async () => {
  const tenancy = await aLease(true);
  await office.call("postDueCharges", { body: { throughDate: "2026-06-30" } });
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, dueAfter: "2026-06-01", dueBefore: "2026-06-30" } });
  const allocations = [{ chargeId: charges[0]!.id, amountCents: 100_000 }];
  const receivedAt = "2026-06-03T17:00:00.000Z";
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), receivedAt, allocations } });
  const renewalId = await renew(tenancy.leaseId, "2026-06-16");
  expect(await balanceOn(renewalId, "2026-06-15")).toBe(0);
});

// Of the 1,000 received on January 5, 400 were refunded on March 1, which is entered after the renewal took the credit over on June 1.
test("a refund that was paid before the takeover reduces the credit of the lease, not of the renewal", async () => {
  const tenancy = await aLease(false);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
  const renewalId = await renew(tenancy.leaseId, "2026-06-01");
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const body = { amountCents: 40_000, method: "check" as const, bankAccountId, refundedAt: "2026-03-01T17:00:00.000Z" };
  await office.call("refundPayment", { params: { id: payment.id }, body });
  expect([await balanceOn(tenancy.leaseId, "2026-05-31"), await balanceOn(renewalId, "2026-05-31")]).toEqual([-60_000, 0]);
});

// Of 1,000 received on January 5, 600 pay a charge of July 2099. The renewal takes over on June 1. The 600 are released and pay a charge of March.
test("money released from a charge due after the takeover goes to the renewal, and can still settle a charge due before it", async () => {
  const tenancy = await aLease(false);
  const chargeOf = async (dueDate: string) =>
    (await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 60_000, dueDate, chargeType: "utility" } })).charge.id;
  const allocations = [{ chargeId: await chargeOf("2099-07-01"), amountCents: 60_000 }];
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), allocations } });
  const renewalId = await renew(tenancy.leaseId, "2026-06-01");
  await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
  expect([await balanceOn(tenancy.leaseId, "2026-06-01"), await balanceOn(renewalId, "2026-06-01")]).toEqual([0, -100_000]);
  await office.call("allocatePayment", {
    params: { id: payment.id },
    body: { allocations: [{ chargeId: await chargeOf("2026-03-01"), amountCents: 60_000 }] },
  });
  expect([await balanceOn(tenancy.leaseId, "2026-05-31"), await balanceOn(renewalId, "2026-05-31")]).toEqual([-40_000, 0]);
  expect([await balanceOn(tenancy.leaseId, "2026-06-01"), await balanceOn(renewalId, "2026-06-01")]).toEqual([0, -40_000]);
});

// 1,000 are received on January 5. The renewal takes over on June 1. A refund of March 1 is voided on April 1, and the payment is returned on May 1.
test("credit of a refund voided before the takeover goes to the renewal, and a payment returned before the takeover leaves no credit", async () => {
  const tenancy = await aLease(false);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
  const renewalId = await renew(tenancy.leaseId, "2026-06-01");
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const body = { amountCents: 40_000, method: "check" as const, bankAccountId, refundedAt: "2026-03-01T17:00:00.000Z" };
  const { refund } = await office.call("refundPayment", { params: { id: payment.id }, body });
  const params = { id: payment.id, refundId: refund.id };
  await office.call("voidRefund", { params, body: { reason: "Never cashed", voidedAt: "2026-04-01T17:00:00.000Z" } });
  expect([await balanceOn(tenancy.leaseId, "2026-03-31"), await balanceOn(tenancy.leaseId, "2026-04-01")]).toEqual([-60_000, -100_000]);
  expect([await balanceOn(tenancy.leaseId, "2026-06-01"), await balanceOn(renewalId, "2026-06-01")]).toEqual([0, -100_000]);
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "bank_error", reversedAt: "2026-05-01T17:00:00.000Z" } });
  expect(await Promise.all(["2026-05-01", "2026-06-01"].flatMap((day) => [balanceOn(tenancy.leaseId, day), balanceOn(renewalId, day)]))).toEqual([0, 0, 0, 0]);
});

// 1,000 are received on January 5. The months through July are closed when the renewal of June 1 takes over, and a refund of March 1 is entered.
test("a takeover and a refund that are dated in closed months take effect once, on the first open day", async () => {
  office = await anOffice();
  const tenancy = await aLease(false);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100_000) });
  for (const month of ["01", "02", "03", "04", "05", "06", "07"]) await closeMonth(office, `2026-${month}`);
  const renewalId = await renew(tenancy.leaseId, "2026-06-01");
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const body = { amountCents: 20_000, method: "check" as const, bankAccountId, refundedAt: "2026-03-01T17:00:00.000Z" };
  for (const _ of [1, 2]) await office.call("refundPayment", { params: { id: payment.id }, body });
  expect([await balanceOn(tenancy.leaseId, "2026-07-31"), await balanceOn(renewalId, "2026-07-31")]).toEqual([-100_000, 0]);
  expect([await balanceOn(tenancy.leaseId, "2026-08-01"), await balanceOn(renewalId, "2026-08-01")]).toEqual([0, -60_000]);
  const { entries } = await office.call("listLeaseLedger", { params: { id: renewalId }, query: {} });
  expect(entries.map(({ date, kind, debitCents, creditCents }) => [date, kind, debitCents - creditCents])).toEqual([
    ["2026-08-01", "payment", -100_000],
    ["2026-08-01", "refund", 20_000],
    ["2026-08-01", "refund", 20_000],
  ]);
});
