import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventType } from "@freehold/contract/events";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { aPayment, closing } from "../../../../../test/tenancy.ts";
import { listening, soon, theDay, theDayHasBegun } from "../../../test/ledger.fixtures.ts";

let office: Office;
let ear: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  office = await anOffice();
  ear = await listening(office);
  await theDayHasBegun(office);
});
afterAll(() => ear.close());

interface Place {
  propertyId: string;
  unitId: string;
  tenantId: string;
}

async function aPlace(): Promise<Place> {
  const address = { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207" };
  const { property } = await office.call("createProperty", { body: { ...address, units: 1, occupiedUnits: 0 } });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: 100_000 } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return { propertyId: property.id, unitId: unit.id, tenantId: tenant.id };
}

/** A draft that charges 1000.00 a month from the first of January 2026. */
async function aDraft(change: object = {}): Promise<string> {
  const terms = { startDate: "2026-01-01", endDate: "2099-12-31", termType: "fixed" as const, rentCents: 100_000, rentChargeDay: 1 };
  return (await office.call("createLease", { body: { ...(await aPlace()), ...terms, ...change } })).lease.id;
}
const activate = (id: string, body: object = {}) => office.call("activateLease", { params: { id }, body });
async function anActiveLease(change: object = {}): Promise<string> {
  const id = await aDraft(change);
  await activate(id);
  return id;
}
const postThrough = async (leaseId: string, throughDate = theDay()) => {
  const { lease } = await office.call("getLease", { params: { id: leaseId } });
  return office.call("postDueCharges", { body: { throughDate, propertyId: lease.propertyId } });
};
interface Ending {
  terminationDate: string;
  finalRent?: "prorate" | "full" | "none";
  terminationFeeCents?: number;
}
const terminate = (id: string, body: Ending) => office.call("terminateLease", { params: { id }, body });
const chargesOf = async (leaseId: string) => (await office.call("listCharges", { query: { leaseId, sortDirection: "asc", pageSize: 100 } })).charges;
/** What a lease was charged and what stands of it, as "due day amount status". */
const figures = async (leaseId: string) => (await chargesOf(leaseId)).map(({ dueDate, amountCents, status }) => `${dueDate} ${amountCents} ${status}`);
const standing = async (leaseId: string) => (await figures(leaseId)).filter((each) => !each.endsWith("voided"));
const rulesOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;

/** Delivers the event of a lease a second time, and waits until the ledger has consumed it. */
async function again(type: EventType, entityId: string): Promise<void> {
  const event = await ear.hears(type, entityId);
  await ear.repeat(event);
  await soon("the second delivery", () => ear.of(type, entityId).length === 2);
  await ear.consumed();
}

describe("the activation of a lease", () => {
  test("starts its rent and charges the first month by the day", async () => {
    const id = await aDraft({ startDate: "2026-01-10", rentChargeDay: 5 });
    expect(await rulesOf(id)).toEqual([]);
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
    expect(await figures(id)).toEqual(["2026-01-10 70968 pending", "2026-02-05 100000 pending", "2026-03-05 100000 pending"]);
  });

  test("on the first of a month charges nothing by the day", async () => {
    const id = await aDraft();
    expect((await activate(id)).charges).toEqual([]);
    await postThrough(id, "2026-01-31");
    expect(await figures(id)).toEqual(["2026-01-01 100000 pending"]);
  });

  test.each([
    [{ chargeProration: false }, {}],
    [{}, { prorateFirstMonth: false }],
  ])("with %p on a lease with %p charges the first month whole", async (body, terms) => {
    const id = await aDraft({ startDate: "2026-01-10", ...terms });
    expect((await activate(id, body)).charges).toEqual([]);
    await again("lease.activated", id);
    await postThrough(id, "2026-01-31");
    expect(await figures(id)).toEqual(["2026-01-10 100000 pending"]);
  });

  test("sets up no rent that is not wanted", async () => {
    for (const terms of [{ createRecurringRent: false }, { rentCents: 0 }]) {
      const id = await aDraft(terms);
      expect((await activate(id)).recurringChargeRules).toEqual([]);
    }
  });

  test("told twice starts its rent once", async () => {
    const id = await aDraft({ startDate: "2026-01-10" });
    await activate(id);
    const before = [await rulesOf(id), await chargesOf(id)];
    await again("lease.activated", id);
    expect([await rulesOf(id), await chargesOf(id)]).toEqual(before);
  });
});

