import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { Lease } from "@freehold/contract/leases";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/office.ts";
import { eventually } from "../../../../../test/world.ts";
import { aReplica, doDaysWork, eventsOf, rows } from "../../../test/behind.ts";
import { aDraft, aLease, aPlace, inDays, now } from "../../../test/places.ts";

const office = await anOffice();
const params = (id: string) => ({ params: { id } });
const read = async (id: string, who: Office = office) => (await who.call("getLease", params(id))).lease;
const becomes = (id: string, wanted: Partial<Lease>, who: Office = office) =>
  eventually(`lease ${JSON.stringify(wanted)}`, async () => {
    const lease = await read(id, who);
    return Object.entries(wanted).every(([name, value]) => lease[name as keyof Lease] === value) ? lease : undefined;
  });
const rulesOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const unitOf = async (id: string) => (await office.call("getUnit", params(id))).unit;
const activate = (id: string) => office.call("activateLease", { ...params(id), body: {} });
const renew = async (id: string, startDate: string) => (await office.call("renewLease", { ...params(id), body: { startDate, endDate: inDays(400) } })).lease;
/** Lets the last day of a lease pass, as it does at midnight. */
const pass = (ids: string[]) =>
  rows(office.organizationId, "update lease set end_date = $2::date, own_end_date = case when own_end_date is not null then $2::date end where id = any($1)", [
    ids,
    inDays(-1),
  ]);

describe("a lease for a fixed term", () => {
  test("expires after its last day: its people stay where they live, and nothing more is charged", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { endDate: inDays(-1) });
    const expired = await becomes(lease.id, { status: "expired" });
    expect(expired).toMatchObject({ endDate: inDays(-1), daysUntilExpiry: -1, isHoldover: false });
    expect(await unitOf(place.unitId)).toMatchObject({ status: "occupied", currentLeaseId: null });
    const [event] = (await eventsOf(office, lease.id)).filter(({ type }) => type === "lease.expired");
    expect(event).toMatchObject({ data: { leaseId: lease.id, endDate: inDays(-1) }, actorUserId: null, audience: { tenantIds: [place.tenantId] } });
    await eventually("end of the rent", async () => ((await rulesOf(lease.id)).every(({ status }) => status === "ended") ? true : undefined));
  });

  test("ends every recurring charge with it, also one without an end of its own", async () => {
    const lease = await aLease(office, await aPlace(office), { endDate: inDays(10) });
    const { categories } = await office.call("listCategories");
    const fee = { amountCents: 1_000, dayOfMonth: 1, startDate: now(), kind: "fee" as const, label: "Parking", status: "active" as const };
    await office.call("createRecurringCharge", {
      body: { ...fee, leaseId: lease.id, categoryId: categories.find(({ accountType }) => accountType === "income")!.id },
    });
    await pass([lease.id]);
    await doDaysWork(office);
    await becomes(lease.id, { status: "expired" });
    const ended = await eventually("end of the charges", async () => {
      const rules = await rulesOf(lease.id);
      return rules.every(({ status }) => status === "ended") ? rules : undefined;
    });
    expect(ended.map(({ endDate }) => endDate)).toEqual([inDays(-1), inDays(-1)]);
  });

  test("runs on its last day still", async () => {
    const lasting = await aLease(office, await aPlace(office), { endDate: now() });
    const over = await aLease(office, await aPlace(office), { endDate: inDays(-1) });
    await becomes(over.id, { status: "expired" });
    expect(await read(lasting.id)).toMatchObject({ status: "active", daysUntilExpiry: 0 });
  });

  test("expires when its end is set to a day that has passed", async () => {
    const lease = await aLease(office, await aPlace(office));
    await office.call("updateLease", { ...params(lease.id), body: { endDate: inDays(-1) } });
    await becomes(lease.id, { status: "expired" });
  });

  test("waits for a renewal that is about to start and expires when that is given up, or beside one that nobody activated", async () => {
    const [waiting, forgotten] = await Promise.all([aLease(office, await aPlace(office)), aLease(office, await aPlace(office))]);
    const renewals = await Promise.all([waiting, forgotten].map(({ id }) => renew(id, inDays(335))));
    await activate(renewals[0]!.id);
    await pass([waiting.id, forgotten.id]);
    await doDaysWork(office);
    await becomes(forgotten.id, { status: "expired" });
    expect((await read(waiting.id)).status).toBe("active");
    await office.call("cancelLease", params(renewals[0]!.id));
    await becomes(waiting.id, { status: "expired", endDate: inDays(-1) });
  });

  test("is followed by a renewal all the same that is activated late, and its people count as those of the renewal", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    const renewal = await renew(lease.id, inDays(335));
    await pass([lease.id]);
    await doDaysWork(office);
    await becomes(lease.id, { status: "expired" });
    await office.call("updateLease", { ...params(renewal.id), body: { startDate: now() } });
    expect((await activate(renewal.id)).lease.status).toBe("active");
    await office.call("terminateLease", { ...params(renewal.id), body: { terminationDate: now() } });
    expect(await read(lease.id)).toMatchObject({ status: "expired", endDate: inDays(-1) });
    expect((await unitOf(place.unitId)).status).toBe("vacant");
  });
});

