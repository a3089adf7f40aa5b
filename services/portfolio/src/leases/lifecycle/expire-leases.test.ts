import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { Lease } from "@freehold/contract/leases/leases";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents, makeJobsDue, makeJobsDueAtOnce, queryRows } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, createLeaseReferences, inDays, currentDate } from "../../../test/fixtures.ts";

const office = await anOffice();
const params = (id: string) => ({ params: { id } });
const read = async (id: string, leaseOffice: Office = office) => (await leaseOffice.call("getLease", params(id))).lease;
const waitForLease = (id: string, expected: Partial<Lease>, leaseOffice: Office = office) =>
  eventually(`lease ${JSON.stringify(expected)}`, async () => {
    const lease = await read(id, leaseOffice);
    return Object.entries(expected).every(([name, value]) => lease[name as keyof Lease] === value) ? lease : undefined;
  });
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const readUnit = async (id: string) => (await office.call("getUnit", params(id))).unit;
const activate = (id: string) => office.call("activateLease", { ...params(id), body: {} });
const renew = async (id: string, startDate: string) => (await office.call("renewLease", { ...params(id), body: { startDate, endDate: inDays(400) } })).lease;
/** Moves the last day of leases to yesterday. */
const endYesterday = (ids: string[]) =>
  queryRows(
    office.organizationId,
    "update lease set end_date = $2::date, own_end_date = case when own_end_date is not null then $2::date end where id = any($1)",
    [ids, inDays(-1)],
  );