describe("a draft that is written for an active lease", () => {
  test("stays a draft when the activation is told again", async () => {
    const leaseId = await anActiveLease();
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
    await again("lease.activated", leaseId);
    const { recurringChargeRule: read } = await office.call("getRecurringCharge", { params: { id: recurringChargeRule.id } });
    expect(read.status).toBe("draft");
  });
});

describe("the renewal of a lease", () => {
  const renewal = { startDate: "2099-01-01", endDate: "2099-12-31", rentCents: 120_000 };
  const aRenewedLease = async () => {
    const id = await anActiveLease({ startDate: addDays(theDay(), -1), endDate: "2098-12-31" });
    const categoryId = (await office.call("listCategories")).categories.find(({ code }) => code === "4010")!.id;
    const fee = { amountCents: 5_000, categoryId, dayOfMonth: 3, startDate: "2090-01-01", kind: "fee" as const, label: "Parking" };
    await office.call("createRecurringCharge", { body: { ...fee, leaseId: id } });
    const { lease, recurringChargeRules } = await office.call("renewLease", { params: { id }, body: renewal });
    return { id, renewed: lease.id, recurringChargeRules };
  };

  test("drafts its rent and the fees of the lease before it, and leaves that one alone", async () => {
    const { id, renewed, recurringChargeRules } = await aRenewedLease();
    const dates = { leaseId: renewed, startDate: "2099-01-01", endDate: "2099-12-31", status: "draft" };
    expect(recurringChargeRules).toMatchObject([
      { ...dates, kind: "rent", label: "Rent", amountCents: 120_000 },
      { ...dates, kind: "fee", label: "Parking", amountCents: 5_000, dayOfMonth: 3 },
    ]);
    expect((await rulesOf(id)).map(({ status }) => status)).toEqual(["active", "active"]);
  });

  test("told twice drafts them once", async () => {
    const { id, renewed } = await aRenewedLease();
    const before = await rulesOf(renewed);
    await again("lease.renewed", id);
    expect(await rulesOf(renewed)).toEqual(before);
  });

  test("once activated charges from its start, and the lease before it up to the day before", async () => {
    const { id, renewed } = await aRenewedLease();
    const { recurringChargeRules } = await activate(renewed);
    expect(recurringChargeRules.map(({ status, startDate }) => [status, startDate])).toEqual([
      ["active", "2099-01-01"],
      ["active", "2099-01-01"],
    ]);
    expect((await rulesOf(id)).map(({ endDate }) => endDate)).toEqual(["2098-12-31", "2098-12-31"]);
  });
});