describe("a lease that rolls over", () => {
  test("goes on by the month after its last day, charges and all, until somebody ends it", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { termType: "fixed_with_rollover", endDate: inDays(-1) });
    const held = await becomes(lease.id, { isHoldover: true });
    expect(held).toMatchObject({ status: "active", termType: "month_to_month", endDate: inDays(-1) });
    expect(await rulesOf(lease.id)).toMatchObject([{ status: "active", endDate: null }]);
    expect(await unitOf(place.unitId)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" }, actorUserId: null });
    const next = await aDraft(office, place, { startDate: inDays(60) });
    expect((await office.attempt("activateLease", { ...params(next.id), body: {} })).body.code).toBe("lease_overlap");
    expect((await renew(lease.id, inDays(1))).renewedFromLeaseId).toBe(lease.id);
    expect((await office.attempt("terminateLease", { ...params(lease.id), body: { terminationDate: inDays(30) } })).status).toBe(200);
  });

  test("makes way for somebody else to whom the unit is let, and expires", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { termType: "fixed_with_rollover", endDate: inDays(5) });
    const next = await aLease(office, place, { startDate: inDays(6) });
    await pass([lease.id]);
    await doDaysWork(office);
    await becomes(lease.id, { status: "expired", isHoldover: false });
    expect((await read(next.id)).status).toBe("pending");
  });

  test("has a new term when it is given one", async () => {
    const lease = await aLease(office, await aPlace(office), { termType: "fixed_with_rollover", endDate: inDays(-1) });
    await becomes(lease.id, { isHoldover: true });
    const { lease: fixed } = await office.call("updateLease", { ...params(lease.id), body: { termType: "fixed", endDate: inDays(100) } });
    expect(fixed).toMatchObject({ status: "active", isHoldover: false, daysUntilExpiry: 100 });
    expect(await rulesOf(lease.id)).toMatchObject([{ endDate: inDays(100) }]);
  });
});

describe("a lease by the month", () => {
  test("does not run out, whatever end it names", async () => {
    const lease = await aLease(office, await aPlace(office), { termType: "month_to_month", endDate: inDays(-1) });
    const over = await aLease(office, await aPlace(office), { endDate: inDays(-1) });
    await becomes(over.id, { status: "expired" });
    expect((await read(lease.id)).status).toBe("active");
    expect(await rulesOf(lease.id)).toMatchObject([{ status: "active", endDate: null }]);
  });
});

describe("expireLeases", () => {
  test("goes by the day where the organization is", async () => {
    const [east, west] = await Promise.all([anOffice(), anOffice()]);
    const zones = [
      [east, "Pacific/Kiritimati"],
      [west, "Pacific/Pago_Pago"],
    ] as const;
    for (const [who, timezone] of zones) await who.call("updateOrganization", { body: { timezone } });
    const endDate = today("Pacific/Pago_Pago");
    const [eastern, western] = await Promise.all(zones.map(async ([who]) => aLease(who, await aPlace(who), { endDate })));
    const over = await aLease(west, await aPlace(west), { endDate: addDays(endDate, -1) });
    await becomes(eastern!.id, { status: "expired" }, east);
    await becomes(over.id, { status: "expired" }, west);
    expect((await read(western!.id, west)).status).toBe("active");
  });

  test("tells of each lease once, however many do the day's work at once and however often", async () => {
    const places = await Promise.all(Array.from({ length: 12 }, () => aPlace(office)));
    const leases = await Promise.all(places.map((place) => aLease(office, place)));
    const replica = await aReplica(office, "no ledger but identity");
    try {
      await pass(leases.map(({ id }) => id));
      for (let round = 0; round < 40; round++) {
        await doDaysWork(office);
        await sleep(20);
      }
      for (const { id } of leases) await becomes(id, { status: "expired" });
      await doDaysWork(office);
      await sleep(1_200);
      const told = await Promise.all(leases.map(async ({ id }) => (await eventsOf(office, id)).filter(({ type }) => type === "lease.expired").length));
      expect(told).toEqual(leases.map(() => 1));
    } finally {
      await replica.stop();
    }
  });

  test("and whoever terminates the lease at once agree on what became of it", async () => {
    const leases = await Promise.all(Array.from({ length: 6 }, async () => aLease(office, await aPlace(office))));
    await pass(leases.map(({ id }) => id));
    await doDaysWork(office);
    const answers = await Promise.all(leases.map(({ id }) => office.attempt("terminateLease", { ...params(id), body: { terminationDate: now() } })));
    expect(answers.map(({ status }) => status)).toEqual(leases.map(() => 200));
    for (const { id } of leases) expect((await read(id)).status).toBe("terminated");
  });
});
