import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { followingYearTerms, aDraftLease, aLease, aLeaseInStatus, createLeaseReferences, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const params = (id: string) => ({ params: { id } });
const cancel = (id: string) => office.attempt("cancelLease", params(id));
const remove = (id: string) => office.attempt("deleteLease", params(id));
const activate = (id: string) => office.attempt("activateLease", { ...params(id), body: {} });
const read = async (id: string) => (await office.call("getLease", params(id))).lease;
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const renew = async (id: string, terms: object = {}) => (await office.call("renewLease", { ...params(id), body: { ...followingYearTerms(), ...terms } })).lease;
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
  (await office.call("createCharge", { body: { leaseId, amountCents: 100, dueDate: currentDate(), chargeType: "fee" } })).charge;

describe("cancelLease", () => {
  test("cancels a pending lease, releases its unit and ends its billing", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { startDate: inDays(5) });
    const { status, body } = await cancel(lease.id);
    expect([status, body.lease]).toMatchObject([200, { status: "cancelled", nextRentDueOn: null }]);
    expect(await listRules(lease.id)).toMatchObject([{ status: "ended" }]);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "cancelled" } });
    expect((await aLease(office, references, { startDate: inDays(5) })).status).toBe("pending");
    expect((await cancel(lease.id)).body.code).toBe("invalid_transition");
  });

  test("restores the term and the fees of the predecessor of a cancelled renewal", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { termType: "month_to_month", endDate: undefined } as object);
    await aFee(lease.id);
    await aFee(lease.id, inDays(600));
    const before = (await listRules(lease.id)).map(({ label, endDate }) => [label, endDate]);
    const renewal = await renew(lease.id);
    await activate(renewal.id);
    expect((await listRules(lease.id)).map(({ endDate }) => endDate)).toEqual([inDays(334), inDays(334), inDays(334)]);
    await cancel(renewal.id);
    expect(await read(lease.id)).toMatchObject({ status: "active", endDate: null, renewedToLeaseId: null });
    expect((await listRules(lease.id)).map(({ label, endDate }) => [label, endDate])).toEqual(before);
    expect((await listRules(renewal.id)).map(({ status }) => status)).toEqual(["ended", "ended", "ended"]);
    expect((await renew(lease.id)).renewedFromLeaseId).toBe(lease.id);
  });

  test("is refused when the restored predecessor would overlap another lease", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { termType: "month_to_month", endDate: undefined } as object);
    const renewal = await renew(lease.id, { startDate: inDays(10), endDate: inDays(20), termType: "fixed" });
    await activate(renewal.id);
    const nextLease = await aLease(office, references, { startDate: inDays(21), endDate: inDays(400) });
    expect((await cancel(renewal.id)).body.code).toBe("lease_overlap");
    expect((await read(renewal.id)).status).toBe("pending");
    await cancel(nextLease.id);
    expect((await cancel(renewal.id)).status).toBe(200);
  });

  test("is refused while the lease has postings, and allowed after they were voided", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(5) });
    const charge = await aCharge(lease.id);
    const { status, body } = await cancel(lease.id);
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining("Void its charges")]);
    await office.call("voidCharge", { ...params(charge.id), body: { reason: "By mistake" } });
    expect((await cancel(lease.id)).status).toBe(200);
  });

  test("and a concurrent activation never both succeed", async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await aDraftLease(office, await createLeaseReferences(office));
      const responses = await Promise.all([cancel(draft.id), activate(draft.id)]);
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect((await read(draft.id)).status).toBe(responses[0].status === 200 ? "cancelled" : "active");
    }
  });

  test("takes effect once with concurrent requests", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const responses = await Promise.all(Array.from({ length: 8 }, () => cancel(draft.id)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await findOutboxEvents(office, draft.id)).filter(({ type }) => type === "lease.updated")).toHaveLength(1);
  });

  test("replays the response for a repeated Idempotency-Key", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const request = { ...params(draft.id), headers: { "Idempotency-Key": unknownId() } };
    const [first, repeated] = [await office.attempt("cancelLease", request), await office.attempt("cancelLease", request)];
    expect([repeated.status, repeated.text, repeated.headers.get("Idempotent-Replayed")]).toEqual([200, first.text, "true"]);
  });
});