describe("the termination of a lease", () => {
  const posted = ["2026-01-01 100000 pending", "2026-02-01 100000 pending"];

  test.each([
    ["prorate" as const, "2026-03-15", [...posted, "2026-03-01 48387 pending"]],
    ["full" as const, "2026-03-31", [...posted, "2026-03-01 100000 pending"]],
    ["none" as const, "2026-02-28", posted],
  ])("with the last month %s ends the rent on %s and charges up to it", async (finalRent, endDate, expected) => {
    const [before, after] = [await anActiveLease(), await anActiveLease()];
    await postThrough(before);
    for (const id of [before, after]) {
      await terminate(id, { terminationDate: "2026-03-15", finalRent });
      expect(await rulesOf(id)).toMatchObject([{ status: "ended", endDate }]);
      expect(await standing(id)).toEqual(expected);
      await postThrough(id);
      expect(await standing(id)).toEqual(expected);
    }
  });

  test("answers what it charged, and announces what it voided", async () => {
    const id = await anActiveLease();
    await postThrough(id, "2026-03-31");
    const { charges } = await terminate(id, { terminationDate: "2026-03-15", terminationFeeCents: 7_500 });
    expect(charges.map(({ name, amountCents, dueDate }) => [name, amountCents, dueDate])).toEqual([
      ["Rent, last month by the day", 48_387, "2026-03-01"],
      ["Termination fee", 7_500, "2026-03-15"],
    ]);
    const gone = (await chargesOf(id)).find(({ status }) => status === "voided")!;
    expect(await ear.hears("charge.voided", gone.id)).toMatchObject({ data: { leaseId: id } });
    await closing(office);
  });

  test("leaves what is paid of the last month as it is", async () => {
    const id = await anActiveLease();
    await postThrough(id, "2026-03-31");
    const { lease } = await office.call("getLease", { params: { id } });
    const march = (await chargesOf(id)).at(-1)!;
    const payment = { ...aPayment({ ...lease, leaseId: id }, 100), allocations: [{ chargeId: march.id, amountCents: 100 }] };
    await office.call("recordPayment", { body: payment });
    await terminate(id, { terminationDate: "2026-03-15" });
    expect((await standing(id)).at(-1)).toBe("2026-03-01 100000 partially_paid");
  });

  test("charges a fee whose day comes before the end whole, and takes back one whose day comes after it", async () => {
    const id = await anActiveLease({ createRecurringRent: false });
    const categoryId = (await office.call("listCategories")).categories.find(({ code }) => code === "4010")!.id;
    const fee = { leaseId: id, amountCents: 5_000, categoryId, startDate: "2026-03-01", kind: "fee" as const, label: "Parking", postMissed: true };
    for (const dayOfMonth of [10, 20]) await office.call("createRecurringCharge", { body: { ...fee, dayOfMonth } });
    await postThrough(id, "2026-03-31");
    await terminate(id, { terminationDate: "2026-03-15", finalRent: "none" });
    expect(await figures(id)).toEqual(["2026-03-10 5000 pending", "2026-03-20 5000 voided"]);
  });

  test("charges the fee once, also when it lies ahead and nothing else is charged", async () => {
    for (const terms of [{}, { createRecurringRent: false }]) {
      for (const terminationDate of ["2026-03-15", addDays(theDay(), 40)]) {
        const id = await anActiveLease({ startDate: "2026-02-01", ...terms });
        const { charges } = await terminate(id, { terminationDate, finalRent: "none", terminationFeeCents: 7_500 });
        expect(charges.at(-1)).toMatchObject({ name: "Termination fee", amountCents: 7_500, dueDate: terminationDate, chargeType: "fee" });
        const before = await figures(id);
        await again("lease.terminated", id);
        expect(await figures(id)).toEqual(before);
        expect(before.filter((each) => each === `${terminationDate} 7500 pending`)).toHaveLength(1);
      }
    }
  });

  test("racing with posting and payments charges nothing beyond its end and loses no cent", async () => {
    const leases = await Promise.all(Array.from({ length: 6 }, () => anActiveLease()));
    for (const id of leases.slice(3)) await postThrough(id);
    await Promise.all(
      leases.flatMap((id) => [
        postThrough(id),
        terminate(id, { terminationDate: "2026-03-15" }),
        office
          .call("getLease", { params: { id } })
          .then(({ lease }) => office.call("recordPayment", { body: { ...aPayment({ ...lease, leaseId: id }, 150_000), autoAllocate: true } })),
      ]),
    );
    for (const id of leases) {
      const charges = await chargesOf(id);
      const beyond = charges.filter(
        ({ periodEnd, status, allocatedCents }) => periodEnd && periodEnd > "2026-03-15" && status !== "voided" && allocatedCents === 0,
      );
      expect(beyond).toEqual([]);
    }
    await closing(office);
  });

  test("that lies ahead keeps the rent going until then", async () => {
    const id = await anActiveLease();
    const terminationDate = addDays(theDay(), 40);
    await terminate(id, { terminationDate });
    expect(await rulesOf(id)).toMatchObject([{ status: "active", endDate: terminationDate }]);
    await postThrough(id, addDays(theDay(), 100));
    expect((await chargesOf(id)).at(-1)).toMatchObject({ periodEnd: terminationDate });
  });
});
