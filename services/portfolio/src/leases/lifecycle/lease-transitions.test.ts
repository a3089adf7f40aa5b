import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, aLeaseInStatus, createLeaseReferences, oneYearTerms, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const activate = (id: string, body: object = {}) => office.attempt("activateLease", { params: { id }, body });
const terminate = (id: string, body: object = {}) => office.attempt("terminateLease", { params: { id }, body: { terminationDate: currentDate(), ...body } });
const renew = (id: string, body: object) => office.attempt("renewLease", { params: { id }, body: body as never });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const readUnit = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;

describe("activateLease", () => {
  test("activates a draft and starts its recurring rent", async () => {
    const references = await createLeaseReferences(office);
    const draft = await aDraftLease(office, references);
    const { status, body, headers } = await activate(draft.id);
    expect([status, body.lease.status]).toEqual([200, "active"]);
    expect(body.recurringChargeRules).toMatchObject([{ leaseId: draft.id, kind: "rent", status: "active", amountCents: 150_000, dayOfMonth: 1 }]);
    expect((await findOutboxEvents(office, draft.id)).at(-1)).toMatchObject({
      type: "lease.activated",
      data: { status: "active" },
      audience: { tenantIds: [references.tenantId] },
    });
    expect(await readUnit(references.unitId)).toMatchObject({ status: "occupied", currentLeaseId: draft.id });
    expect((await office.call("getTenant", { params: { id: references.tenantId } })).tenant.currentLeaseId).toBe(draft.id);
    expect((await office.attempt("getLease", { params: { id: draft.id } })).headers.get("ETag")).toBe(headers.get("ETag"));
  });

  test("an occupant who would leave before a later start date does not move in after moving out", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office), {
      startDate: inDays(10),
      occupants: [{ fullName: "Guest", role: "occupant" }],
    });
    await office.call("updateOccupant", { params: { id: draft.occupants[1]!.id }, body: { moveOutDate: inDays(15) } });
    const { body } = await activate(draft.id, { activateOn: inDays(20) });
    expect(body.lease.occupants).toMatchObject([{ moveInDate: inDays(20) }, { fullName: "Guest", moveInDate: inDays(15), moveOutDate: inDays(15) }]);
  });

  test("makes a lease pending until its start date", async () => {
    const references = await createLeaseReferences(office);
    const draft = await aDraftLease(office, references, { startDate: inDays(1) });
    expect((await activate(draft.id)).body.lease.status).toBe("pending");
    expect(await readUnit(references.unitId)).toMatchObject({ status: "vacant", currentLeaseId: null });
    expect((await activate(draft.id)).body.code).toBe("invalid_transition");
  });

  test("can change the start date, and with it the move-in dates equal to the former start date", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office), { startDate: inDays(10) });
    const { body } = await activate(draft.id, { activateOn: currentDate() });
    expect(body.lease).toMatchObject({ status: "active", startDate: currentDate(), occupants: [{ moveInDate: currentDate() }] });
    const later = await aDraftLease(office, await createLeaseReferences(office), { startDate: inDays(10), moveInDate: inDays(10) });
    expect((await activate(later.id, { activateOn: inDays(20) })).body.lease).toMatchObject({
      moveInDate: inDays(20),
      occupants: [{ moveInDate: inDays(20) }],
    });
    const otherDraft = await aDraftLease(office, await createLeaseReferences(office));
    expect((await activate(otherDraft.id, { activateOn: addDays(otherDraft.endDate!, 1) })).body.errors).toMatchObject([{ path: "activateOn", code: "max" }]);
    expect((await activate(otherDraft.id, { activateOn: otherDraft.endDate })).body.lease.status).toBe("pending");
  });

  test("activates one of several concurrent leases for a unit", async () => {
    const references = await createLeaseReferences(office);
    const drafts = await Promise.all(Array.from({ length: 8 }, () => aDraftLease(office, references)));
    const responses = await Promise.all(drafts.map(({ id }) => activate(id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["lease_overlap"]));
  });

  test("takes effect once with concurrent requests", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const responses = await Promise.all(Array.from({ length: 8 }, () => activate(draft.id)));
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await findOutboxEvents(office, draft.id)).filter(({ type }) => type === "lease.activated")).toHaveLength(1);
  });

  test.each([
    ["that starts on the last day of another one", 409, { startDate: inDays(334), endDate: inDays(400) }],
    ["that starts on the day after another one", 200, { startDate: inDays(335), endDate: inDays(400) }],
    ["that ends on the first day of another one", 409, { startDate: inDays(-60), endDate: inDays(-30) }],
    ["that ends on the day before another one", 200, { startDate: inDays(-60), endDate: inDays(-31) }],
    ["within another one", 409, { startDate: inDays(1), endDate: inDays(2) }],
    ["that starts before another one and is month to month", 409, { startDate: inDays(-60), endDate: undefined, termType: "month_to_month" as const }],
  ])("a lease %s: status %i", async (_, expected, terms) => {
    const references = await createLeaseReferences(office);
    await aLease(office, references);
    const draft = await aDraftLease(office, references, terms as object);
    expect((await activate(draft.id)).status).toBe(expected);
  });

  test("treats a month-to-month lease as open-ended even with an end date", async () => {
    const references = await createLeaseReferences(office);
    await aLease(office, references, { termType: "month_to_month", endDate: inDays(30) });
    const draft = await aDraftLease(office, references, { startDate: inDays(300) });
    expect((await activate(draft.id)).body.code).toBe("lease_overlap");
  });

  test("refuses an active or terminated lease and returns 404 for an unknown one", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    expect((await activate(lease.id)).body.code).toBe("invalid_transition");
    await terminate(lease.id);
    expect((await activate(lease.id)).body.code).toBe("invalid_transition");
    expect((await activate(unknownId())).status).toBe(404);
    expect((await otherOffice.attempt("activateLease", { params: { id: lease.id }, body: {} })).status).toBe(404);
  });

  test("honours If-Match", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const response = await office.attempt("activateLease", { params: { id: draft.id }, body: {}, headers: { "If-Match": '"99"' } });
    expect(response.body.code).toBe("version_conflict");
  });
});