describe("deleteLease", () => {
  test("removes a lease from reads and lists", async () => {
    const references = await createLeaseReferences(office);
    const draft = await aDraftLease(office, references);
    const { status, body } = await remove(draft.id);
    expect([status, body.lease]).toMatchObject([200, { id: draft.id, deletedAt: expect.any(String) }]);
    expect((await office.attempt("getLease", params(draft.id))).status).toBe(404);
    expect((await remove(draft.id)).status).toBe(404);
    expect((await office.call("listLeases", { query: { unitId: references.unitId } })).total).toBe(0);
    expect((await office.call("listLeases", { query: { unitId: references.unitId, includeDeleted: true } })).total).toBe(1);
    expect((await findOutboxEvents(office, draft.id)).at(-1)).toMatchObject({ type: "lease.deleted", data: { leaseId: draft.id } });
    const charge = { leaseId: draft.id, amountCents: 100, dueDate: currentDate(), chargeType: "fee" as const };
    expect((await office.attempt("createCharge", { body: charge })).body.errors).toMatchObject([{ path: "leaseId", code: "not_found" }]);
  });

  test("releases the unit and ends the billing of a pending lease without postings", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { startDate: inDays(3) });
    expect((await remove(lease.id)).status).toBe(200);
    expect(await listRules(lease.id)).toMatchObject([{ status: "ended" }]);
    expect((await aLease(office, references, { startDate: inDays(3) })).status).toBe("pending");
  });

  test("is refused when the lease has a charge, even a voided one, or a payment", async () => {
    const [charged, paid] = await Promise.all([aLeaseInStatus(office, "active"), aLeaseInStatus(office, "active")]);
    const charge = await aCharge(charged.id);
    expect((await remove(charged.id)).body.code).toBe("resource_in_use");
    await office.call("voidCharge", { ...params(charge.id), body: { reason: "By mistake" } });
    expect((await remove(charged.id)).body.code).toBe("resource_in_use");
    const payment = { tenantId: paid.tenantId, leaseId: paid.id, amountCents: 1, paymentMethod: "cash" as const, receivedAt: "2026-01-05T15:00:00.000Z" };
    await office.call("recordPayment", { body: { ...payment, idempotencyKey: unknownId() } });
    expect((await remove(paid.id)).body.code).toBe("resource_in_use");
  });

  test("is refused for a lease with a renewal, and for a renewal that has replaced its predecessor", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const renewal = await renew(lease.id);
    expect((await remove(lease.id)).body).toMatchObject({ code: "resource_in_use", message: expect.stringContaining("follows") });
    expect((await remove(renewal.id)).status).toBe(200);
    expect((await read(lease.id)).renewedToLeaseId).toBeNull();
    const renewed = await aLeaseInStatus(office, "renewed");
    expect((await remove(renewed.renewedToLeaseId!)).body).toMatchObject({ code: "resource_in_use", message: expect.stringContaining("taken over") });
  });

  test("like cancelLease and withdrawNotice, returns 404 to other organizations, 403 to staff and 412 to an outdated If-Match", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const staff = await office.colleague("staff");
    for (const operation of ["deleteLease", "cancelLease", "withdrawNotice"] as const) {
      expect((await otherOffice.attempt(operation, params(draft.id))).status).toBe(404);
      expect((await staff.attempt(operation, params(draft.id))).status).toBe(403);
      expect((await office.attempt(operation, { ...params(draft.id), headers: { "If-Match": '"99"' } })).status).toBe(412);
    }
  });
});

describe("while the ledger is unavailable", () => {
  test("leases cannot be cancelled, deleted or given another rent, since their balance is unknown; a notice can be recorded", async () => {
    const [draft, lease] = await Promise.all([aLeaseInStatus(office, "draft"), aLeaseInStatus(office, "active")]);
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      expect((await replica.request("POST", `/api/leases/${draft.id}/cancel`)).status).toBe(503);
      expect((await replica.request("DELETE", `/api/leases/${draft.id}`)).status).toBe(503);
      expect((await replica.request("PATCH", `/api/leases/${draft.id}`, { rentCents: 1 })).status).toBe(503);
      const noticeResponse = await replica.request("POST", `/api/leases/${lease.id}/notice`, { noticeGivenOn: currentDate(), plannedMoveOutDate: inDays(30) });
      expect(noticeResponse).toMatchObject({ status: 200, body: { lease: { noticeGivenOn: currentDate(), balanceCents: null } } });
      expect(await read(draft.id)).toEqual(draft);
    } finally {
      await replica.stop();
    }
  });
});

describe("giveNotice", () => {
  const sendNotice = (id: string, noticeGivenOn: string, plannedMoveOutDate: string) =>
    office.attempt("giveNotice", { ...params(id), body: { noticeGivenOn, plannedMoveOutDate } });

  test("stores the notice until it is withdrawn, without ending the lease", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    expect((await sendNotice(lease.id, "2026-11-01", "2096-02-29")).body.lease).toMatchObject({
      noticeGivenOn: "2026-11-01",
      plannedMoveOutDate: "2096-02-29",
    });
    expect((await sendNotice(lease.id, currentDate(), inDays(30))).body.lease).toMatchObject({
      plannedMoveOutDate: inDays(30),
      status: "active",
      endDate: lease.endDate,
    });
    expect((await office.call("getUnit", params(references.unitId))).unit.status).toBe("occupied");
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" } });
    const { lease: after } = await office.call("withdrawNotice", params(lease.id));
    expect(after).toMatchObject({ noticeGivenOn: null, plannedMoveOutDate: null });
    expect((await office.attempt("withdrawNotice", params(lease.id))).body).toMatchObject({ code: "invalid_transition" });
  });

  test.each([
    ["accepts a move-out on the day of notice", currentDate(), currentDate(), 200],
    ["refuses a move-out before the notice", currentDate(), inDays(-1), 400],
    ["accepts a move-out on the lease's first day", inDays(-40), inDays(-30), 200],
    ["refuses a move-out before the lease's first day", inDays(-40), inDays(-31), 400],
    ["refuses a move-out on February 29 of a common year", currentDate(), "2027-02-29", 400],
  ])("%s", async (_, noticeGivenOn, plannedMoveOutDate, expected) => {
    const lease = await aLeaseInStatus(office, "active");
    const { status, body } = await sendNotice(lease.id, noticeGivenOn, plannedMoveOutDate);
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors).toMatchObject([{ path: "plannedMoveOutDate" }]);
  });

  test("stores a notice that only one of several concurrent requests can withdraw", async () => {
    const lease = await aLeaseInStatus(office, "active");
    await sendNotice(lease.id, currentDate(), inDays(30));
    const responses = await Promise.all(Array.from({ length: 5 }, () => office.attempt("withdrawNotice", params(lease.id))));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });
});
