/** Allocations that are released: by the reversal of their payment, and one by one. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { running } from "../../../../../test/support/running.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { randomUUID } from "node:crypto";
import { todayInOffice, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import pg from "pg";
import { aPayingOffice, approvePayouts, draftPayouts, payPayout } from "../../owners/owners.fixtures.ts";
import { aFundedProperty } from "../../payables/payables.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

const pay = async (chargeId: string, amountCents: number) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), allocations: [{ chargeId, amountCents }] } })).payment;
/** Returns the balances other than zero at the end of a day, by account code. */
async function balancesOn(of: Office, asOf: string, basis: "accrual" | "cash" = "accrual"): Promise<Record<string, number>> {
  const { trialBalance } = await of.call("getTrialBalance", { query: { asOf, basis } });
  return Object.fromEntries(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents]));
}
const removal = (payment: { id: string; allocations: { id: string }[] }) => ({ params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
const expectNoViolations = async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("reversePayment", () => {
  test("keeps the allocations as released on the day of the reversal, and counts live ones only", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const returned = await pay(chargeId, 500);
    await office.call("reversePayment", { params: { id: returned.id }, body: { reason: "nsf", reversedAt: "2026-01-20T15:00:00.000Z" } });
    const replacement = await pay(chargeId, 700);
    const { charge, allocations } = await office.call("getCharge", { params: { id: chargeId } });
    expect([charge.allocatedCents, allocations.map(({ paymentId }) => paymentId)]).toEqual([700, [replacement.id]]);
    expect((await office.call("getPayment", { params: { id: returned.id } })).payment.allocations).toEqual([]);
    const { rows } = await withOwnerConnection(office, (client) =>
      client.query("select amount_cents::int as cents, released_on::text from payment_allocation where payment_id = $1", [returned.id]),
    );
    expect(rows).toEqual([{ cents: 500, released_on: "2026-01-20" }]);
    await expectNoViolations();
  });
});

describe("deletePaymentAllocation", () => {
  test("is refused once the owners of the property have been paid the money, whose prepaid rent would be refunded with money of others", async () => {
    const { office: own, bankAccountId, tenantId } = await aPayingOffice({ annBps: 10_000 });
    await aFundedProperty(own, 100_000, bankAccountId);
    const payment = (await own.call("listPayments", { query: { tenantId } })).payments[0]!;
    const payouts = await draftPayouts(own);
    await approvePayouts(own, payouts);
    expect((await payPayout(own, payouts[0]!)).status).toBe(200);
    const refused = await own.attempt("deletePaymentAllocation", removal(payment));
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    expect((await own.call("getPayment", { params: { id: payment.id } })).payment).toEqual(payment);
  });

  test("opens the charge from today and returns the amount to the credit, on both bases", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const chargeId = await aCharge(own, ownTenancy.leaseId, 700);
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(ownTenancy, 900), allocations: [{ chargeId, amountCents: 700 }] } });
    const removed = await own.call("deletePaymentAllocation", removal(payment));
    expect(removed.payment).toMatchObject({ unallocatedCents: 900, status: "received", allocations: [] });
    const { charge, allocations } = await own.call("getCharge", { params: { id: chargeId } });
    expect([charge.status, charge.balanceCents, charge.dueDate, allocations]).toEqual(["pending", 700, "2026-01-01", []]);
    expect(await balancesOn(own, "2026-01-31")).toEqual({ "1050": 900, "2150": -200, "4000": -700 });
    expect(await balancesOn(own, "2199-12-31")).toEqual({ "1050": 900, "1100": 700, "2150": -900, "4000": -700 });
    expect(await balancesOn(own, "2199-12-31", "cash")).toEqual({ "1050": 900, "2150": -900 });
    const { journalEntries } = await own.call("listJournalEntries", { query: { source: "allocation" } });
    const codes = new Map((await own.call("listCategories")).categories.map(({ id, code }) => [id, code]));
    const lines = journalEntries[0]!.lines.map((line) => [codes.get(line.accountId), line.debitCents, line.creditCents]);
    expect([journalEntries.length, lines]).toEqual([
      1,
      [
        ["2150", 0, 700],
        ["1100", 700, 0],
      ],
    ]);
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("makes the credit available for other charges from the day of the removal", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const [wrong, right] = [await aCharge(own, ownTenancy.leaseId, 700), await aCharge(own, ownTenancy.leaseId, 700)];
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(ownTenancy, 900), allocations: [{ chargeId: wrong, amountCents: 700 }] } });
    await own.call("deletePaymentAllocation", removal(payment));
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: right, amountCents: 700 }] } });
    expect(await balancesOn(own, "2026-01-31")).toEqual({ "1050": 900, "1100": 700, "2150": -200, "4000": -1_400 });
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: wrong, amountCents: 200 }] } });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
    await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-01-10T15:00:00.000Z" } });
    expect(await balancesOn(own, "2199-12-31")).toEqual({ "1100": 1_400, "4000": -1_400 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("of a payment without a lease moves the money back from the property of the charge, and a deposit from held to due", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const { charge } = await own.call("createCharge", {
      body: { leaseId: ownTenancy.leaseId, amountCents: 900, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    const body = { ...aPayment(ownTenancy, 900), leaseId: undefined, allocations: [{ chargeId: charge.id, amountCents: 900 }] };
    const { payment } = await own.call("recordPayment", { body });
    await own.call("deletePaymentAllocation", removal(payment));
    const { trialBalance } = await own.call("getTrialBalance", { query: { asOf: "2199-12-31", propertyId: ownTenancy.propertyId } });
    expect(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents])).toEqual([
      ["1100", 900],
      ["2110", -900],
    ]);
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("undoes a future settlement on its own day, as if it had not been made", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const chargeId = await aCharge(own, ownTenancy.leaseId, 700, "2190-01-01");
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(ownTenancy, 700), allocations: [{ chargeId, amountCents: 700 }] } });
    await own.call("deletePaymentAllocation", removal(payment));
    const earlier = await aCharge(own, ownTenancy.leaseId, 700);
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: earlier, amountCents: 700 }] } });
    expect(await balancesOn(own, "2026-01-31")).toEqual({ "1050": 700, "4000": -700 });
    expect(await balancesOn(own, "2190-01-01")).toEqual({ "1050": 700, "1100": 700, "4000": -1_400 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("of a payment without a lease returns money held for a later charge to the credit at once", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const later = await aCharge(own, ownTenancy.leaseId, 700, "2190-01-01");
    const body = { ...aPayment(ownTenancy, 700), leaseId: undefined, allocations: [{ chargeId: later, amountCents: 700 }] };
    const { payment } = await own.call("recordPayment", { body });
    await own.call("deletePaymentAllocation", removal(payment));
    const earlier = await aCharge(own, ownTenancy.leaseId, 700);
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: earlier, amountCents: 700 }] } });
    expect(await balancesOn(own, "2189-12-31")).toEqual({ "1050": 700, "4000": -700 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
    await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect(await balancesOn(own, "2199-12-31")).toEqual({ "1100": 1_400, "4000": -1_400 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("keeps the allocation as released today, with the entry that reverses it", async () => {
    const payment = await pay(await aCharge(office, tenancy.leaseId, 100), 100);
    const before = todayInOffice();
    await office.call("deletePaymentAllocation", removal(payment));
    const { rows } = await withOwnerConnection(office, (client) =>
      client.query<{ on: string; source: string }>(
        "select a.released_on::text as on, e.source from payment_allocation a join journal_entry e on e.id = a.release_entry_id where payment_id = $1",
        [payment.id],
      ),
    );
    expect(rows.map(({ source }) => source)).toEqual(["allocation"]);
    expect([before, todayInOffice()]).toContain(rows[0]!.on);
  });

  test("finds no allocation that is unknown, removed, of another payment, or of a reversed payment", async () => {
    const [first, second] = [await pay(await aCharge(office, tenancy.leaseId, 100), 100), await pay(await aCharge(office, tenancy.leaseId, 100), 100)];
    const refusal = async (id: string, allocationId: string) => {
      const { status, body } = await office.attempt("deletePaymentAllocation", { params: { id, allocationId } });
      return [status, body.code];
    };
    expect(await refusal(first.id, randomUUID())).toEqual([404, "not_found"]);
    expect(await refusal(first.id, second.allocations[0]!.id)).toEqual([404, "not_found"]);
    await office.call("deletePaymentAllocation", removal(first));
    expect(await refusal(first.id, first.allocations[0]!.id)).toEqual([404, "not_found"]);
    await office.call("reversePayment", { params: { id: second.id }, body: { reason: "other" } });
    expect(await refusal(second.id, second.allocations[0]!.id)).toEqual([404, "not_found"]);
  });

  test("removes an allocation once for ten concurrent requests", async () => {
    const payment = await pay(await aCharge(office, tenancy.leaseId, 100), 100);
    const responses = await Promise.all(Array.from({ length: 10 }, () => office.attempt("deletePaymentAllocation", removal(payment))));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status, body }) => status === 404 && body.code === "not_found")).toHaveLength(9);
    expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(100);
    await expectNoViolations();
  });
});

describe("the table of allocations", () => {
  test("refuses every deletion by the service, and every change other than the first release", async () => {
    const { id } = await pay(await aCharge(office, tenancy.leaseId, 100), 100);
    await office.call("reversePayment", { params: { id }, body: { reason: "nsf" } });
    const change = (statement: string) =>
      withOwnerConnection(office, (client) => client.query(`update payment_allocation set ${statement} where payment_id = $1`, [id]));
    await expect(change("released_on = null, released_at = null")).rejects.toMatchObject({ code: "42501" });
    await expect(change("amount_cents = 1")).rejects.toMatchObject({ code: "42501" });
    const service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
    await service.connect();
    await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await expect(service.query("delete from payment_allocation where payment_id = $1", [id])).rejects.toMatchObject({ code: "42501" });
    await service.end();
  });
});