describe("startLeases", () => {
  test("activates a pending lease on its first day, and its predecessor becomes renewed", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { endDate: currentDate() });
    const { body } = await renew(lease.id, { startDate: inDays(1), endDate: inDays(365) });
    expect((await activate(body.lease.id)).body.lease.status).toBe("pending");
    // Moves both leases one day into the past.
    await queryRows(office.organizationId, "update lease set end_date = end_date - 1 where id = $1", [lease.id]);
    await queryRows(office.organizationId, "update lease set start_date = start_date - 1, superseded_from = superseded_from - 1 where id = any($1)", [
      [lease.id, body.lease.id],
    ]);
    await makeJobsDue(office);
    await waitForIdleJobs("portfolio", office);
    expect([(await read(lease.id)).status, (await read(body.lease.id)).status]).toEqual(["renewed", "active"]);
    const events = (await findOutboxEvents(office, body.lease.id)).filter(({ type }) => type === "lease.activated");
    expect(events.map(({ data, actorUserId }) => [data["status"], actorUserId])).toEqual([
      ["pending", office.userId],
      ["active", null],
    ]);
    expect(await readUnit(references.unitId)).toMatchObject({ status: "occupied", currentLeaseId: body.lease.id });
    const { payment } = await office.call("recordPayment", { body: aPayment({ ...references, leaseId: body.lease.id }, 100) });
    const readLeaseStatusInLedger = async () => (await office.call("getPayment", { params: { id: payment.id } })).payment.lease!.status;
    await eventually("active lease in the ledger", async () => (await readLeaseStatusInLedger()) === "active");
  });
});

