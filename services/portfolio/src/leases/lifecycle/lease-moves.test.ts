import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/office.ts";
import { aPayment } from "../../../../../test/tenancy.ts";
import { eventually } from "../../../../../test/world.ts";
import { aReplica, eventsOf, rows } from "../../../test/behind.ts";
import { aDraft, aLease, aPlace, aTenant, aYear, inDays, now, unknownId } from "../../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const activate = (id: string, body: object = {}) => office.attempt("activateLease", { params: { id }, body });
const terminate = (id: string, body: object = {}) => office.attempt("terminateLease", { params: { id }, body: { terminationDate: now(), ...body } });
const renew = (id: string, body: object) => office.attempt("renewLease", { params: { id }, body: body as never });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const unitOf = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;

describe("activateLease", () => {
  test("puts a draft in force and has its rent posted", async () => {
    const place = await aPlace(office);
    const draft = await aDraft(office, place);
    const { status, body, headers } = await activate(draft.id);
    expect([status, body.lease.status]).toEqual([200, "active"]);
    expect(body.recurringChargeRules).toMatchObject([{ leaseId: draft.id, kind: "rent", status: "active", amountCents: 150_000, dayOfMonth: 1 }]);
    expect((await eventsOf(office, draft.id)).at(-1)).toMatchObject({
      type: "lease.activated",
      data: { status: "active" },
      audience: { tenantIds: [place.tenantId] },
    });
    expect(await unitOf(place.unitId)).toMatchObject({ status: "occupied", currentLeaseId: draft.id });
    expect((await office.call("getTenant", { params: { id: place.tenantId } })).tenant.currentLeaseId).toBe(draft.id);
    expect((await office.attempt("getLease", { params: { id: draft.id } })).headers.get("ETag")).toBe(headers.get("ETag"));
  });

  test("leaves a lease pending until its start", async () => {
    const place = await aPlace(office);
    const draft = await aDraft(office, place, { startDate: inDays(1) });
    expect((await activate(draft.id)).body.lease.status).toBe("pending");
    expect(await unitOf(place.unitId)).toMatchObject({ status: "vacant", currentLeaseId: null });
    expect((await activate(draft.id)).body.code).toBe("invalid_transition");
  });

  test("can move the start, and with it who moves in on that day", async () => {
    const draft = await aDraft(office, await aPlace(office), { startDate: inDays(10) });
    const { body } = await activate(draft.id, { activateOn: now() });
    expect(body.lease).toMatchObject({ status: "active", startDate: now(), occupants: [{ moveInDate: now() }] });
    const late = await aDraft(office, await aPlace(office));
    expect((await activate(late.id, { activateOn: addDays(late.endDate!, 1) })).body.errors).toMatchObject([{ path: "activateOn", code: "max" }]);
    expect((await activate(late.id, { activateOn: late.endDate })).body.lease.status).toBe("pending");
  });

  test("lets one of two leases have the unit when both are activated at once", async () => {
    const place = await aPlace(office);
    const drafts = await Promise.all(Array.from({ length: 8 }, () => aDraft(office, place)));
    const answers = await Promise.all(drafts.map(({ id }) => activate(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["lease_overlap"]));
  });

  test("takes effect once however often it is asked at once", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const answers = await Promise.all(Array.from({ length: 8 }, () => activate(draft.id)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await eventsOf(office, draft.id)).filter(({ type }) => type === "lease.activated")).toHaveLength(1);
  });

  test.each([
    ["the last day of the other", { startDate: inDays(334), endDate: inDays(400) }, 409],
    ["the day after the other", { startDate: inDays(335), endDate: inDays(400) }, 200],
    ["the day before the other, to its first", { startDate: inDays(-60), endDate: inDays(-30) }, 409],
    ["long before the other, to the day before it", { startDate: inDays(-60), endDate: inDays(-31) }, 200],
    ["within the other", { startDate: inDays(1), endDate: inDays(2) }, 409],
    ["before the other, by the month", { startDate: inDays(-60), endDate: undefined, termType: "month_to_month" as const }, 409],
  ])("answers a lease from %s", async (_, terms, expected) => {
    const place = await aPlace(office);
    await aLease(office, place);
    const draft = await aDraft(office, place, terms as object);
    expect((await activate(draft.id)).status).toBe(expected);
  });

  test("counts a lease by the month as one without an end, even if it names one", async () => {
    const place = await aPlace(office);
    await aLease(office, place, { termType: "month_to_month", endDate: inDays(30) });
    const draft = await aDraft(office, place, { startDate: inDays(300) });
    expect((await activate(draft.id)).body.code).toBe("lease_overlap");
  });

  test("refuses a lease that is in force, is over or is not there", async () => {
    const lease = await aLease(office, await aPlace(office));
    expect((await activate(lease.id)).body.code).toBe("invalid_transition");
    await terminate(lease.id);
    expect((await activate(lease.id)).body.code).toBe("invalid_transition");
    expect((await activate(unknownId())).status).toBe(404);
    expect((await stranger.attempt("activateLease", { params: { id: lease.id }, body: {} })).status).toBe(404);
  });

  test("honours If-Match", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const stale = await office.attempt("activateLease", { params: { id: draft.id }, body: {}, headers: { "If-Match": '"99"' } });
    expect(stale.body.code).toBe("version_conflict");
  });
});

