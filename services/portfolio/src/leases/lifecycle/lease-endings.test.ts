import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/office.ts";
import { aReplica, eventsOf } from "../../../test/behind.ts";
import { afterAYear, aDraft, aLease, aLeaseThatIs, aPlace, inDays, now, unknownId } from "../../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const params = (id: string) => ({ params: { id } });
const cancel = (id: string) => office.attempt("cancelLease", params(id));
const remove = (id: string) => office.attempt("deleteLease", params(id));
const activate = (id: string) => office.attempt("activateLease", { ...params(id), body: {} });
const read = async (id: string) => (await office.call("getLease", params(id))).lease;
const rulesOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const renew = async (id: string, terms: object = {}) => (await office.call("renewLease", { ...params(id), body: { ...afterAYear, ...terms } })).lease;
const aFee = (leaseId: string, endDate?: string) =>
  office.call("listCategories").then(({ categories }) =>
    office.call("createRecurringCharge", {
      body: {
        leaseId,
        amountCents: 1_000,
        categoryId: categories.find(({ accountType }) => accountType === "income")!.id,
        dayOfMonth: 1,
        startDate: inDays(1),
        kind: "fee",
        label: "Parking",
        status: "active",
        ...(endDate && { endDate }),
      },
    }),
  );
const aCharge = async (leaseId: string) =>
  (await office.call("createCharge", { body: { leaseId, amountCents: 100, dueDate: now(), chargeType: "fee" } })).charge;

describe("cancelLease", () => {
  test("gives a pending lease up, frees its unit and charges nothing for it", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { startDate: inDays(5) });
    const { status, body } = await cancel(lease.id);
    expect([status, body.lease]).toMatchObject([200, { status: "cancelled", nextRentDueOn: null }]);
    expect(await rulesOf(lease.id)).toMatchObject([{ status: "ended" }]);
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "cancelled" } });
    expect((await aLease(office, place, { startDate: inDays(5) })).status).toBe("pending");
    expect((await cancel(lease.id)).body.code).toBe("invalid_transition");
  });

  test("lets the lease before a renewal go on as if there had been none, with its fees", async () => {
    const lease = await aLease(office, await aPlace(office), { termType: "month_to_month", endDate: undefined } as object);
    await aFee(lease.id);
    await aFee(lease.id, inDays(600));
    const before = (await rulesOf(lease.id)).map(({ label, endDate }) => [label, endDate]);
    const renewal = await renew(lease.id);
    await activate(renewal.id);
    expect((await rulesOf(lease.id)).map(({ endDate }) => endDate)).toEqual([inDays(334), inDays(334), inDays(334)]);
    await cancel(renewal.id);
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: null, renewedToLeaseId: null });
    expect((await rulesOf(lease.id)).map(({ label, endDate }) => [label, endDate])).toEqual(before);
    expect((await rulesOf(renewal.id)).map(({ status }) => status)).toEqual(["ended", "ended", "ended"]);
    expect((await renew(lease.id)).renewedFromLeaseId).toBe(lease.id);
  });

  test("cannot let a lease go on into the days of another one", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { termType: "month_to_month", endDate: undefined } as object);
    const renewal = await renew(lease.id, { startDate: inDays(10), endDate: inDays(20), termType: "fixed" });
    await activate(renewal.id);
    const after = await aLease(office, place, { startDate: inDays(21), endDate: inDays(400) });
    expect((await cancel(renewal.id)).body.code).toBe("lease_overlap");
    expect((await read(renewal.id)).status).toBe("pending");
    await cancel(after.id);
    expect((await cancel(renewal.id)).status).toBe(200);
  });

  test("is refused while money is posted on the lease, and not once it was taken back", async () => {
    const lease = await aLease(office, await aPlace(office), { startDate: inDays(5) });
    const charge = await aCharge(lease.id);
    const { status, body } = await cancel(lease.id);
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining("Void its charges")]);
    await office.call("voidCharge", { ...params(charge.id), body: { reason: "By mistake" } });
    expect((await cancel(lease.id)).status).toBe(200);
  });

  test("of two who cancel and activate at once one is refused", async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await aDraft(office, await aPlace(office));
      const answers = await Promise.all([cancel(draft.id), activate(draft.id)]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect((await read(draft.id)).status).toBe(answers[0].status === 200 ? "cancelled" : "active");
    }
  });

  test("takes effect once however often it is asked at once", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(draft.id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await eventsOf(office, draft.id)).filter(({ type }) => type === "lease.updated")).toHaveLength(1);
  });

  test("answers a repeat under its key as the first time", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const request = { ...params(draft.id), headers: { "Idempotency-Key": unknownId() } };
    const [first, again] = [await office.attempt("cancelLease", request), await office.attempt("cancelLease", request)];
    expect([again.status, again.text, again.headers.get("Idempotent-Replayed")]).toEqual([200, first.text, "true"]);
  });
});