describe("a lease that has ended", () => {
  test("still holds its unit on the days of its term", async () => {
    const { propertyId, unitId, tenantId, endDate } = await aLeaseInStatus(office, "expired");
    const draft = await aDraftLease(office, { propertyId, unitId, tenantId }, { startDate: endDate! });
    expect((await activate(draft.id)).body.code).toBe("lease_overlap");
    expect((await activate(draft.id, { activateOn: currentDate() })).status).toBe(200);
  });
});

describe("terminateLease", () => {
  test("terminates the lease today and vacates the unit", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    const { status, body } = await terminate(lease.id, { reason: "Moved away", noticeGivenOn: inDays(-10) });
    expect(status).toBe(200);
    expect(body.lease).toMatchObject({ status: "terminated", terminationDate: currentDate(), terminationReason: "Moved away", noticeGivenOn: inDays(-10) });
    expect(body.lease.occupants).toMatchObject([{ releasedOn: currentDate(), moveOutDate: currentDate() }]);
    expect(await readUnit(references.unitId)).toMatchObject({ status: "vacant", currentLeaseId: null });
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({
      type: "lease.terminated",
      data: { terminationDate: currentDate() },
      audience: { tenantIds: [references.tenantId] },
    });
    expect((await terminate(lease.id)).body.code).toBe("invalid_transition");
  });

  test("keeps the unit occupied and held until a future termination date", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    await terminate(lease.id, { terminationDate: inDays(20) });
    expect((await readUnit(references.unitId)).status).toBe("occupied");
    const isVacantAsOf = async (vacantAsOf: string) =>
      (await office.call("listUnits", { query: { propertyId: references.propertyId, vacantAsOf } })).units.some(({ id }) => id === references.unitId);
    expect([await isVacantAsOf(inDays(20)), await isVacantAsOf(inDays(21))]).toEqual([false, true]);
    const overlapping = await aDraftLease(office, references, { startDate: inDays(20) });
    expect((await activate(overlapping.id)).body.code).toBe("lease_overlap");
    expect((await activate(overlapping.id, { activateOn: inDays(21) })).status).toBe(200);
  });

  test("is refused after the start of another lease of the unit", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    await aLease(office, references, { startDate: inDays(335), endDate: inDays(400) });
    expect((await terminate(lease.id, { terminationDate: inDays(335) })).body.code).toBe("lease_overlap");
    expect((await terminate(lease.id, { terminationDate: inDays(334) })).status).toBe(200);
  });

  test.each([
    ["a day before the start", { terminationDate: inDays(-31) }, "terminationDate", "before_start"],
    ["no date", { terminationDate: undefined }, "terminationDate", "required"],
    ["an unknown value of finalRent", { finalRent: "half" }, "finalRent", "enum"],
    ["a negative fee", { terminationFeeCents: -1 }, "terminationFeeCents", "min"],
    ["a reason of 501 characters", { reason: "x".repeat(501) }, "reason", "too_long"],
  ])("refuses %s", async (_, terms, path, code) => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const { status, body } = await terminate(lease.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("charges no termination fee of zero", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const { status, body } = await terminate(lease.id, { terminationFeeCents: 0 });
    expect([status, body.charges.filter(({ chargeType }) => chargeType === "fee")]).toEqual([200, []]);
  });

  test("is refused for a draft or pending lease and returns 404 for an unknown one", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    expect((await terminate(draft.id)).body.code).toBe("invalid_transition");
    const pending = await aLease(office, await createLeaseReferences(office), { startDate: inDays(1) });
    expect((await terminate(pending.id, { terminationDate: inDays(1) })).body.code).toBe("invalid_transition");
    expect((await terminate(unknownId())).status).toBe(404);
  });

  test("keeps the unit from a lease that started earlier, until the termination date", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { startDate: inDays(-20) });
    await terminate(lease.id, { terminationDate: inDays(10) });
    const activateFrom = async (startDate: string, endDate: string) =>
      (await activate((await aDraftLease(office, references, { startDate, endDate })).id)).body.code ?? "activated";
    expect(await activateFrom(inDays(-40), inDays(-20))).toBe("lease_overlap");
    expect(await activateFrom(inDays(10), inDays(40))).toBe("lease_overlap");
    expect(await activateFrom(inDays(-40), inDays(-21))).toBe("activated");
    expect(await activateFrom(inDays(11), inDays(40))).toBe("activated");
  });

  test("on the first day leaves the unit to a lease that replaces the mistaken one", async () => {
    const references = await createLeaseReferences(office);
    const mistaken = await aLease(office, references, { startDate: inDays(-5) });
    await terminate(mistaken.id, { terminationDate: inDays(-5) });
    const replacement = await aDraftLease(office, references, { startDate: inDays(-5) });
    expect((await activate(replacement.id)).body.lease.status).toBe("active");
  });

  test("excludes the concurrent activation of a lease that starts before the termination date", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    const draft = await aDraftLease(office, references, { startDate: inDays(5) });
    const [terminated, activated] = await Promise.all([terminate(lease.id, { terminationDate: inDays(10) }), activate(draft.id)]);
    expect([terminated.status, activated.status, activated.body.code]).toEqual([200, 409, "lease_overlap"]);
    expect((await read(draft.id)).status).toBe("draft");
  });
});