describe("startLeases", () => {
  test("activates a pending lease on its first day, and renews the one before it", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { endDate: now() });
    const { body } = await renew(lease.id, { startDate: inDays(1), endDate: inDays(365) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    // A day goes by for these two.
    await rows(office.organizationId, "update lease set end_date = end_date - 1 where id = $1", [lease.id]);
    await rows(office.organizationId, "update lease set start_date = start_date - 1, superseded_from = superseded_from - 1 where id = any($1)", [
      [lease.id, body.lease.id],
    ]);
    await rows(office.organizationId, "update scheduled_work set next_run_at = now() where organization_id = $1", [office.organizationId]);
    for (let waited = 0; waited < 50 && (await read(body.lease.id)).status === "pending"; waited++) await sleep(100);
    expect([(await read(lease.id)).status, (await read(body.lease.id)).status]).toEqual(["renewed", "active"]);
    const events = (await eventsOf(office, body.lease.id)).filter(({ type }) => type === "lease.activated");
    expect(events.map(({ data, actorUserId }) => [data["status"], actorUserId])).toEqual([
      ["pending", office.userId],
      ["active", null],
    ]);
    expect(await unitOf(place.unitId)).toMatchObject({ status: "occupied", currentLeaseId: body.lease.id });
    const { payment } = await office.call("recordPayment", { body: aPayment({ ...place, leaseId: body.lease.id }, 100) });
    const leaseInBooks = async () => (await office.call("getPayment", { params: { id: payment.id } })).payment.lease!.status;
    await eventually("the ledger to hear of the first day", async () => ((await leaseInBooks()) === "active" ? true : undefined));
  });
});

