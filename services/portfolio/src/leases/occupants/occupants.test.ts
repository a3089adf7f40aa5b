import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/office.ts";
import { aReplica, eventsOf } from "../../../test/behind.ts";
import { aDraft, aLease, aLeaseThatIs, aPlace, aTenant, inDays, now, unknownId } from "../../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const add = (leaseId: string, body: object) => office.attempt("createOccupant", { params: { leaseId }, body: body as never });
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateOccupant", { params: { id }, body, headers });
const release = (id: string, body: { releasedOn: string; moveOutDate?: string }) => office.attempt("releaseOccupant", { params: { id }, body });
const remove = (id: string) => office.attempt("deleteOccupant", { params: { id } });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const unitOf = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;
const added = async (leaseId: string, body: object) => {
  const { status, body: answer } = await add(leaseId, body);
  expect(status).toBe(200);
  return answer.occupant;
};

describe("createOccupant", () => {
  test("adds somebody who is known only by name, and says so to who follows the lease", async () => {
    const lease = await aLease(office, await aPlace(office));
    const terms = { fullName: "A child", role: "occupant", relationship: "Daughter", notes: "Born in March", providerRole: "Minor", moveInDate: "2096-02-29" };
    const occupant = await added(lease.id, terms);
    expect(occupant).toMatchObject({ ...terms, tenantId: null, tenantName: null, isPrimary: false, moveOutDate: null, releasedOn: null, removedAt: null });
    const after = await read(lease.id);
    expect(after.occupants).toEqual([...lease.occupants, occupant]);
    expect(after.updatedAt > lease.updatedAt).toBe(true);
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" } });
  });

  test("moves people in when the lease begins, or today when it has", async () => {
    const [running, pending] = await Promise.all([aLeaseThatIs(office, "active"), aLeaseThatIs(office, "pending")]);
    expect((await added(running.id, { fullName: "A child", role: "occupant" })).moveInDate).toBe(now());
    expect((await added(pending.id, { fullName: "A child", role: "occupant" })).moveInDate).toBe(pending.startDate);
  });

  test("lets a co-tenant pay from the next moment on, and not once released", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const coTenant = await aTenant(office);
    const payment = { tenantId: coTenant.id, leaseId: lease.id, amountCents: 100, paymentMethod: "cash" as const, receivedAt: "2026-01-05T15:00:00.000Z" };
    const pay = () => office.attempt("recordPayment", { body: { ...payment, idempotencyKey: unknownId() } });
    expect((await pay()).status).toBe(400);
    const { id, fullName } = await added(lease.id, { tenantId: coTenant.id, role: "co_tenant" });
    expect(fullName).toBe(coTenant.fullName);
    expect((await pay()).status).toBe(200);
    await release(id, { releasedOn: now() });
    expect((await pay()).status).toBe(400);
  });

  test("takes the lease's tenant back as primary, and nobody else", async () => {
    const draft = await aLeaseThatIs(office, "draft");
    const primary = draft.occupants.find(({ isPrimary }) => isPrimary)!;
    const other = await aTenant(office);
    expect((await add(draft.id, { tenantId: draft.tenantId, role: "co_tenant" })).body.code).toBe("duplicate");
    await remove(primary.id);
    expect((await office.attempt("activateLease", { params: { id: draft.id }, body: {} })).body.code).toBe("invalid_transition");
    expect((await add(draft.id, { tenantId: other.id, role: "primary" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await add(draft.id, { tenantId: draft.tenantId, role: "co_tenant" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect(await added(draft.id, { tenantId: draft.tenantId, role: "primary" })).toMatchObject({ isPrimary: true });
    expect((await office.attempt("activateLease", { params: { id: draft.id }, body: {} })).status).toBe(200);
  });

  test("adds a tenant once, however often it is asked at once, and once under its key", async () => {
    const [lease, tenant, other] = await Promise.all([aLeaseThatIs(office, "active"), aTenant(office), aTenant(office)]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(lease.id, { tenantId: tenant.id, role: "co_tenant" })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["duplicate"]));
    const request = { params: { leaseId: lease.id }, body: { tenantId: other.id, role: "guarantor" as const }, headers: { "Idempotency-Key": unknownId() } };
    const keyed = [await office.attempt("createOccupant", request), await office.attempt("createOccupant", request)];
    expect(keyed.map(({ status }) => status)).toEqual([200, 200]);
    expect(keyed[0]!.text).toBe(keyed[1]!.text);
  });

  test.each([
    ["nobody", { role: "occupant" }, "fullName", "required"],
    ["a blank name", { fullName: " ", role: "occupant" }, "fullName", "too_short"],
    ["a name of 161 characters", { fullName: "x".repeat(161), role: "occupant" }, "fullName", "too_long"],
    ["no role", { fullName: "A child" }, "role", "required"],
    ["an unknown role", { fullName: "A child", role: "butler" }, "role", "enum"],
    ["an unknown tenant", { tenantId: unknownId(), role: "co_tenant" }, "tenantId", "not_found"],
    ["notes of 2001 characters", { fullName: "A child", role: "occupant", notes: "x".repeat(2001) }, "notes", "too_long"],
    ["a day that does not exist", { fullName: "A child", role: "occupant", moveInDate: "2027-02-29" }, "moveInDate", "format"],
    ["a release", { fullName: "A child", role: "occupant", releasedOn: "2027-01-01" }, "releasedOn", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const lease = await aDraft(office, await aPlace(office));
    const { status, body } = await add(lease.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("knows only the organization's own, and its roles", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const { id } = lease.occupants[1]!;
    const staff = await office.colleague("staff");
    const calls = {
      createOccupant: { params: { leaseId: lease.id }, body: { fullName: "A child", role: "occupant" as const } },
      updateOccupant: { params: { id }, body: {} },
      releaseOccupant: { params: { id }, body: { releasedOn: now() } },
      deleteOccupant: { params: { id } },
    };
    for (const [name, request] of Object.entries(calls)) {
      expect([name, (await stranger.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 404]);
      expect([name, (await staff.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 403]);
    }
    expect((await staff.attempt("listOccupants", { params: { leaseId: lease.id } })).status).toBe(200);
  });
});

describe("updateOccupant", () => {
  test("changes what is sent and nothing else", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const tenant = await aTenant(office);
    const child = await added(lease.id, { fullName: "A child", role: "occupant", notes: "Born in March", relationship: "Daughter" });
    const { status, body, headers } = await update(child.id, { notes: null, moveInDate: "2096-02-29" });
    expect([status, body.occupant]).toEqual([200, { ...child, notes: null, moveInDate: "2096-02-29" }]);
    expect((await update(child.id, { tenantId: tenant.id, role: "guarantor" })).body.occupant).toMatchObject({
      tenantId: tenant.id,
      tenantName: tenant.fullName,
      fullName: "A child",
      role: "guarantor",
      relationship: "Daughter",
    });
    expect((await update(child.id, { notes: "x" }, { "If-Match": headers.get("ETag")! })).body.code).toBe("version_conflict");
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated" });
  });

  test("refuses who is on the lease already, another primary, and a stay that ends before it begins", async () => {
    const { tenantId, occupants } = await aLeaseThatIs(office, "active");
    const [primary, coTenant] = occupants;
    expect((await update(coTenant!.id, { tenantId })).body.code).toBe("duplicate");
    expect((await update(coTenant!.id, { role: "primary" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await update(primary!.id, { role: "occupant" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await update(coTenant!.id, { moveOutDate: inDays(-31) })).body.errors).toMatchObject([{ path: "moveOutDate", code: "before_start" }]);
    expect((await update(coTenant!.id, { moveOutDate: inDays(-30) })).status).toBe(200);
    expect((await update(coTenant!.id, { releasedOn: now() })).body.errors).toMatchObject([{ path: "releasedOn", code: "unrecognized_key" }]);
  });
});

describe("releaseOccupant", () => {
  test("releases a co-tenant on a day, and says so to them and the office", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const coTenant = lease.occupants.find(({ role }) => role === "co_tenant")!;
    const { status, body } = await release(coTenant.id, { releasedOn: "2096-02-29", moveOutDate: "2096-02-28" });
    expect([status, body.occupant]).toEqual([200, { ...coTenant, releasedOn: "2096-02-29", moveOutDate: "2096-02-28" }]);
    expect(await eventsOf(office, coTenant.id)).toMatchObject([
      { type: "occupant.released", data: { leaseId: lease.id, releasedOn: "2096-02-29" }, audience: { tenantIds: [coTenant.tenantId] } },
    ]);
    expect((await release(coTenant.id, { releasedOn: now() })).body.code).toBe("invalid_transition");
  });

  test("lets people move out on the day of their release when nothing else is said", async () => {
    const { occupants } = await aLeaseThatIs(office, "active");
    expect((await release(occupants[1]!.id, { releasedOn: now() })).body.occupant).toMatchObject({ releasedOn: now(), moveOutDate: now() });
  });

  test("releases somebody once, however often it is asked at once", async () => {
    const { occupants } = await aLeaseThatIs(office, "active");
    const answers = await Promise.all([1, 2, 3, 4, 5].map((days) => release(occupants[1]!.id, { releasedOn: inDays(days) })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(await eventsOf(office, occupants[1]!.id)).toHaveLength(1);
  });

  test("leaves a lease in force its primary occupant", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const { status, body } = await release(lease.tenantId && lease.occupants[0]!.id, { releasedOn: now() });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    expect((await remove(lease.occupants[0]!.id)).body.code).toBe("resource_in_use");
    expect(await read(lease.id)).toEqual(lease);
  });

  test.each([
    ["before the day of moving in", { releasedOn: inDays(-31) }, "releasedOn", "before_start"],
    ["and a move before moving in", { releasedOn: now(), moveOutDate: inDays(-31) }, "moveOutDate", "before_start"],
    ["on no day", {}, "releasedOn", "required"],
  ])("refuses a release %s", async (_, terms, path, code) => {
    const { occupants } = await aLeaseThatIs(office, "active");
    const { status, body } = await release(occupants[1]!.id, terms as never);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("deleteOccupant", () => {
  test("takes somebody off a lease, whom only who may see what was deleted finds there", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const coTenant = lease.occupants[1]!;
    const { body } = await remove(coTenant.id);
    expect(body.occupant).toEqual({ ...coTenant, removedAt: expect.any(String) });
    expect((await read(lease.id)).occupants.map(({ id }) => id)).toEqual([lease.occupants[0]!.id]);
    expect((await remove(coTenant.id)).status).toBe(404);
    expect((await update(coTenant.id, { notes: "x" })).status).toBe(404);
    const listed = (includeDeleted: boolean) => office.call("listOccupants", { params: { leaseId: lease.id }, query: { includeDeleted } });
    expect([(await listed(false)).total, (await listed(true)).total]).toEqual([1, 2]);
    expect((await added(lease.id, { tenantId: coTenant.tenantId, role: "guarantor" })).role).toBe("guarantor");
  });
});

describe("a primary occupant", () => {
  test("is not taken off a lease that is activated at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await aDraft(office, await aPlace(office));
      const [activated, removed] = await Promise.all([office.attempt("activateLease", { params: { id: draft.id }, body: {} }), remove(draft.occupants[0]!.id)]);
      expect([activated.status, removed.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
      const { status, occupants } = await read(draft.id);
      expect([status, occupants.length]).toEqual(activated.status === 200 ? ["active", 1] : ["draft", 0]);
    }
  });
});

describe("who lives in a unit", () => {
  const occupied = async (propertyId: string) => (await office.call("getProperty", { params: { id: propertyId } })).property.occupiedUnits;

  test("follows people as they move out and are released, each on their day", async () => {
    const place = await aPlace(office);
    const lease = await aLease(office, place, { occupants: [{ fullName: "A flatmate", role: "occupant" }] });
    const [primary, flatmate] = lease.occupants;
    expect([(await unitOf(place.unitId)).status, await occupied(place.propertyId)]).toEqual(["occupied", 1]);
    await update(primary!.id, { moveOutDate: now() });
    expect((await unitOf(place.unitId)).status).toBe("occupied");
    await release(flatmate!.id, { releasedOn: inDays(1) });
    expect([(await unitOf(place.unitId)).status, await occupied(place.propertyId)]).toEqual(["occupied", 1]);
    await update(flatmate!.id, { moveOutDate: now() });
    expect(await unitOf(place.unitId)).toMatchObject({ status: "vacant", currentLeaseId: lease.id });
    expect(await occupied(place.propertyId)).toBe(0);
    await update(primary!.id, { moveOutDate: inDays(1) });
    expect(await occupied(place.propertyId)).toBe(1);
  });

  test("counts people of a lease that ran out until they are released", async () => {
    const lease = await aLeaseThatIs(office, "expired");
    const { unitId, occupants } = lease;
    expect((await unitOf(unitId)).status).toBe("occupied");
    await release(occupants[1]!.id, { releasedOn: now() });
    expect((await unitOf(unitId)).status).toBe("occupied");
    await release(occupants[0]!.id, { releasedOn: now() });
    expect((await unitOf(unitId)).status).toBe("vacant");
  });

  test("does not count who was to be released later than the lease ended", async () => {
    const { id, unitId, occupants } = await aLeaseThatIs(office, "active");
    await release(occupants[1]!.id, { releasedOn: inDays(50) });
    const { lease } = await office.call("terminateLease", { params: { id }, body: { terminationDate: now(), finalRent: "none" } });
    expect(lease.occupants.map(({ releasedOn }) => releasedOn)).toEqual([now(), now()]);
    expect((await unitOf(unitId)).status).toBe("vacant");
  });
});

describe("while the ledger does not answer", () => {
  test("people come and go all the same", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const replica = await aReplica(office, "no ledger");
    try {
      const coming = await replica.request("POST", `/api/leases/${lease.id}/occupants`, { fullName: "A child", role: "occupant" });
      const going = await replica.request("POST", `/api/lease-occupants/${lease.occupants[1]!.id}/release`, { releasedOn: now() });
      expect([coming.status, going.status]).toEqual([200, 200]);
    } finally {
      await replica.stop();
    }
  });
});
