import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../test/office.ts";
import { eventsOf } from "../../test/behind.ts";
import { afterAYear, aDraft, aLease, aPlace, aTenant, aUnit, inDays, now, unknownId } from "../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateLease", { params: { id }, body, headers });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const rentOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const activate = (id: string) => office.attempt("activateLease", { params: { id }, body: {} });
const renew = async (id: string) => (await office.call("renewLease", { params: { id }, body: afterAYear })).lease;

describe("updateLease", () => {
  test("changes what is sent of a draft and nothing else", async () => {
    const draft = await aDraft(office, await aPlace(office), {
      prorateFirstMonth: false,
      moveInDate: inDays(-20),
      lateFeeType: "flat",
      lateFeeAmountCents: 500,
    });
    const terms = { rentCents: 99, leaseKind: "commercial" as const, signedAt: "2096-02-29T12:00:00.000Z", endDate: "2096-02-29", rentChargeDay: 31 };
    const { status, body, headers } = await update(draft.id, terms);
    expect(status).toBe(200);
    expect(body.lease).toEqual({
      ...draft,
      ...terms,
      updatedAt: body.lease.updatedAt,
      daysUntilExpiry: body.lease.daysUntilExpiry,
      scheduledBaseRentCents: 99,
    });
    expect(await read(draft.id)).toEqual(body.lease);
    expect((await eventsOf(office, draft.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: draft.id, status: "draft" } });
    expect((await office.attempt("getLease", { params: { id: draft.id } })).headers.get("ETag")).toBe(headers.get("ETag"));
    expect((await update(draft.id, {})).body.lease).toMatchObject(terms);
  });

  test("clears what may be empty", async () => {
    const draft = await aDraft(office, await aPlace(office), { termType: "month_to_month", signedAt: "2026-01-01T00:00:00.000Z", lateFeeGraceDays: 3 });
    const { body } = await update(draft.id, { endDate: null, signedAt: null, lateFeeGraceDays: null });
    expect(body.lease).toMatchObject({ endDate: null, signedAt: null, lateFeeGraceDays: null, daysUntilExpiry: null, startDate: draft.startDate });
  });

  test("moves people in with the lease, but for those who have a day of their own", async () => {
    const occupants = [{ fullName: "A child", role: "occupant" as const, moveInDate: inDays(3) }];
    const draft = await aDraft(office, await aPlace(office), { occupants });
    const days = async (terms: object) => (await update(draft.id, terms)).body.lease.occupants.map(({ moveInDate }) => moveInDate);
    expect(await days({ startDate: inDays(1) })).toEqual([inDays(1), inDays(3)]);
    expect(await days({ moveInDate: inDays(2) })).toEqual([inDays(2), inDays(3)]);
    expect(await days({ moveInDate: null })).toEqual([inDays(1), inDays(3)]);
  });

  test("makes another tenant the primary occupant, whether it is on the lease already or not", async () => {
    const [place, coTenant, newcomer] = await Promise.all([aPlace(office), aTenant(office), aTenant(office)]);
    const draft = await aDraft(office, place, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const people = async (tenantId: string) => {
      const { lease } = (await update(draft.id, { tenantId })).body;
      return [lease.tenantId, lease.occupants.map((one) => [one.tenantId, one.role, one.isPrimary])];
    };
    expect(await people(coTenant.id)).toEqual([coTenant.id, [[coTenant.id, "primary", true]]]);
    expect(await people(newcomer.id)).toEqual([newcomer.id, [[newcomer.id, "primary", true]]]);
    expect((await activate(draft.id)).body.lease.tenantId).toBe(newcomer.id);
  });

  test("moves a draft to another unit, which must be one of the property", async () => {
    const [place, other] = await Promise.all([aPlace(office), aPlace(office)]);
    const draft = await aDraft(office, place);
    const unit = await aUnit(office, place.propertyId);
    expect((await update(draft.id, { unitId: unit.id })).body.lease.unitId).toBe(unit.id);
    expect((await update(draft.id, { unitId: other.unitId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(draft.id, { propertyId: other.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(draft.id, { propertyId: other.propertyId, unitId: other.unitId })).body.lease).toMatchObject({ propertyId: other.propertyId });
  });

  test.each([
    ["rentCents", { rentCents: 160_000 }],
    ["startDate", { startDate: inDays(-29) }],
    ["unitId", {}],
    ["tenantId", {}],
  ])("keeps the %s of an active lease, and says what to do", async (path, terms) => {
    const [place, other] = await Promise.all([aPlace(office), aPlace(office)]);
    const lease = await aLease(office, place);
    const named = path === "unitId" ? { unitId: (await aUnit(office, place.propertyId)).id } : path === "tenantId" ? { tenantId: other.tenantId } : terms;
    const { status, body } = await update(lease.id, { ...named, lateFeeGraceDays: 9 });
    expect([status, body.code, body.errors]).toMatchObject([409, "resource_in_use", [{ path, code: "not_allowed" }]]);
    expect(body.message).toContain("Renew or terminate");
    expect((await read(lease.id)).lateFeeGraceDays).toBeNull();
  });

  test("has the rent of an active lease fall due on another day and end with it", async () => {
    const lease = await aLease(office, await aPlace(office));
    const { body } = await update(lease.id, { endDate: "2096-02-29", rentChargeDay: 31 });
    expect(body.lease).toMatchObject({ endDate: "2096-02-29", rentCents: 150_000, status: "active" });
    expect(await rentOf(lease.id)).toMatchObject([{ endDate: "2096-02-29", dayOfMonth: 31, amountCents: 150_000, status: "active" }]);
    await update(lease.id, { termType: "month_to_month", endDate: null });
    expect(await rentOf(lease.id)).toMatchObject([{ endDate: null }]);
  });

  test("has the rent of a pending lease be what was agreed in the end", async () => {
    const lease = await aLease(office, await aPlace(office), { startDate: inDays(10) });
    await update(lease.id, { rentCents: 170_000, startDate: inDays(12), rentChargeDay: 15 });
    expect(await rentOf(lease.id)).toMatchObject([{ amountCents: 170_000, startDate: inDays(12), dayOfMonth: 15, status: "active" }]);
    await update(lease.id, { rentCents: 0 });
    expect(await rentOf(lease.id)).toMatchObject([{ status: "ended" }]);
    await update(lease.id, { rentCents: 5 });
    expect((await rentOf(lease.id)).map(({ amountCents, status }) => [amountCents, status])).toEqual([
      [170_000, "ended"],
      [5, "active"],
    ]);
  });

  test("keeps the rent of a pending lease once it is charged", async () => {
    const lease = await aLease(office, await aPlace(office), { startDate: inDays(1) });
    const { charge } = await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 100, dueDate: now(), chargeType: "fee" } });
    expect((await update(lease.id, { rentCents: 1 })).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "rentCents" }] });
    expect((await update(lease.id, { rentChargeDay: 2 })).status).toBe(200);
    await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "By mistake" } });
    expect((await update(lease.id, { rentCents: 1 })).status).toBe(200);
  });

  test("starts a pending lease whose first day is today after all", async () => {
    const lease = await aLease(office, await aPlace(office), { startDate: inDays(10) });
    expect((await update(lease.id, { startDate: now() })).body.lease.status).toBe("pending");
    for (let tries = 0; tries < 100 && (await read(lease.id)).status === "pending"; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await read(lease.id)).toMatchObject({ status: "active", startDate: now() });
  });

  test("lets no lease in force stand on another's days", async () => {
    const place = await aPlace(office);
    const first = await aLease(office, place);
    const second = await aLease(office, place, afterAYear);
    expect((await update(first.id, { endDate: inDays(335) })).body.code).toBe("lease_overlap");
    expect((await update(second.id, { startDate: inDays(334) })).body.code).toBe("lease_overlap");
    expect((await update(first.id, { termType: "month_to_month", endDate: null })).body.code).toBe("lease_overlap");
    expect((await update(first.id, { endDate: inDays(333) })).status).toBe(200);
    expect((await update(second.id, { startDate: inDays(334) })).status).toBe(200);
  });

  test("lets one of two leases that move into the same unit at once have it", async () => {
    const place = await aPlace(office);
    const units = await Promise.all(Array.from({ length: 4 }, () => aUnit(office, place.propertyId)));
    const pending = await Promise.all(units.map(({ id }) => aLease(office, { ...place, unitId: id }, { startDate: inDays(5) })));
    const answers = await Promise.all(pending.map(({ id }) => update(id, { unitId: place.unitId })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["lease_overlap"]));
  });

  test("lets a renewal take its start elsewhere, and with it the end of the lease before it", async () => {
    const lease = await aLease(office, await aPlace(office), { termType: "month_to_month", endDate: undefined } as object);
    const renewal = await renew(lease.id);
    expect((await update(renewal.id, { tenantId: lease.tenantId })).body.code).toBe("resource_in_use");
    expect((await update(renewal.id, { startDate: lease.startDate })).body.errors).toMatchObject([{ path: "startDate", code: "before_start" }]);
    await activate(renewal.id);
    for (const startDate of [inDays(100), inDays(200), inDays(20)]) {
      expect((await update(renewal.id, { startDate })).body.lease).toMatchObject({ status: "pending", startDate });
      expect(await read(lease.id)).toMatchObject({ status: "active", endDate: addDays(startDate, -1) });
      expect(await rentOf(lease.id)).toMatchObject([{ endDate: addDays(startDate, -1) }]);
      expect(await rentOf(renewal.id)).toMatchObject([{ startDate }]);
    }
    expect((await update(renewal.id, { startDate: lease.startDate })).body.errors).toMatchObject([{ path: "startDate", code: "before_start" }]);
    expect((await update(lease.id, { endDate: inDays(5) })).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "endDate" }] });
  });

  test.each([
    ["an end before the start", { endDate: inDays(-31) }, "endDate", "before_start"],
    ["no end of a fixed term", { endDate: null }, "endDate", "required"],
    ["the 29th of February of a common year", { endDate: "2027-02-29" }, "endDate", "format"],
    ["a rent below nothing", { rentCents: -1 }, "rentCents", "min"],
    ["half a cent", { rentCents: 0.5 }, "rentCents", "type"],
    ["rent on day 32", { rentChargeDay: 32 }, "rentChargeDay", "max"],
    ["a grace of 366 days", { lateFeeGraceDays: 366 }, "lateFeeGraceDays", "max"],
    ["a late fee above the whole", { lateFeePercentBps: 10_001 }, "lateFeePercentBps", "max"],
    ["no rent at all", { rentCents: null }, "rentCents", "type"],
    ["an unknown unit", { unitId: unknownId() }, "unitId", "not_found"],
    ["an unknown tenant", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["a status", { status: "active" }, "status", "unrecognized_key"],
    ["people", { occupants: [] }, "occupants", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const draft = await aDraft(office, await aPlace(office));
    const { status, body } = await update(draft.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is for admins and managers, honours If-Match, and knows only the organization's own", async () => {
    const draft = await aDraft(office, await aPlace(office));
    const staff = await office.colleague("staff");
    const request = { params: { id: draft.id }, body: { rentChargeDay: 2 } };
    expect((await staff.attempt("updateLease", request)).status).toBe(403);
    expect((await stranger.attempt("updateLease", request)).status).toBe(404);
    expect((await update(draft.id, { rentChargeDay: 2 }, { "If-Match": '"99"' })).body.code).toBe("version_conflict");
    expect((await update(unknownId(), {})).status).toBe(404);
  });
});