describe("renewLease", () => {
  const next = { startDate: inDays(335), endDate: inDays(700) };

  test("writes the draft that follows, with the same people and terms", async () => {
    const place = await aPlace(office);
    const coTenant = await aTenant(office);
    const lease = await aLease(office, place, { rentChargeDay: 31, occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const { body } = await renew(lease.id, { ...next, rentCents: 160_000 });
    expect(body.lease).toMatchObject({
      ...next,
      ...place,
      status: "draft",
      rentCents: 160_000,
      termType: "fixed",
      rentChargeDay: 31,
      renewedFromLeaseId: lease.id,
    });
    expect(body.lease.occupants.map(({ tenantId, role }) => [tenantId, role])).toEqual([
      [place.tenantId, "primary"],
      [coTenant.id, "co_tenant"],
    ]);
    expect(body.recurringChargeRules).toMatchObject([{ leaseId: body.lease.id, status: "draft", amountCents: 160_000 }]);
    expect(await read(lease.id)).toMatchObject({ status: "active", renewedToLeaseId: body.lease.id });
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.renewed", data: { renewedToLeaseId: body.lease.id } });
    expect((await eventsOf(office, body.lease.id))[0]).toMatchObject({ type: "lease.created" });
  });

  test("keeps rent and term when they are not sent, and moves people in when that is", async () => {
    const lease = await aLease(office, await aPlace(office), { termType: "fixed_with_rollover" });
    const { body } = await renew(lease.id, { ...next, moveInDate: inDays(336) });
    expect(body.lease).toMatchObject({
      rentCents: 150_000,
      termType: "fixed_with_rollover",
      moveInDate: inDays(336),
      occupants: [{ moveInDate: inDays(336) }],
    });
  });

  test.each([
    ["on its last day", { startDate: inDays(334) }, "startDate", "overlap"],
    ["on its first day", { startDate: inDays(-30) }, "startDate", "before_start"],
    ["until before it starts", { endDate: inDays(334) }, "endDate", "before_start"],
    ["without an end", { endDate: undefined }, "endDate", "required"],
  ])("refuses one that starts %s", async (_, terms, path, code) => {
    const lease = await aLease(office, await aPlace(office));
    const { status, body } = await renew(lease.id, { ...next, ...terms });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is for active leases", async () => {
    const draft = await aDraft(office, await aPlace(office));
    expect((await renew(draft.id, next)).body.code).toBe("lease_not_active");
    const pending = await aLease(office, await aPlace(office), { startDate: inDays(1) });
    expect((await renew(pending.id, next)).body.code).toBe("lease_not_active");
    expect((await renew(unknownId(), next)).status).toBe(404);
  });

  test("gives a lease one renewal, however many ask at once", async () => {
    const lease = await aLease(office, await aPlace(office));
    const answers = await Promise.all(Array.from({ length: 8 }, () => renew(lease.id, next)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(new Set(["duplicate"]));
  });

  test("waits for its start when that is to come: the lease before it goes on", async () => {
    const lease = await aLease(office, await aPlace(office));
    const { body } = await renew(lease.id, next);
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: inDays(334) });
  });

  test("takes over on its first day: the lease before it is renewed and ended the day before", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { termType: "month_to_month", endDate: undefined } as object);
    const { body } = await renew(lease.id, { startDate: now(), endDate: inDays(364) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("active");
    expect(await read(lease.id)).toMatchObject({ status: "renewed", endDate: inDays(-1) });
    expect(await unitOf(place.unitId)).toMatchObject({ status: "occupied", currentLeaseId: body.lease.id });
  });

  test("gives a lease by the month its last day, and leaves nobody room in between", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { termType: "month_to_month", endDate: undefined } as object);
    const { body } = await renew(lease.id, { startDate: inDays(60), endDate: inDays(364) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: inDays(59) });
    const between = await aDraft(office, place, { startDate: inDays(30), endDate: inDays(40) });
    expect((await activate(between.id)).body.code).toBe("lease_overlap");
  });
});

describe("terminateLease", () => {
  test("ends the lease today and empties the unit", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    const { status, body } = await terminate(lease.id, { reason: "Moved away", noticeGivenOn: inDays(-10) });
    expect(status).toBe(200);
    expect(body.lease).toMatchObject({ status: "terminated", terminationDate: now(), terminationReason: "Moved away", noticeGivenOn: inDays(-10) });
    expect(body.lease.occupants).toMatchObject([{ releasedOn: now(), moveOutDate: now() }]);
    expect(await unitOf(place.unitId)).toMatchObject({ status: "vacant", currentLeaseId: null });
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({
      type: "lease.terminated",
      data: { terminationDate: now() },
      audience: { tenantIds: [place.tenantId] },
    });
    expect((await terminate(lease.id)).body.code).toBe("invalid_transition");
  });

  test("leaves people where they are until the day has come, and the unit theirs", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    await terminate(lease.id, { terminationDate: inDays(20) });
    expect((await unitOf(place.unitId)).status).toBe("occupied");
    const tooEarly = await aDraft(office, place, { startDate: inDays(20) });
    expect((await activate(tooEarly.id)).body.code).toBe("lease_overlap");
    expect((await activate(tooEarly.id, { activateOn: inDays(21) })).status).toBe(200);
  });

  test("cannot end after another lease has begun", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    await aLease(office, place, { startDate: inDays(335), endDate: inDays(400) });
    expect((await terminate(lease.id, { terminationDate: inDays(335) })).body.code).toBe("lease_overlap");
    expect((await terminate(lease.id, { terminationDate: inDays(334) })).status).toBe(200);
  });

  test.each([
    ["a day before the start", { terminationDate: inDays(-31) }, "terminationDate", "before_start"],
    ["no day", { terminationDate: undefined }, "terminationDate", "required"],
    ["an unknown way to charge the last month", { finalRent: "half" }, "finalRent", "enum"],
    ["a fee of nothing", { terminationFeeCents: 0 }, "terminationFeeCents", "min"],
    ["a reason of 501 characters", { reason: "x".repeat(501) }, "reason", "too_long"],
  ])("refuses %s", async (_, terms, path, code) => {
    const lease = await aLease(office, await aPlace(office));
    const { status, body } = await terminate(lease.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is for leases that have begun", async () => {
    const draft = await aDraft(office, await aPlace(office));
    expect((await terminate(draft.id)).body.code).toBe("invalid_transition");
    const pending = await aLease(office, await aPlace(office), { startDate: inDays(1) });
    expect((await terminate(pending.id, { terminationDate: inDays(1) })).body.code).toBe("invalid_transition");
    expect((await terminate(unknownId())).status).toBe(404);
  });

  test("of two who activate and terminate at once neither leaves two leases in the unit", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    const draft = await aDraft(office, place, { startDate: inDays(5) });
    await Promise.all([terminate(lease.id, { terminationDate: inDays(10) }), activate(draft.id)]);
    expect((await read(draft.id)).status).toBe("draft");
  });
});

