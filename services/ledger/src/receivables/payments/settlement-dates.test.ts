/** Days on which charges are settled after reversals, and after the organization moved to another time zone. */
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

/** Moves an organization to another time zone, and waits until the ledger has it. */
async function moveTo(of: Office, timezone: string): Promise<void> {
  await of.call("updateOrganization", { body: { timezone } });
  await withOwnerConnection(of, (client) =>
    eventually("time zone", async () => (await client.query<{ timezone: string }>("select timezone from book")).rows[0]!.timezone === timezone),
  );
}

/** Returns the balances of accounts at the end of a day, of one property if given. */
async function balances(of: Office, asOf: string, codes: string[], query: { propertyId?: string; basis?: "cash" | "accrual" } = {}) {
  const { trialBalance } = await of.call("getTrialBalance", { query: { asOf, ...query } });
  return Object.fromEntries(trialBalance.rows.filter(({ accountCode }) => codes.includes(accountCode)).map((row) => [row.accountCode, row.closingCents]));
}

const pay = async (tenancy: Tenancy, chargeId: string, amountCents: number, receivedAt: string, of = office) =>
  (await of.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), receivedAt, allocations: [{ chargeId, amountCents }] } })).payment;

async function aCoTenant(leaseId: string): Promise<string> {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Cora Co-tenant" } });
  await office.call("createOccupant", { params: { leaseId }, body: { tenantId: tenant.id, role: "co_tenant" } });
  await withOwnerConnection(office, (client) =>
    eventually(
      "co-tenant",
      async () => (await client.query("select from lease_copy where id = $1 and $2 = any(payer_ids)", [leaseId, tenant.id])).rowCount === 1,
    ),
  );
  return tenant.id;
}

describe("after a reversal", () => {
  test("a payment dated a month late by mistake and reversed on its own day does not postpone the settlement by the correct payment", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
    const mistake = await pay(tenancy, chargeId, 1_000, "2026-02-05T15:00:00.000Z");
    await office.call("reversePayment", { params: { id: mistake.id }, body: { reason: "entry_error", reversedAt: "2026-02-05T15:00:00.000Z" } });
    await pay(tenancy, chargeId, 1_000, "2026-01-05T15:00:00.000Z");
    const { propertyId } = tenancy;
    expect({
      accrual: await balances(office, "2026-01-31", ["1100", "2150"], { propertyId }),
      cash: await balances(office, "2026-01-31", ["4000"], { propertyId, basis: "cash" }),
    }).toEqual({ accrual: { "1100": 0, "2150": 0 }, cash: { "4000": -1_000 } });
  });

  test("a returned partial payment does not postpone the settlement of the rest of the charge", async () => {
    const tenancy = await aTenancy(office);
    const roommateId = await aCoTenant(tenancy.leaseId);
    const chargeId = await aCharge(office, tenancy.leaseId, 2_000);
    const returned = await pay(tenancy, chargeId, 100, "2026-01-05T15:00:00.000Z");
    const { payment: good } = await office.call("recordPayment", {
      body: { ...aPayment({ ...tenancy, tenantId: roommateId }, 1_900), receivedAt: "2026-01-06T15:00:00.000Z" },
    });
    await office.call("reversePayment", { params: { id: returned.id }, body: { reason: "nsf", reversedAt: "2026-06-01T15:00:00.000Z" } });
    await office.call("allocatePayment", { params: { id: good.id }, body: { allocations: [{ chargeId, amountCents: 1_900 }] } });
    const { propertyId } = tenancy;
    expect({
      accrual: await balances(office, "2026-01-31", ["1100", "2150"], { propertyId }),
      cash: await balances(office, "2026-01-31", ["4000"], { propertyId, basis: "cash" }),
    }).toEqual({ accrual: { "1100": 0, "2150": 0 }, cash: { "4000": -2_000 } });
  });

  test("the reversal of a mistaken payment on its own day restores the amount that was open before another payment was returned", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 2_000);
    const returned = await pay(tenancy, chargeId, 100, "2026-01-05T15:00:00.000Z");
    await office.call("reversePayment", { params: { id: returned.id }, body: { reason: "nsf", reversedAt: "2026-06-01T15:00:00.000Z" } });
    const mistake = await pay(tenancy, chargeId, 1_900, "2026-01-08T15:00:00.000Z");
    await office.call("reversePayment", { params: { id: mistake.id }, body: { reason: "entry_error", reversedAt: "2026-01-08T16:00:00.000Z" } });
    await pay(tenancy, chargeId, 1_900, "2026-01-06T15:00:00.000Z");
    expect(await balances(office, "2026-01-31", ["4000"], { propertyId: tenancy.propertyId, basis: "cash" })).toEqual({ "4000": -2_000 });
  });

  test("a charge reopened by a reversal on a future day is not voided before that day", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const chargeId = await aCharge(own, tenancy.leaseId, 1_000);
    const { id } = await pay(tenancy, chargeId, 1_000, "2026-01-05T15:00:00.000Z", own);
    await own.call("reversePayment", { params: { id }, body: { reason: "nsf", reversedAt: "2190-01-05T15:00:00.000Z" } });
    await own.call("voidCharge", { params: { id: chargeId }, body: { reason: "a mistake" } });
    expect(await balances(own, "2189-12-31", ["1100"])).toEqual({ "1100": 0 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });
});

describe("an organization that corrects its time zone to the west", () => {
  test("does not date the reversal of a charge before the charge", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const chargeId = await aCharge(own, tenancy.leaseId, 1_000, "2190-01-01");
    await moveTo(own, "Pacific/Honolulu");
    await own.call("voidCharge", { params: { id: chargeId }, body: { reason: "a mistake" } });
    expect(await balances(own, "2189-12-31", ["1100", "4000"])).toEqual({ "1100": 0, "4000": 0 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("does not use credit on the day before it was received", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), receivedAt: "2026-02-01T06:00:00.000Z" } });
    const chargeId = await aCharge(own, tenancy.leaseId, 1_000);
    await moveTo(own, "Pacific/Honolulu");
    await own.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 1_000 }] } });
    expect(await balances(own, "2026-01-31", ["1050", "1100", "2150"])).toEqual({ "1050": 0, "1100": 1_000, "2150": 0 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("dates the fees of a returned payment like its reversal", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), receivedAt: "2026-02-01T06:00:00.000Z" } });
    await moveTo(own, "Pacific/Honolulu");
    const body = { reason: "nsf" as const, reversedAt: "2026-02-01T06:30:00.000Z", nsfFeeCents: 3_500, bankFeeCents: 1_200 };
    const { charges } = await own.call("reversePayment", { params: { id: payment.id }, body });
    expect(charges.map(({ dueDate }) => dueDate)).toEqual(["2026-02-01"]);
    expect(await balances(own, "2026-01-31", ["1050", "1100", "2000", "2150"])).toEqual({ "1050": 0, "1100": 0, "2000": 0, "2150": 0 });
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("dates the next payment in the new time zone", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    await moveTo(own, "Pacific/Honolulu");
    await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), receivedAt: "2026-02-01T06:00:00.000Z" } });
    const { rows } = await withOwnerConnection(own, (client) => client.query("select entry_date::text from journal_entry where source = 'payment'"));
    expect(rows).toEqual([{ entry_date: "2026-01-31" }]);
  });
});
