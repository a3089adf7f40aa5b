/** Rebilling of rent on which the office gave concessions. */
import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";

// Rent of 1,000 is posted for September and October, each with a concession of 50. The lease ends on September 15: 15 of 30 days, 500.
test("a terminated lease has its last month prorated and later months voided, also when their rent has concessions", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2025-09-01", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
  const { charges } = await office.call("listCharges", { query: { leaseId, dueBefore: "2025-10-31", sortDirection: "asc" } });
  for (const { id, dueDate } of charges)
    await office.call("creditCharge", { params: { id }, body: { amountCents: 5_000, reason: "concession", creditedOn: dueDate } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-09-15" } });
  const rent = (await office.call("listCharges", { query: { leaseId } })).charges.filter(({ status }) => status !== "voided");
  expect(rent.filter(({ periodEnd }) => periodEnd! > "2025-09-15")).toEqual([]);
  expect((await office.call("getLease", { params: { id: leaseId } })).lease.balanceCents).toBeLessThanOrEqual(50_000);
});

const credit = (office: Office, id: string, amountCents: number, creditedOn: string) =>
  office.call("creditCharge", { params: { id }, body: { amountCents, reason: "concession", creditedOn } });

// September, 1,000: concessions of 50 and 600, and 350 paid. The lease ends on September 15: 500, which the concessions cover in full.
test("concessions are carried to the prorated rent up to its amount, before payments", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office, { startDate: "2025-09-01", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const [charge] = (await office.call("listCharges", { query: { leaseId: tenancy.leaseId, dueBefore: "2025-09-30" } })).charges;
  await credit(office, charge!.id, 5_000, "2025-09-10");
  await credit(office, charge!.id, 60_000, "2025-09-20");
  const payment = { ...aPayment(tenancy, 35_000), receivedAt: "2025-09-05T17:00:00.000Z", allocations: [{ chargeId: charge!.id, amountCents: 35_000 }] };
  const { payment: recorded } = await office.call("recordPayment", { body: payment });
  const { charges } = await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2025-09-15" } });
  expect(charges).toMatchObject([{ amountCents: 50_000, creditedCents: 50_000, allocatedCents: 0, status: "paid" }]);
  const { credits } = await office.call("getCharge", { params: { id: charges[0]!.id } });
  expect(credits.map(({ amountCents, creditedOn, reason }) => [amountCents, creditedOn, reason])).toEqual([
    [5_000, "2025-09-10", "concession"],
    [45_000, "2025-09-20", "concession"],
  ]);
  expect((await office.call("getPayment", { params: { id: recorded.id } })).payment.unallocatedCents).toBe(35_000);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

const liveCharges = async (office: Office, leaseId: string) => {
  const { charges } = await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } });
  return charges.filter(({ status }) => status !== "voided");
};

/** Credits a quarter of the balance of each charge of a lease on a day, or on its later due date, and pays another quarter. */
async function settleInPart(office: Office, tenancy: Tenancy, day: string): Promise<void> {
  for (const { id, balanceCents, dueDate } of await liveCharges(office, tenancy.leaseId)) {
    if (balanceCents < 4) continue;
    await credit(office, id, Math.ceil(balanceCents / 4), day < dueDate ? dueDate : day);
    const allocations = [{ chargeId: id, amountCents: Math.floor(balanceCents / 4) }];
    await office.call("recordPayment", { body: { ...aPayment(tenancy, balanceCents), allocations } });
  }
}

test("the ledger balances on every day after rent with concessions and payments is rebilled several times", async () => {
  const office = await anOffice();
  const month = (number: number) => addMonths(startOfMonth(todayInOffice()), number);
  const tenancy = await aTenancy(office, { startDate: month(-1), createRecurringRent: true });
  const { leaseId } = tenancy;
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month(3)) } });
  for (const lastDay of [withDayOfMonth(month(3), 11), withDayOfMonth(month(2), 20), withDayOfMonth(month(3), 25), withDayOfMonth(month(1), 10)]) {
    await settleInPart(office, tenancy, todayInOffice());
    await office.call("updateLease", { params: { id: leaseId }, body: { endDate: lastDay } });
    expect((await liveCharges(office, leaseId)).filter(({ periodEnd }) => periodEnd! > lastDay)).toEqual([]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  }
});

test("the ledger balances on every day after rent of a closed month with a concession is superseded", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office, { startDate: "2025-08-01", createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await settleInPart(office, tenancy, "2025-08-20");
  await closeMonth(office, "2025-08");
  await settleInPart(office, tenancy, "2025-09-20");
  await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2025-08-10" } });
  const rent = (await liveCharges(office, tenancy.leaseId)).filter(({ dueDate }) => dueDate <= "2025-09-30");
  expect(rent).toMatchObject([{ periodEnd: "2025-08-10", amountCents: Math.round((100_000 * 10) / 31), balanceCents: 0 }]);
  expect((await withOwnerConnection(office, findViolations)).filter((violation) => !violation.includes("a charge is dated its due date"))).toEqual([]);
});
