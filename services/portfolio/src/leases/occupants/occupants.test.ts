import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, aLeaseInStatus, createLeaseReferences, aTenant, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const add = (leaseId: string, body: object) => office.attempt("createOccupant", { params: { leaseId }, body: body as never });
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateOccupant", { params: { id }, body, headers });
const release = (id: string, body: { releasedOn: string; moveOutDate?: string }) => office.attempt("releaseOccupant", { params: { id }, body });
const remove = (id: string) => office.attempt("deleteOccupant", { params: { id } });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const readUnit = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;
const addOccupant = async (leaseId: string, body: object) => {
  const { status, body: response } = await add(leaseId, body);
  expect(status).toBe(200);
  return response.occupant;
};

describe("createOccupant", () => {
  test("adds an occupant who is not a tenant, and publishes lease.updated", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const terms = { fullName: "A child", role: "occupant", relationship: "Daughter", notes: "Born in March", providerRole: "Minor", moveInDate: "2096-02-29" };
    const occupant = await addOccupant(lease.id, terms);
    expect(occupant).toMatchObject({ ...terms, tenantId: null, tenantName: null, isPrimary: false, moveOutDate: null, releasedOn: null, removedAt: null });
    const after = await read(lease.id);
    expect(after.occupants).toEqual([...lease.occupants, occupant]);
    expect(after.updatedAt > lease.updatedAt).toBe(true);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "active" } });
  });

  test("defaults the move-in date to the start of the lease, at the earliest today", async () => {
    const [active, pending] = await Promise.all([aLeaseInStatus(office, "active"), aLeaseInStatus(office, "pending")]);
    expect((await addOccupant(active.id, { fullName: "A child", role: "occupant" })).moveInDate).toBe(currentDate());
    expect((await addOccupant(pending.id, { fullName: "A child", role: "occupant" })).moveInDate).toBe(pending.startDate);
  });

  test("lets a co-tenant pay on the lease until the release", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const coTenant = await aTenant(office);
    const payment = { tenantId: coTenant.id, leaseId: lease.id, amountCents: 100, paymentMethod: "cash" as const, receivedAt: "2026-01-05T15:00:00.000Z" };
    const pay = () => office.attempt("recordPayment", { body: { ...payment, idempotencyKey: unknownId() } });
    expect((await pay()).status).toBe(400);
    const { id, fullName } = await addOccupant(lease.id, { tenantId: coTenant.id, role: "co_tenant" });
    expect(fullName).toBe(coTenant.fullName);
    expect((await pay()).status).toBe(200);
    await release(id, { releasedOn: currentDate() });
    expect((await pay()).status).toBe(400);
  });

  test("accepts only the tenant of the lease as primary occupant, without whom the lease cannot be activated", async () => {
    const draft = await aLeaseInStatus(office, "draft");
    const primary = draft.occupants.find(({ isPrimary }) => isPrimary)!;
    const other = await aTenant(office);
    expect((await add(draft.id, { tenantId: draft.tenantId, role: "co_tenant" })).body.code).toBe("duplicate");
    await remove(primary.id);
    expect((await office.attempt("activateLease", { params: { id: draft.id }, body: {} })).body.code).toBe("invalid_transition");
    expect((await add(draft.id, { tenantId: other.id, role: "primary" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await add(draft.id, { tenantId: draft.tenantId, role: "co_tenant" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    const flatmate = await addOccupant(draft.id, { fullName: "Flatmate", role: "occupant" });
    expect((await update(flatmate.id, { tenantId: draft.tenantId })).body.errors).toMatchObject([{ path: "tenantId", code: "mismatch" }]);
    expect(await addOccupant(draft.id, { tenantId: draft.tenantId, role: "primary" })).toMatchObject({ isPrimary: true });
    expect((await office.attempt("activateLease", { params: { id: draft.id }, body: {} })).status).toBe(200);
  });

  test("adds a tenant once with concurrent requests, and once per Idempotency-Key", async () => {
    const [lease, tenant, other] = await Promise.all([aLeaseInStatus(office, "active"), aTenant(office), aTenant(office)]);
    const responses = await Promise.all(Array.from({ length: 6 }, () => add(lease.id, { tenantId: tenant.id, role: "co_tenant" })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["duplicate"]));
    const request = { params: { leaseId: lease.id }, body: { tenantId: other.id, role: "guarantor" as const }, headers: { "Idempotency-Key": unknownId() } };
    const repeated = [await office.attempt("createOccupant", request), await office.attempt("createOccupant", request)];
    expect(repeated.map(({ status }) => status)).toEqual([200, 200]);
    expect(repeated[0]!.text).toBe(repeated[1]!.text);
  });

  test.each([
    ["an occupant without name or tenant", { role: "occupant" }, "fullName", "required"],
    ["a blank name", { fullName: " ", role: "occupant" }, "fullName", "too_short"],
    ["a name of 161 characters", { fullName: "x".repeat(161), role: "occupant" }, "fullName", "too_long"],
    ["no role", { fullName: "A child" }, "role", "required"],
    ["an unknown role", { fullName: "A child", role: "butler" }, "role", "enum"],
    ["an unknown tenant", { tenantId: unknownId(), role: "co_tenant" }, "tenantId", "not_found"],
    ["notes of 2001 characters", { fullName: "A child", role: "occupant", notes: "x".repeat(2001) }, "notes", "too_long"],
    ["a date that does not exist", { fullName: "A child", role: "occupant", moveInDate: "2027-02-29" }, "moveInDate", "format"],
    ["a release date", { fullName: "A child", role: "occupant", releasedOn: "2027-01-01" }, "releasedOn", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const lease = await aDraftLease(office, await createLeaseReferences(office));
    const { status, body } = await add(lease.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("like the other changes of occupants, returns 404 to other organizations and 403 to staff, who can list occupants", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const { id } = lease.occupants[1]!;
    const staff = await office.colleague("staff");
    const requests = {
      createOccupant: { params: { leaseId: lease.id }, body: { fullName: "A child", role: "occupant" as const } },
      updateOccupant: { params: { id }, body: {} },
      releaseOccupant: { params: { id }, body: { releasedOn: currentDate() } },
      deleteOccupant: { params: { id } },
    };
    for (const [name, request] of Object.entries(requests)) {
      expect([name, (await otherOffice.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 404]);
      expect([name, (await staff.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 403]);
    }
    expect((await staff.attempt("listOccupants", { params: { leaseId: lease.id } })).status).toBe(200);
  });
});

describe("updateOccupant", () => {
  test("changes only the given members and returns 412 to an outdated If-Match", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const tenant = await aTenant(office);
    const child = await addOccupant(lease.id, { fullName: "A child", role: "occupant", notes: "Born in March", relationship: "Daughter" });
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
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated" });
  });

  test("refuses a tenant already on the lease, another primary occupant, and a stay that ends before it starts", async () => {
    const { tenantId, occupants } = await aLeaseInStatus(office, "active");
    const [primary, coTenant] = occupants;
    expect((await update(coTenant!.id, { tenantId })).body.code).toBe("duplicate");
    expect((await update(coTenant!.id, { role: "primary" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await update(primary!.id, { role: "occupant" })).body.errors).toMatchObject([{ path: "role", code: "mismatch" }]);
    expect((await update(coTenant!.id, { moveOutDate: inDays(-31) })).body.errors).toMatchObject([{ path: "moveOutDate", code: "before_start" }]);
    expect((await update(coTenant!.id, { moveOutDate: inDays(-30) })).status).toBe(200);
    expect((await update(coTenant!.id, { releasedOn: currentDate() })).body.errors).toMatchObject([{ path: "releasedOn", code: "unrecognized_key" }]);
  });
});

describe("releaseOccupant", () => {
  test("releases a co-tenant and publishes the release to the tenant and the office", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const coTenant = lease.occupants.find(({ role }) => role === "co_tenant")!;
    const { status, body } = await release(coTenant.id, { releasedOn: "2096-02-29", moveOutDate: "2096-02-28" });
    expect([status, body.occupant]).toEqual([200, { ...coTenant, releasedOn: "2096-02-29", moveOutDate: "2096-02-28" }]);
    expect(await findOutboxEvents(office, coTenant.id)).toMatchObject([
      { type: "occupant.released", data: { leaseId: lease.id, releasedOn: "2096-02-29" }, audience: { tenantIds: [coTenant.tenantId] } },
    ]);
    expect((await release(coTenant.id, { releasedOn: currentDate() })).body.code).toBe("invalid_transition");
  });

  test("defaults the move-out date to the release date", async () => {
    const { occupants } = await aLeaseInStatus(office, "active");
    expect((await release(occupants[1]!.id, { releasedOn: currentDate() })).body.occupant).toMatchObject({
      releasedOn: currentDate(),
      moveOutDate: currentDate(),
    });
  });

  test("releases an occupant once with concurrent requests", async () => {
    const { occupants } = await aLeaseInStatus(office, "active");
    const responses = await Promise.all([1, 2, 3, 4, 5].map((days) => release(occupants[1]!.id, { releasedOn: inDays(days) })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(await findOutboxEvents(office, occupants[1]!.id)).toHaveLength(1);
  });

  test("refuses to release or delete the primary occupant of an active lease", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const { status, body } = await release(lease.occupants[0]!.id, { releasedOn: currentDate() });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    expect((await remove(lease.occupants[0]!.id)).body.code).toBe("resource_in_use");
    expect(await read(lease.id)).toEqual(lease);
  });

  test.each([
    ["before the move-in", { releasedOn: inDays(-31) }, "releasedOn", "before_start"],
    ["with a move-out before the move-in", { releasedOn: currentDate(), moveOutDate: inDays(-31) }, "moveOutDate", "before_start"],
    ["without a date", {}, "releasedOn", "required"],
  ])("refuses a release %s", async (_, terms, path, code) => {
    const { occupants } = await aLeaseInStatus(office, "active");
    const { status, body } = await release(occupants[1]!.id, terms as never);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("deleteOccupant", () => {
  test("removes an occupant, who is listed only with includeDeleted", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const coTenant = lease.occupants[1]!;
    const { body } = await remove(coTenant.id);
    expect(body.occupant).toEqual({ ...coTenant, removedAt: expect.any(String) });
    expect((await read(lease.id)).occupants.map(({ id }) => id)).toEqual([lease.occupants[0]!.id]);
    expect((await remove(coTenant.id)).status).toBe(404);
    expect((await update(coTenant.id, { notes: "x" })).status).toBe(404);
    const list = (includeDeleted: boolean) => office.call("listOccupants", { params: { leaseId: lease.id }, query: { includeDeleted } });
    expect([(await list(false)).total, (await list(true)).total]).toEqual([1, 2]);
    expect((await addOccupant(lease.id, { tenantId: coTenant.tenantId, role: "guarantor" })).role).toBe("guarantor");
  });
});

describe("a concurrent activation", () => {
  test("excludes the removal of the primary occupant", async () => {
    for (let round = 0; round < 5; round++) {
      const draft = await aDraftLease(office, await createLeaseReferences(office));
      const [activated, removed] = await Promise.all([office.attempt("activateLease", { params: { id: draft.id }, body: {} }), remove(draft.occupants[0]!.id)]);
      expect([activated.status, removed.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
      const { status, occupants } = await read(draft.id);
      expect([status, occupants.length]).toEqual(activated.status === 200 ? ["active", 1] : ["draft", 0]);
    }
  });
});

describe("the occupancy of a unit", () => {
  const countOccupiedUnits = async (propertyId: string) => (await office.call("getProperty", { params: { id: propertyId } })).property.occupiedUnits;

  test("ends on the day on which the last occupant moves out or is released", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, { occupants: [{ fullName: "A flatmate", role: "occupant" }] });
    const [primary, flatmate] = lease.occupants;
    expect([(await readUnit(references.unitId)).status, await countOccupiedUnits(references.propertyId)]).toEqual(["occupied", 1]);
    await update(primary!.id, { moveOutDate: currentDate() });
    expect((await readUnit(references.unitId)).status).toBe("occupied");
    await release(flatmate!.id, { releasedOn: inDays(1) });
    expect([(await readUnit(references.unitId)).status, await countOccupiedUnits(references.propertyId)]).toEqual(["occupied", 1]);
    await update(flatmate!.id, { moveOutDate: currentDate() });
    expect(await readUnit(references.unitId)).toMatchObject({ status: "vacant", currentLeaseId: lease.id });
    expect(await countOccupiedUnits(references.propertyId)).toBe(0);
    await update(primary!.id, { moveOutDate: inDays(1) });
    expect(await countOccupiedUnits(references.propertyId)).toBe(1);
  });

  test("continues after the expiry of the lease until the occupants are released", async () => {
    const lease = await aLeaseInStatus(office, "expired");
    const { unitId, occupants } = lease;
    expect((await readUnit(unitId)).status).toBe("occupied");
    await release(occupants[1]!.id, { releasedOn: currentDate() });
    expect((await readUnit(unitId)).status).toBe("occupied");
    await release(occupants[0]!.id, { releasedOn: currentDate() });
    expect((await readUnit(unitId)).status).toBe("vacant");
  });

  test("ends with the termination of the lease, also for an occupant with a later release date", async () => {
    const { id, unitId, occupants } = await aLeaseInStatus(office, "active");
    await release(occupants[1]!.id, { releasedOn: inDays(50) });
    const { lease } = await office.call("terminateLease", { params: { id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect(lease.occupants.map(({ releasedOn }) => releasedOn)).toEqual([currentDate(), currentDate()]);
    expect((await readUnit(unitId)).status).toBe("vacant");
  });
});

describe("while the ledger is unavailable", () => {
  test("occupants can be added and released", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      const created = await replica.request("POST", `/api/leases/${lease.id}/occupants`, { fullName: "A child", role: "occupant" });
      const released = await replica.request("POST", `/api/lease-occupants/${lease.occupants[1]!.id}/release`, { releasedOn: currentDate() });
      expect([created.status, released.status]).toEqual([200, 200]);
    } finally {
      await replica.stop();
    }
  });
});

describe("the name of an occupant", () => {
  test("follows the name of its tenant, also in a merge, unless the lease records another one", async () => {
    const references = await createLeaseReferences(office);
    const [coTenant, duplicate, survivor] = [await aTenant(office), await aTenant(office), await aTenant(office, { fullName: "Ana Keep" })];
    const lease = await aLease(office, references);
    await addOccupant(lease.id, { tenantId: coTenant.id, fullName: "Bo as signed", role: "co_tenant" });
    await addOccupant(lease.id, { tenantId: duplicate.id, role: "co_tenant" });
    const names = async () => (await read(lease.id)).occupants.map(({ fullName, tenantName }) => [fullName, tenantName]);
    for (const id of [references.tenantId, coTenant.id]) await office.call("updateTenant", { params: { id }, body: { fullName: "Bo New" } });
    expect(await names()).toEqual([
      ["Bo New", "Bo New"],
      ["Bo as signed", "Bo New"],
      [duplicate.fullName, duplicate.fullName],
    ]);
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } });
    expect((await names())[2]).toEqual(["Ana Keep", "Ana Keep"]);
  });
});