describe("deleteLease", () => {
  test("takes a lease out of sight", async () => {
    const place = await aPlace(office);
    const draft = await aDraft(office, place);
    const { status, body } = await remove(draft.id);
    expect([status, body.lease]).toMatchObject([200, { id: draft.id, deletedAt: expect.any(String) }]);
    expect((await office.attempt("getLease", params(draft.id))).status).toBe(404);
    expect((await remove(draft.id)).status).toBe(404);
    expect((await office.call("listLeases", { query: { unitId: place.unitId } })).total).toBe(0);
    expect((await office.call("listLeases", { query: { unitId: place.unitId, includeDeleted: true } })).total).toBe(1);
    expect((await eventsOf(office, draft.id)).at(-1)).toMatchObject({ type: "lease.deleted", data: { leaseId: draft.id } });
    const charge = { leaseId: draft.id, amountCents: 100, dueDate: now(), chargeType: "fee" as const };
    expect((await office.attempt("createCharge", { body: charge })).body.errors).toMatchObject([{ path: "leaseId", code: "not_found" }]);
  });

  test("frees the unit and ends the rent of a lease in force that nothing was posted on", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { startDate: inDays(3) });
    expect((await remove(lease.id)).status).toBe(200);
    expect(await rulesOf(lease.id)).toMatchObject([{ status: "ended" }]);
    expect((await aLease(office, place, { startDate: inDays(3) })).status).toBe("pending");
  });

  test("is refused when the lease was charged, voided or not, or paid", async () => {
    const [charged, paid] = await Promise.all([aLeaseThatIs(office, "active"), aLeaseThatIs(office, "active")]);
    const charge = await aCharge(charged.id);
    expect((await remove(charged.id)).body.code).toBe("resource_in_use");
    await office.call("voidCharge", { ...params(charge.id), body: { reason: "By mistake" } });
    expect((await remove(charged.id)).body.code).toBe("resource_in_use");
    const payment = { tenantId: paid.tenantId, leaseId: paid.id, amountCents: 1, paymentMethod: "cash" as const, receivedAt: "2026-01-05T15:00:00.000Z" };
    await office.call("recordPayment", { body: { ...payment, idempotencyKey: unknownId() } });
    expect((await remove(paid.id)).body.code).toBe("resource_in_use");
  });

  test("leaves no gap in a chain of leases", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const renewal = await renew(lease.id);
    expect((await remove(lease.id)).body).toMatchObject({ code: "resource_in_use", message: expect.stringContaining("follows") });
    expect((await remove(renewal.id)).status).toBe(200);
    expect((await read(lease.id)).renewedToLeaseId).toBeNull();
    const renewed = await aLeaseThatIs(office, "renewed");
    expect((await remove(renewed.renewedToLeaseId!)).body).toMatchObject({ code: "resource_in_use", message: expect.stringContaining("taken over") });
  });

  test("knows only the organization's own, and its roles", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const staff = await office.colleague("staff");
    for (const id of ["deleteLease", "cancelLease", "withdrawNotice"] as const) {
      expect((await stranger.attempt(id, params(draft.id))).status).toBe(404);
      expect((await staff.attempt(id, params(draft.id))).status).toBe(403);
      expect((await office.attempt(id, { ...params(draft.id), headers: { "If-Match": '"99"' } })).status).toBe(412);
    }
  });
});

describe("while the ledger does not answer", () => {
  test("no lease is cancelled or deleted, since nobody knows its money; notice is recorded", async () => {
    const [draft, lease] = await Promise.all([aLeaseThatIs(office, "draft"), aLeaseThatIs(office, "active")]);
    const replica = await aReplica(office, "no ledger");
    try {
      expect((await replica.request("POST", `/api/leases/${draft.id}/cancel`)).status).toBe(503);
      expect((await replica.request("DELETE", `/api/leases/${draft.id}`)).status).toBe(503);
      expect((await replica.request("PATCH", `/api/leases/${draft.id}`, { rentCents: 1 })).status).toBe(503);
      const noticed = await replica.request("POST", `/api/leases/${lease.id}/notice`, { noticeGivenOn: now(), plannedMoveOutDate: inDays(30) });
      expect(noticed).toMatchObject({ status: 200, body: { lease: { noticeGivenOn: now(), balanceCents: null } } });
      expect(await read(draft.id)).toEqual(draft);
    } finally {
      await replica.stop();
    }
  });
});

describe("giveNotice", () => {
  const give = (id: string, noticeGivenOn: string, plannedMoveOutDate: string) =>
    office.attempt("giveNotice", { ...params(id), body: { noticeGivenOn, plannedMoveOutDate } });

  test("is kept with the lease until it is withdrawn, and ends nothing", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place);
    expect((await give(lease.id, "2026-11-01", "2096-02-29")).body.lease).toMatchObject({ noticeGivenOn: "2026-11-01", plannedMoveOutDate: "2096-02-29" });
    expect((await give(lease.id, now(), inDays(30))).body.lease).toMatchObject({ plannedMoveOutDate: inDays(30), status: "active", endDate: lease.endDate });
    expect((await office.call("getUnit", params(place.unitId))).unit.status).toBe("occupied");
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" } });
    const { lease: after } = await office.call("withdrawNotice", params(lease.id));
    expect(after).toMatchObject({ noticeGivenOn: null, plannedMoveOutDate: null });
    expect((await office.attempt("withdrawNotice", params(lease.id))).body).toMatchObject({ code: "invalid_transition" });
  });

  test.each([
    ["on the day of notice", now(), now(), 200],
    ["before the notice", now(), inDays(-1), 400],
    ["on the lease's first day", inDays(-40), inDays(-30), 200],
    ["before the lease's first day", inDays(-40), inDays(-31), 400],
    ["on the 29th of February of a common year", now(), "2027-02-29", 400],
  ])("plans a move %s", async (_, noticeGivenOn, plannedMoveOutDate, expected) => {
    const lease = await aLeaseThatIs(office, "active");
    const { status, body } = await give(lease.id, noticeGivenOn, plannedMoveOutDate);
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors).toMatchObject([{ path: "plannedMoveOutDate" }]);
  });

  test("is withdrawn by one of many who try at once", async () => {
    const lease = await aLeaseThatIs(office, "active");
    await give(lease.id, now(), inDays(30));
    const answers = await Promise.all(Array.from({ length: 5 }, () => office.attempt("withdrawNotice", params(lease.id))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });
});