describe("a lease for a fixed term", () => {
  test("expires after its last day; the unit stays occupied and recurring charges end", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { endDate: inDays(-1) });
    const expired = await waitForLease(lease.id, { status: "expired" });
    expect(expired).toMatchObject({ endDate: inDays(-1), daysUntilExpiry: -1, isHoldover: false });
    expect(await readUnit(references.unitId)).toMatchObject({ status: "occupied", currentLeaseId: null });
    const [event] = (await findOutboxEvents(office, lease.id)).filter(({ type }) => type === "lease.expired");
    expect(event).toMatchObject({
      data: { leaseId: lease.id, endDate: inDays(-1) },
      actorUserId: office.userId,
      audience: { tenantIds: [references.tenantId] },
    });
    await eventually("end of the rent", async () => (await listRules(lease.id)).every(({ status }) => status === "ended"));
  });

  test("ends every recurring charge on expiry, also one without an end date", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { endDate: inDays(10) });
    const { categories } = await office.call("listCategories");
    const fee = { amountCents: 1_000, dayOfMonth: 1, startDate: currentDate(), kind: "fee" as const, label: "Parking", status: "active" as const };
    await office.call("createRecurringCharge", {
      body: { ...fee, leaseId: lease.id, categoryId: categories.find(({ accountType }) => accountType === "income")!.id },
    });
    await endYesterday([lease.id]);
    await makeJobsDue(office);
    await waitForLease(lease.id, { status: "expired" });
    const endedRules = await eventually("end of the charges", async () => {
      const rules = await listRules(lease.id);
      return rules.every(({ status }) => status === "ended") ? rules : undefined;
    });
    expect(endedRules.map(({ endDate }) => endDate)).toEqual([inDays(-1), inDays(-1)]);
  });

  test("is still active on its last day", async () => {
    const current = await aLease(office, await createLeaseReferences(office), { endDate: currentDate() });
    const ended = await aLease(office, await createLeaseReferences(office), { endDate: inDays(-1) });
    await waitForLease(ended.id, { status: "expired" });
    expect(await read(current.id)).toMatchObject({ status: "active", daysUntilExpiry: 0 });
  });

  test.each([
    ["fixed", { status: "expired", termType: "fixed", isHoldover: false }],
    ["fixed_with_rollover", { status: "active", termType: "month_to_month", isHoldover: true }],
  ] as const)("of the type %s that is entered or changed after its last day has ended in the response, as in the next one", async (termType, ended) => {
    const terms = { termType, endDate: inDays(-1) };
    const current = await aLease(office, await createLeaseReferences(office), { termType });
    const draft = await aDraftLease(office, await createLeaseReferences(office), terms);
    const created = await aLease(office, await createLeaseReferences(office), terms);
    const responses = [
      created,
      (await activate(draft.id)).lease,
      (await office.call("updateLease", { ...params(current.id), body: { endDate: inDays(-1) } })).lease,
    ];
    for (const lease of responses) {
      expect(lease).toMatchObject(ended);
      expect(await read(lease.id)).toMatchObject({ ...ended, updatedAt: lease.updatedAt });
    }
  });

  test("stays active until its pending renewal is cancelled, and expires with a draft renewal", async () => {
    const [withPending, withDraft] = await Promise.all([
      aLease(office, await createLeaseReferences(office)),
      aLease(office, await createLeaseReferences(office)),
    ]);
    const renewals = await Promise.all([withPending, withDraft].map(({ id }) => renew(id, inDays(335))));
    await activate(renewals[0]!.id);
    await endYesterday([withPending.id, withDraft.id]);
    await makeJobsDue(office);
    await waitForLease(withDraft.id, { status: "expired" });
    expect((await read(withPending.id)).status).toBe("active");
    await office.call("cancelLease", params(renewals[0]!.id));
    await waitForLease(withPending.id, { status: "expired", endDate: inDays(-1) });
  });

  test("can be superseded by its renewal after it expired, and its occupants then count as those of the renewal", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    const renewal = await renew(lease.id, inDays(335));
    await endYesterday([lease.id]);
    await makeJobsDue(office);
    await waitForLease(lease.id, { status: "expired" });
    await office.call("updateLease", { ...params(renewal.id), body: { startDate: currentDate() } });
    expect((await activate(renewal.id)).lease.status).toBe("active");
    await office.call("terminateLease", { ...params(renewal.id), body: { terminationDate: currentDate() } });
    expect(await read(lease.id)).toMatchObject({ status: "expired", endDate: inDays(-1) });
    expect((await readUnit(references.unitId)).status).toBe("vacant");
  });

  test("keeps the renewal that took over after it expired: that one cannot be deleted", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { rentCents: 0, createRecurringRent: false });
    const renewal = await renew(lease.id, inDays(335));
    await endYesterday([lease.id]);
    await makeJobsDue(office);
    await waitForLease(lease.id, { status: "expired" });
    await office.call("updateLease", { ...params(renewal.id), body: { startDate: currentDate() } });
    await activate(renewal.id);
    const { status, body } = await office.attempt("deleteLease", params(renewal.id));
    expect([status, body]).toMatchObject([409, { code: "resource_in_use", message: expect.stringContaining("taken over") }]);
    expect((await read(renewal.id)).status).toBe("active");
  });
});

describe("a lease with rollover", () => {
  test("continues month to month with its charges after its last day, until it is terminated", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType: "fixed_with_rollover", endDate: inDays(-1) });
    const holdover = await waitForLease(lease.id, { isHoldover: true });
    expect(holdover).toMatchObject({ status: "active", termType: "month_to_month", endDate: inDays(-1) });
    expect(await listRules(lease.id)).toMatchObject([{ status: "active", endDate: null }]);
    expect(await readUnit(references.unitId)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" }, actorUserId: office.userId });
    const nextDraft = await aDraftLease(office, references, { startDate: inDays(60) });
    expect((await office.attempt("activateLease", { ...params(nextDraft.id), body: {} })).body.code).toBe("lease_overlap");
    expect((await renew(lease.id, inDays(1))).renewedFromLeaseId).toBe(lease.id);
    expect((await office.attempt("terminateLease", { ...params(lease.id), body: { terminationDate: inDays(30) } })).status).toBe(200);
  });

  test("expires when the unit has another lease", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType: "fixed_with_rollover", endDate: inDays(5) });
    const nextLease = await aLease(office, references, { startDate: inDays(6) });
    await endYesterday([lease.id]);
    await makeJobsDue(office);
    await waitForLease(lease.id, { status: "expired", isHoldover: false });
    expect((await read(nextLease.id)).status).toBe("pending");
  });

  test("in holdover can get a new fixed term", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { termType: "fixed_with_rollover", endDate: inDays(-1) });
    await waitForLease(lease.id, { isHoldover: true });
    const { lease: fixed } = await office.call("updateLease", { ...params(lease.id), body: { termType: "fixed", endDate: inDays(100) } });
    expect(fixed).toMatchObject({ status: "active", isHoldover: false, daysUntilExpiry: 100 });
    expect(await listRules(lease.id)).toMatchObject([{ endDate: inDays(100) }]);
  });
});

