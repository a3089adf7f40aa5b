/** Payments of the largest safe integer, whose entries move this amount through several accounts. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

const largestCents = Number.MAX_SAFE_INTEGER;

// The settlement moves the deposit from 2150 to 1100 and from 2110 to 2100, and the money to the property: three times the amount.
test("a payment without a lease settles a deposit of the largest amount, after or with its receipt, and can be reversed", async () => {
  const office = await anOffice();
  const { tenantId, leaseId } = await aTenancy(office);
  const deposit = { leaseId, amountCents: largestCents, dueDate: "2026-01-01", chargeType: "deposit" as const };
  const { charge } = await office.call("createCharge", { body: deposit });
  const allocations = [{ chargeId: charge.id, amountCents: largestCents }];
  const { leaseId: _, ...payment } = aPayment({ tenantId, leaseId }, largestCents);
  const { id } = (await office.call("recordPayment", { body: payment })).payment;
  const allocated = await office.call("allocatePayment", { params: { id }, body: { allocations } });
  expect(allocated.payment).toMatchObject({ unallocatedCents: 0, allocations });
  await office.call("reversePayment", { params: { id }, body: { reason: "bank_error" } });
  const { leaseId: _lease, ...second } = aPayment({ tenantId, leaseId }, largestCents);
  expect((await office.call("recordPayment", { body: { ...second, allocations } })).payment).toMatchObject({ unallocatedCents: 0 });
  const { journalEntries } = await office.call("listJournalEntries", { query: { pageSize: 100 } });
  expect(Math.max(...journalEntries.map(({ debitTotalCents }) => debitTotalCents))).toBe(largestCents);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});
