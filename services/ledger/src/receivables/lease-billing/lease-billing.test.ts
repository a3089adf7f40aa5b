import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventType } from "@freehold/contract/events";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, requireBalancedTrialBalance } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, todayInOffice, waitForDailyJobs, withOwnerConnection, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  events = await recordEvents(office);
  await waitForDailyJobs(office);
});
afterAll(() => events.close());

interface UnitAndTenant {
  propertyId: string;
  unitId: string;
  tenantId: string;
}

async function createUnitAndTenant(): Promise<UnitAndTenant> {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** Creates a draft lease with a rent of 1000.00 a month from January 1, 2026. */
async function createDraft(changes: object = {}): Promise<string> {
  const terms = { startDate: "2026-01-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1 };
  return (await office.call("createLease", { body: { ...(await createUnitAndTenant()), ...terms, ...changes } })).lease.id;
}
const activate = (id: string, body: object = {}) => office.call("activateLease", { params: { id }, body });
async function createActiveLease(changes: object = {}): Promise<string> {
  const id = await createDraft(changes);
  await activate(id);
  return id;
}
const postThrough = async (leaseId: string, throughDate = todayInOffice()) => {
  const { lease } = await office.call("getLease", { params: { id: leaseId } });
  return office.call("postDueCharges", { body: { throughDate, propertyId: lease.propertyId } });
};
interface TerminationBody {
  terminationDate: string;
  finalRent?: "prorate" | "full" | "none";
  terminationFeeCents?: number;
}
const terminate = (id: string, body: TerminationBody) => office.call("terminateLease", { params: { id }, body });
const listCharges = async (leaseId: string) => (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges;
/** Returns the charges of a lease as "dueDate amountCents status". */
const chargeSummaries = async (leaseId: string) =>
  (await listCharges(leaseId)).map(({ dueDate, amountCents, status }) => `${dueDate} ${amountCents} ${status}`);
const unvoidedSummaries = async (leaseId: string) => (await chargeSummaries(leaseId)).filter((summary) => !summary.endsWith("voided"));
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;

/** Redelivers the event of a lease and waits until the ledger has consumed it. */
async function redeliver(type: EventType, entityId: string): Promise<void> {
  const event = await events.waitForEvent(type, entityId);
  await events.redeliver(event);
  await eventually("redelivery", () => events.eventsOf(type, entityId).length === 2);
  await events.waitUntilConsumed();
}

describe("lease activation", () => {
  test("creates the recurring rent and charges the prorated first month", async () => {
    const id = await createDraft({ startDate: "2026-01-10", rentChargeDay: 5 });
    expect(await listRules(id)).toEqual([]);
    const { recurringChargeRules, charges } = await activate(id);
    const terms = {
      leaseId: id,
      kind: "rent",
      label: "Rent",
      status: "active",
      amountCents: 100_000,
      dayOfMonth: 5,
      startDate: "2026-01-10",
      endDate: "2099-12-31",
    };
    expect(recurringChargeRules).toMatchObject([terms]);
    const firstMonth = { amountCents: 70_968, dueDate: "2026-01-10", periodStart: "2026-01-10", periodEnd: "2026-01-31", chargeType: "rent" };
    expect(charges).toMatchObject([{ ...firstMonth, recurringChargeRuleId: recurringChargeRules[0]!.id, status: "pending" }]);
    await postThrough(id, "2026-03-31");
    expect(await chargeSummaries(id)).toEqual(["2026-01-10 70968 pending", "2026-02-05 100000 pending", "2026-03-05 100000 pending"]);
  });

  test("of a lease that starts on the first of a month prorates nothing", async () => {
    const id = await createDraft();
    expect((await activate(id)).charges).toEqual([]);
    await postThrough(id, "2026-01-31");
    expect(await chargeSummaries(id)).toEqual(["2026-01-01 100000 pending"]);
  });

  test.each([
    [{ chargeProration: false }, {}],
    [{}, { prorateFirstMonth: false }],
  ])("with %p on a lease with %p charges the first month in full", async (body, terms) => {
    const id = await createDraft({ startDate: "2026-01-10", ...terms });
    expect((await activate(id, body)).charges).toEqual([]);
    await redeliver("lease.activated", id);
    await postThrough(id, "2026-01-31");
    expect(await chargeSummaries(id)).toEqual(["2026-01-10 100000 pending"]);
  });

  test("creates no recurring rent when it is disabled or the rent is 0", async () => {
    for (const terms of [{ createRecurringRent: false }, { rentCents: 0 }]) {
      const id = await createDraft(terms);
      expect((await activate(id)).recurringChargeRules).toEqual([]);
    }
  });

  test("has no further effect when its event is redelivered", async () => {
    const id = await createDraft({ startDate: "2026-01-10" });
    await activate(id);
    const before = [await listRules(id), await listCharges(id)];
    await redeliver("lease.activated", id);
    expect([await listRules(id), await listCharges(id)]).toEqual(before);
  });
});

describe("a draft recurring charge of an active lease", () => {
  test("stays a draft when the activation event is redelivered", async () => {
    const leaseId = await createActiveLease();
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    const terms = {
      leaseId,
      categoryId,
      amountCents: 5_000,
      dayOfMonth: 1,
      startDate: "2026-01-01",
      kind: "fee" as const,
      label: "Parking",
      status: "draft" as const,
    };
    const { recurringChargeRule } = await office.call("createRecurringCharge", { body: terms });
    await redeliver("lease.activated", leaseId);
    const { recurringChargeRule: read } = await office.call("getRecurringCharge", { params: { id: recurringChargeRule.id } });
    expect(read.status).toBe("draft");
  });
});

describe("lease renewal", () => {
  const renewal = { startDate: "2099-01-01", endDate: "2099-12-31", rentCents: 120_000 };
  const createRenewedLease = async () => {
    const id = await createActiveLease({ startDate: addDays(todayInOffice(), -1), endDate: "2098-12-31" });
    const categoryId = (await office.call("listCategories")).categories.find(({ code }) => code === "4010")!.id;
    const fee = { amountCents: 5_000, categoryId, dayOfMonth: 3, startDate: "2090-01-01", kind: "fee" as const, label: "Parking" };
    await office.call("createRecurringCharge", { body: { ...fee, leaseId: id } });
    const { lease, recurringChargeRules } = await office.call("renewLease", { params: { id }, body: renewal });
    return { id, renewalId: lease.id, recurringChargeRules };
  };

  test("creates draft recurring charges for its rent and the predecessor's fees, and leaves those of the predecessor unchanged", async () => {
    const { id, renewalId, recurringChargeRules } = await createRenewedLease();
    const draft = { leaseId: renewalId, startDate: "2099-01-01", status: "draft" };
    expect(recurringChargeRules).toMatchObject([
      { ...draft, endDate: "2099-12-31", kind: "rent", label: "Rent", amountCents: 120_000 },
      { ...draft, endDate: null, kind: "fee", label: "Parking", amountCents: 5_000, dayOfMonth: 3 },
    ]);
    expect((await listRules(id)).map(({ status }) => status)).toEqual(["active", "active"]);
  });

  test("has no further effect when its event is redelivered", async () => {
    const { renewalId } = await createRenewedLease();
    const before = await listRules(renewalId);
    await redeliver("lease.created", renewalId);
    expect(await listRules(renewalId)).toEqual(before);
  });

  test("once activated starts its recurring charges, and ends those of the predecessor the day before", async () => {
    const { id, renewalId } = await createRenewedLease();
    const { recurringChargeRules } = await activate(renewalId);
    expect(recurringChargeRules.map(({ status, startDate }) => [status, startDate])).toEqual([
      ["active", "2099-01-01"],
      ["active", "2099-01-01"],
    ]);
    expect((await listRules(id)).map(({ endDate }) => endDate)).toEqual(["2098-12-31", "2098-12-31"]);
  });
});

describe("lease termination", () => {
  const posted = ["2026-01-01 100000 pending", "2026-02-01 100000 pending"];

  test.each([
    ["prorate" as const, "2026-03-15", [...posted, "2026-03-01 48387 pending"]],
    ["full" as const, "2026-03-31", [...posted, "2026-03-01 100000 pending"]],
    ["none" as const, "2026-02-28", posted],
  ])("with final rent %s ends the rent on %s and leaves only the charges up to that day", async (finalRent, endDate, expected) => {
    const [postedLease, unpostedLease] = [await createActiveLease(), await createActiveLease()];
    await postThrough(postedLease);
    for (const id of [postedLease, unpostedLease]) {
      await terminate(id, { terminationDate: "2026-03-15", finalRent });
      expect(await listRules(id)).toMatchObject([{ status: "ended", endDate }]);
      expect(await unvoidedSummaries(id)).toEqual(expected);
      await postThrough(id);
      expect(await unvoidedSummaries(id)).toEqual(expected);
    }
  });

  test("returns the posted charges and publishes charge.voided", async () => {
    const id = await createActiveLease();
    await postThrough(id, "2026-03-31");
    const { charges } = await terminate(id, { terminationDate: "2026-03-15", terminationFeeCents: 7_500 });
    expect(charges.map(({ name, amountCents, dueDate }) => [name, amountCents, dueDate])).toEqual([
      ["Rent, prorated last month", 48_387, "2026-03-01"],
      ["Termination fee", 7_500, "2026-03-15"],
    ]);
    const voided = (await listCharges(id)).find(({ status }) => status === "voided")!;
    expect(await events.waitForEvent("charge.voided", voided.id)).toMatchObject({ data: { leaseId: id } });
    await requireBalancedTrialBalance(office);
  });

  test("in a past month leaves only the prorated rent in the accounts, also when a payment had settled the full rent until it was reversed", async () => {
    const [unpaid, returned] = [await createActiveLease(), await createActiveLease()];
    for (const id of [unpaid, returned]) await postThrough(id, "2026-03-31");
    const march = (await listCharges(returned)).at(-1)!;
    const allocations = [{ chargeId: march.id, amountCents: 100_000 }];
    const body = { ...aPayment({ leaseId: returned, tenantId: march.tenantId }, 100_000), receivedAt: "2026-03-03T15:00:00Z", allocations };
    const { payment } = await office.call("recordPayment", { body });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-03-20T15:00:00Z" } });
    const balanceOn = async (leaseId: string, to: string) =>
      (await office.call("listLeaseLedger", { params: { id: leaseId }, query: { to, pageSize: 1 } })).closingBalanceCents;
    for (const id of [unpaid, returned]) await terminate(id, { terminationDate: "2026-03-15" });
    for (const day of ["2026-03-01", "2026-03-31"]) expect(await balanceOn(unpaid, day)).toBe(248_387);
    // The full rent was settled from March 3 to March 20, so its charge is voided on March 20.
    expect(await Promise.all(["2026-03-03", "2026-03-19", "2026-03-20"].map((day) => balanceOn(returned, day)))).toEqual([248_387, 248_387, 248_387]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test.each([
    ["partly", 10_000, "partially_paid", 0],
    ["fully", 100_000, "paid", 100_000 - 48_387],
  ])("replaces the rent of a %s paid last month with the prorated rent, and leaves any excess payment as credit", async (_, paidCents, status, creditCents) => {
    const id = await createActiveLease();
    await postThrough(id, "2026-03-31");
    const { lease } = await office.call("getLease", { params: { id } });
    const march = (await listCharges(id)).at(-1)!;
    const body = { ...aPayment({ ...lease, leaseId: id }, paidCents), receivedAt: "2026-03-03T15:00:00.000Z" };
    const { payment } = await office.call("recordPayment", { body: { ...body, allocations: [{ chargeId: march.id, amountCents: paidCents }] } });
    const { charges } = await terminate(id, { terminationDate: "2026-03-15" });
    expect((await unvoidedSummaries(id)).at(-1)).toBe(`2026-03-01 48387 ${status}`);
    expect(charges).toMatchObject([{ periodStart: "2026-03-01", periodEnd: "2026-03-15", recurringChargeRuleId: march.recurringChargeRuleId }]);
    const { payment: read } = await office.call("getPayment", { params: { id: payment.id } });
    expect([read.unallocatedCents, read.allocations.map(({ chargeId, amountCents }) => [chargeId, amountCents])]).toEqual([
      creditCents,
      [[charges[0]!.id, paidCents - creditCents]],
    ]);
    const balancesOn = async (asOf: string) => {
      const { trialBalance } = await office.call("getTrialBalance", { query: { asOf, propertyId: lease.propertyId } });
      const closing = Object.fromEntries(trialBalance.rows.map(({ accountCode, closingCents }) => [accountCode, closingCents]));
      return [closing["1100"], closing["2150"], closing["4000"]];
    };
    // The same balances as if only March 1 to 15 had ever been charged.
    expect(await balancesOn("2026-03-02")).toEqual([248_387, 0, -248_387]);
    expect(await balancesOn("2026-03-03")).toEqual([248_387 - (paidCents - creditCents), 0 - creditCents, -248_387]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("keeps the full amount of a fee that is due before the termination date, and voids a fee that is due after it", async () => {
    const id = await createActiveLease({ createRecurringRent: false });
    const categoryId = (await office.call("listCategories")).categories.find(({ code }) => code === "4010")!.id;
    const fee = { leaseId: id, amountCents: 5_000, categoryId, startDate: "2026-03-01", kind: "fee" as const, label: "Parking", postMissed: true };
    for (const dayOfMonth of [10, 20]) await office.call("createRecurringCharge", { body: { ...fee, dayOfMonth } });
    await postThrough(id, "2026-03-31");
    await terminate(id, { terminationDate: "2026-03-15", finalRent: "none" });
    expect(await chargeSummaries(id)).toEqual(["2026-03-10 5000 pending", "2026-03-20 5000 voided"]);
  });

  test("charges the termination fee once, also for a future date and without other charges", async () => {
    for (const terms of [{}, { createRecurringRent: false }]) {
      for (const terminationDate of ["2026-03-15", addDays(todayInOffice(), 40)]) {
        const id = await createActiveLease({ startDate: "2026-02-01", ...terms });
        const { charges } = await terminate(id, { terminationDate, finalRent: "none", terminationFeeCents: 7_500 });
        expect(charges.at(-1)).toMatchObject({ name: "Termination fee", amountCents: 7_500, dueDate: terminationDate, chargeType: "fee" });
        const before = await chargeSummaries(id);
        await redeliver("lease.terminated", id);
        expect(await chargeSummaries(id)).toEqual(before);
        expect(before.filter((summary) => summary === `${terminationDate} 7500 pending`)).toHaveLength(1);
      }
    }
  });

  test("concurrent with posting and payments leaves the accounts balanced and no rent after its end", async () => {
    const leases = await Promise.all(Array.from({ length: 6 }, () => createActiveLease()));
    for (const id of leases.slice(3)) await postThrough(id);
    const statuses = await Promise.all(
      leases.map(async (id) => {
        const { lease } = await office.call("getLease", { params: { id } });
        const [, { status }] = await Promise.all([
          postThrough(id),
          office.attempt("terminateLease", { params: { id }, body: { terminationDate: "2026-03-15" } }),
          office.call("recordPayment", { body: { ...aPayment({ ...lease, leaseId: id }, 150_000), autoAllocate: true } }),
        ]);
        return status;
      }),
    );
    // A slow ledger causes 503. The consumer of `lease.terminated` then ends the billing.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    for (const id of leases) {
      await eventually("end of the rent", async () => (await listRules(id)).every(({ status }) => status === "ended"));
      const afterEnd = (await listCharges(id)).filter(({ periodEnd, status }) => periodEnd && periodEnd > "2026-03-15" && status !== "voided");
      expect(afterEnd).toEqual([]);
    }
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("on a future date charges rent until then", async () => {
    const id = await createActiveLease();
    const terminationDate = addDays(todayInOffice(), 40);
    await terminate(id, { terminationDate });
    expect(await listRules(id)).toMatchObject([{ status: "active", endDate: terminationDate }]);
    await postThrough(id, addDays(todayInOffice(), 100));
    expect((await listCharges(id)).at(-1)).toMatchObject({ periodEnd: terminationDate });
  });
});