describe("a month-to-month lease", () => {
  test("does not expire, even with an end date", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { termType: "month_to_month", endDate: inDays(-1) });
    const ended = await aLease(office, await createLeaseReferences(office), { endDate: inDays(-1) });
    await waitForLease(ended.id, { status: "expired" });
    expect((await read(lease.id)).status).toBe("active");
    expect(await listRules(lease.id)).toMatchObject([{ status: "active", endDate: null }]);
  });
});

describe("expireLeases", () => {
  test("uses the time zone of the organization", async () => {
    const [east, west] = await Promise.all([anOffice(), anOffice()]);
    const zones = [
      [east, "Pacific/Kiritimati"],
      [west, "Pacific/Pago_Pago"],
    ] as const;
    for (const [zoneOffice, timezone] of zones) await zoneOffice.call("updateOrganization", { body: { timezone } });
    const endDate = today("Pacific/Pago_Pago");
    const [eastern, western] = await Promise.all(zones.map(async ([zoneOffice]) => aLease(zoneOffice, await createLeaseReferences(zoneOffice), { endDate })));
    const ended = await aLease(west, await createLeaseReferences(west), { endDate: addDays(endDate, -1) });
    await waitForLease(eastern!.id, { status: "expired" }, east);
    await waitForLease(ended.id, { status: "expired" }, west);
    expect((await read(western!.id, west)).status).toBe("active");
  });

  test("publishes the expiry of each lease once with several replicas and repeated runs", async () => {
    const references = await Promise.all(Array.from({ length: 12 }, () => createLeaseReferences(office)));
    const leases = await Promise.all(references.map((leaseReferences) => aLease(office, leaseReferences)));
    const replica = await startReplica(office, { reachable: "identity" });
    try {
      await endYesterday(leases.map(({ id }) => id));
      for (let round = 0; round < 40; round++) {
        await makeJobsDueAtOnce(office);
        await sleep(20);
      }
      for (const { id } of leases) await waitForLease(id, { status: "expired" });
      await makeJobsDue(office);
      await waitForIdleJobs("portfolio", office);
      const eventCounts = await Promise.all(
        leases.map(async ({ id }) => (await findOutboxEvents(office, id)).filter(({ type }) => type === "lease.expired").length),
      );
      expect(eventCounts).toEqual(leases.map(() => 1));
    } finally {
      await replica.stop();
    }
  });

  test("does not conflict with a concurrent termination", async () => {
    const leases = await Promise.all(Array.from({ length: 6 }, async () => aLease(office, await createLeaseReferences(office))));
    await endYesterday(leases.map(({ id }) => id));
    await makeJobsDue(office);
    const responses = await Promise.all(leases.map(({ id }) => office.attempt("terminateLease", { ...params(id), body: { terminationDate: currentDate() } })));
    expect(responses.map(({ status }) => status)).toEqual(leases.map(() => 200));
    for (const { id } of leases) expect((await read(id)).status).toBe("terminated");
  });
});