describe("while the ledger does not answer", () => {
  test("leases can be read but not moved, and nothing is written", async () => {
    const replica = await aReplica(office, "no ledger");
    try {
      const place = await aPlace(office);
      const [draft, other] = await Promise.all([aDraft(office, place), aPlace(office)]);
      const lease = await aLease(office, other);
      const seen = await replica.request("GET", `/api/leases/${lease.id}`);
      expect(seen).toMatchObject({
        status: 200,
        body: { lease: { depositHeldCents: null, balanceCents: null, nextRentDueOn: null }, recurringChargeRules: [] },
      });
      expect(seen.body["lease"]).not.toHaveProperty("overduePostedRentCents");
      expect(await replica.request("GET", `/api/tenants/${place.tenantId}`)).toMatchObject({ status: 200, body: { tenant: { balanceCents: null } } });
      expect(await replica.request("GET", `/api/properties/${place.propertyId}`)).toMatchObject({ status: 200 });
      const moves = await Promise.all([
        replica.request("POST", `/api/leases/${draft.id}/activate`, {}),
        replica.request("POST", `/api/leases/${lease.id}/terminate`, { terminationDate: now() }),
        replica.request("POST", `/api/leases/${lease.id}/renew`, { startDate: inDays(335), endDate: inDays(400) }),
        replica.request("POST", `/api/leases`, { ...aYear(place), activate: true }),
        replica.request("DELETE", `/api/properties/${place.propertyId}`),
      ]);
      expect(moves.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
      expect([(await read(draft.id)).status, (await read(lease.id)).status, (await read(lease.id)).renewedToLeaseId]).toEqual(["draft", "active", null]);
    } finally {
      await replica.stop();
    }
  });
});

describe("when the ledger goes away right after the commit", () => {
  test("the answer says what is true, and the same request under its key completes it", async () => {
    const replica = await aReplica(office, "half a ledger");
    try {
      const draft = await aDraft(office, await aPlace(office));
      const headers = { "Idempotency-Key": unknownId() };
      const broken = await replica.request("POST", `/api/leases/${draft.id}/activate`, {}, headers);
      expect(broken).toMatchObject({ status: 503, body: { code: "service_unavailable", message: expect.stringContaining("The lease is active;") } });
      expect((await read(draft.id)).status).toBe("active");
      const again = await office.attempt("activateLease", { params: { id: draft.id }, body: {}, headers });
      expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
      expect(again.body.recurringChargeRules).toMatchObject([{ leaseId: draft.id, status: "active" }]);
      expect((await eventsOf(office, draft.id)).filter(({ type }) => type === "lease.activated")).toHaveLength(1);
    } finally {
      await replica.stop();
    }
  });
});
