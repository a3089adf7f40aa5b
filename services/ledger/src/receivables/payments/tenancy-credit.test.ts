/** Credit of a tenancy: a lease and its renewals. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;

beforeAll(async () => {
  office = await anOffice();
});

/** Renews the lease of a tenancy and returns the id of the renewal. */
async function renew(office: Office, { leaseId }: Tenancy): Promise<string> {
  const { lease } = await office.call("renewLease", { params: { id: leaseId }, body: { startDate: "2100-01-01", endDate: "2100-12-31" } });
  await office.call("activateLease", { params: { id: lease.id }, body: {} });
  return lease.id;
}
const charge = async (office: Office, leaseId: string, dueDate: string, amountCents = 700) =>
  (await office.call("createCharge", { body: { leaseId, amountCents, dueDate, chargeType: "rent" } })).charge.id;
const pay = async (office: Office, tenancy: Tenancy, amountCents: number, change: object = {}) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...change } })).payment;
/** Returns the balance of accounts receivable of a lease by its journal lines. */
const receivableOf = (office: Office, leaseId: string) =>
  withOwnerConnection(office, async (client) => {
    const { rows } = await client.query<{ cents: string }>(
      `select coalesce(sum(l.debit_cents - l.credit_cents), 0) as cents from journal_line l join category k on k.id = l.account_id where k.code = '1100' and l.lease_id = $1`,
      [leaseId],
    );
    return Number(rows[0]!.cents);
  });

describe("credit of a payment for a lease", () => {
  test("settles charges of its renewal, and credit for the renewal settles charges of the lease, on request and automatically", async () => {
    const tenancy = await aTenancy(office);
    const renewalId = await renew(office, tenancy);
    const [leaseCharge, firstRenewalCharge, secondRenewalCharge] = [
      await aCharge(office, tenancy.leaseId, 300),
      await charge(office, renewalId, "2100-01-01"),
      await charge(office, renewalId, "2100-02-01"),
    ];
    const payment = await pay(office, tenancy, 1_200);
    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: secondRenewalCharge, amountCents: 100 }] } });
    const { allocations } = await office.call("autoAllocatePayment", { params: { id: payment.id }, body: {} });
    expect(allocations.map(({ chargeId, amountCents }) => [chargeId, amountCents])).toEqual([
      [leaseCharge, 300],
      [firstRenewalCharge, 700],
      [secondRenewalCharge, 100],
    ]);
    const laterLeaseCharge = await aCharge(office, tenancy.leaseId, 50);
    const renewalPayment = await pay(office, { ...tenancy, leaseId: renewalId }, 600, { autoAllocate: true });
    const allocated = Object.fromEntries(renewalPayment.allocations.map(({ chargeId, amountCents }) => [chargeId, amountCents]));
    expect([renewalPayment.unallocatedCents, allocated]).toEqual([50, { [laterLeaseCharge]: 50, [secondRenewalCharge]: 500 }]);
    for (const leaseId of [tenancy.leaseId, renewalId]) expect(await receivableOf(office, leaseId)).toBe(0);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("is applied to charges of a renewal when they are posted, if the policy autoAllocatePayments is set", async () => {
    const newOffice = await anOffice();
    await newOffice.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
    const tenancy = await aTenancy(newOffice);
    const renewalId = await renew(newOffice, tenancy);
    await pay(newOffice, tenancy, 1_000);
    // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
    await eventually("policy", async () => {
      const { charge: read } = await newOffice.call("getCharge", { params: { id: await charge(newOffice, renewalId, "2100-01-01", 1) } });
      return read.status === "paid" || undefined;
    });
  });

  test("settles no charge of another tenancy of the same tenant", async () => {
    const tenancy = await aTenancy(office);
    const other = await aTenancy(office);
    const { lease } = await office.call("createLease", {
      body: {
        propertyId: other.propertyId,
        unitId: (await office.call("createUnit", { body: { propertyId: other.propertyId, unitNumber: "2", monthlyRentCents: 1 } })).unit.id,
        tenantId: tenancy.tenantId,
        startDate: "2026-01-01",
        termType: "month_to_month",
        rentCents: 1,
        createRecurringRent: false,
        activate: true,
      },
    });
    const chargeId = await aCharge(office, lease.id, 300);
    const payment = await pay(office, tenancy, 300);
    const { status, body } = await office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 300 }] } });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path: "allocations.0.chargeId", code: "mismatch" })]]);
    expect((await office.call("autoAllocatePayment", { params: { id: payment.id }, body: {} })).allocations).toEqual([]);
  });
});
