import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

/** Creates a lease with a fee and a rent due on the same day, an older fee, and an unallocated payment of 140 cents. */
async function creditAndThreeCharges(of: Office) {
  const tenancy = await aTenancy(of);
  const charge = async (chargeType: "fee" | "rent", amountCents: number, dueDate: string) =>
    (await of.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents, dueDate, chargeType } })).charge.id;
  const [fee, rent, oldest] = [await charge("fee", 50, "2026-02-01"), await charge("rent", 100, "2026-02-01"), await charge("fee", 30, "2026-01-15")];
  const { payment } = await of.call("recordPayment", { body: { ...aPayment(tenancy, 140), receivedAt: "2026-03-01T15:00:00.000Z" } });
  return { tenancy, fee, rent, oldest, id: payment.id };
}

describe("autoAllocatePayment", () => {
  test("allocates oldest first, rent before fees on the same day", async () => {
    const own = await anOffice();
    const { id, fee, rent, oldest } = await creditAndThreeCharges(own);
    const { payment, allocations } = await own.call("autoAllocatePayment", { params: { id }, body: {} });
    expect(allocations.map(({ chargeId, amountCents, balanceCents }) => [chargeId, amountCents, balanceCents])).toEqual([
      [oldest, 30, 0],
      [rent, 100, 0],
      [fee, 10, 40],
    ]);
    expect([payment.unallocatedCents, payment.allocations.length]).toEqual([0, 3]);
    expect(await closingBalances(own)).toMatchObject({ "1050": 140, "1100": 40, "2150": 0, "4000": -100, "4090": -80 });
    const { trialBalance } = await own.call("getTrialBalance", { query: { asOf: "2026-03-01", basis: "cash" } });
    expect(Object.fromEntries(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents]))).toEqual({
      "1050": 140,
      "4000": -100,
      "4090": -40,
    });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("with dryRun returns the same allocations and changes nothing", async () => {
    const own = await anOffice();
    const { id } = await creditAndThreeCharges(own);
    const before = await closingBalances(own);
    const planned = await own.call("autoAllocatePayment", { params: { id }, body: { dryRun: true } });
    expect([planned.payment.unallocatedCents, await closingBalances(own)]).toEqual([140, before]);
    const made = await own.call("autoAllocatePayment", { params: { id }, body: {} });
    expect(made.allocations).toEqual(planned.allocations);
  });

  test("leaves the credit when no charge is open", async () => {
    const tenancy = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const response = await office.call("autoAllocatePayment", { params: { id: payment.id }, body: {} });
    expect([response.payment.unallocatedCents, response.allocations]).toEqual([100, []]);
  });

  test("with the same Idempotency-Key allocates once", async () => {
    const tenancy = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 300) });
    await aCharge(office, tenancy.leaseId, 100);
    const request = { params: { id: payment.id }, body: {}, headers: { "Idempotency-Key": randomUUID() } };
    const first = await office.attempt("autoAllocatePayment", request);
    await aCharge(office, tenancy.leaseId, 100);
    const repeated = await office.attempt("autoAllocatePayment", request);
    expect([repeated.text, repeated.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
    expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(200);
  });

  test.each([false, true])("refuses a stale If-Match, with dryRun %p", async (dryRun) => {
    const tenancy = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const { status } = await office.attempt("autoAllocatePayment", { params: { id: payment.id }, body: { dryRun }, headers: { "If-Match": '"999"' } });
    expect(status).toBe(412);
  });

  test.each([false, true])("refuses a reversed payment, with dryRun %p", async (dryRun) => {
    const tenancy = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
    const { status, body } = await office.attempt("autoAllocatePayment", { params: { id: payment.id }, body: { dryRun } });
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });
});