describe("while the ledger is unavailable", () => {
  test("leases can be read but not transitioned, and nothing is written", async () => {
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      const references = await createLeaseReferences(office);
      const [draft, activeReferences] = await Promise.all([aDraftLease(office, references), createLeaseReferences(office)]);
      const lease = await aLease(office, activeReferences);
      const leaseResponse = await replica.request("GET", `/api/leases/${lease.id}`);
      expect(leaseResponse).toMatchObject({
        status: 200,
        body: { lease: { depositHeldCents: null, balanceCents: null, nextRentDueOn: null }, recurringChargeRules: [] },
      });
      expect(leaseResponse.body["lease"]).not.toHaveProperty("overduePostedRentCents");
      expect(await replica.request("GET", `/api/tenants/${references.tenantId}`)).toMatchObject({ status: 200, body: { tenant: { balanceCents: null } } });
      expect(await replica.request("GET", `/api/properties/${references.propertyId}`)).toMatchObject({ status: 200 });
      const transitions = await Promise.all([
        replica.request("POST", `/api/leases/${draft.id}/activate`, {}),
        replica.request("POST", `/api/leases/${lease.id}/terminate`, { terminationDate: currentDate() }),
        replica.request("POST", `/api/leases/${lease.id}/renew`, { startDate: inDays(335), endDate: inDays(400) }),
        replica.request("POST", `/api/leases`, { ...oneYearTerms(references), activate: true }),
        replica.request("DELETE", `/api/properties/${references.propertyId}`),
      ]);
      expect(transitions.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
      expect([(await read(draft.id)).status, (await read(lease.id)).status, (await read(lease.id)).renewedToLeaseId]).toEqual(["draft", "active", null]);
    } finally {
      await replica.stop();
    }
  });
});

describe("when the ledger becomes unavailable right after the commit", () => {
  test("the response states what was committed, and a repeat with the same Idempotency-Key completes the request", async () => {
    const replica = await startReplica(office, { reachable: "read-only ledger" });
    try {
      const draft = await aDraftLease(office, await createLeaseReferences(office));
      const headers = { "Idempotency-Key": unknownId() };
      const incomplete = await replica.request("POST", `/api/leases/${draft.id}/activate`, {}, headers);
      expect(incomplete).toMatchObject({ status: 503, body: { code: "service_unavailable", message: expect.stringContaining("The lease is activated;") } });
      expect((await read(draft.id)).status).toBe("active");
      const repeated = await office.attempt("activateLease", { params: { id: draft.id }, body: {}, headers });
      expect([repeated.status, repeated.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
      expect(repeated.body.recurringChargeRules).toMatchObject([{ leaseId: draft.id, status: "active" }]);
      expect((await findOutboxEvents(office, draft.id)).filter(({ type }) => type === "lease.activated")).toHaveLength(1);
    } finally {
      await replica.stop();
    }
  });
});
