import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { waitForIdleJobs } from "../../../../test/support/jobs.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { findOutboxEvents } from "../../test/database.ts";
import { followingYearTerms, aDraftLease, aLease, createLeaseReferences, aTenant, aUnit, inDays, currentDate, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateLease", { params: { id }, body, headers });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const listRentRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const activate = (id: string) => office.attempt("activateLease", { params: { id }, body: {} });
const renew = async (id: string) => (await office.call("renewLease", { params: { id }, body: followingYearTerms() })).lease;

describe("updateLease", () => {
  test("changes only the given members of a draft", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office), {
      prorateFirstMonth: false,
      startDate: inDays(10),
      moveInDate: inDays(15),
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
      daysUntilExpiry: expect.any(Number),
      scheduledBaseRentCents: 99,
    });
    expect(await read(draft.id)).toEqual({ ...body.lease, daysUntilExpiry: expect.any(Number) });
    expect((await findOutboxEvents(office, draft.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: draft.id, status: "draft" } });
    expect((await office.attempt("getLease", { params: { id: draft.id } })).headers.get("ETag")).toBe(headers.get("ETag"));
    expect((await update(draft.id, {})).body.lease).toMatchObject(terms);
  });

  test("clears nullable members", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office), {
      termType: "month_to_month",
      signedAt: "2026-01-01T00:00:00.000Z",
      lateFeeGraceDays: 3,
    });
    const { body } = await update(draft.id, { endDate: null, signedAt: null, lateFeeGraceDays: null });
    expect(body.lease).toMatchObject({ endDate: null, signedAt: null, lateFeeGraceDays: null, daysUntilExpiry: null, startDate: draft.startDate });
  });

  test("moves the move-in dates with the lease, except those set for an occupant", async () => {
    const [startDate, moveInDate, childMoveInDate] = [inDays(1), inDays(2), inDays(3)];
    const occupants = [{ fullName: "A child", role: "occupant" as const, moveInDate: childMoveInDate }];
    const draft = await aDraftLease(office, await createLeaseReferences(office), { occupants });
    const moveInDates = async (terms: object) => (await update(draft.id, terms)).body.lease.occupants.map((occupant) => occupant.moveInDate);
    expect(await moveInDates({ startDate })).toEqual([startDate, childMoveInDate]);
    expect(await moveInDates({ moveInDate })).toEqual([moveInDate, childMoveInDate]);
    expect(await moveInDates({ moveInDate: null })).toEqual([startDate, childMoveInDate]);
  });

  test("replaces the primary occupant with the new tenant, who may already be an occupant", async () => {
    const [references, coTenant, otherTenant] = await Promise.all([createLeaseReferences(office), aTenant(office), aTenant(office)]);
    const draft = await aDraftLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const changeTenant = async (tenantId: string) => {
      const { lease } = (await update(draft.id, { tenantId })).body;
      return [lease.tenantId, lease.occupants.map((occupant) => [occupant.tenantId, occupant.role, occupant.isPrimary])];
    };
    expect(await changeTenant(coTenant.id)).toEqual([coTenant.id, [[coTenant.id, "primary", true]]]);
    expect(await changeTenant(otherTenant.id)).toEqual([otherTenant.id, [[otherTenant.id, "primary", true]]]);
    expect((await activate(draft.id)).body.lease.tenantId).toBe(otherTenant.id);
  });

  test("moves a draft to another unit, which must belong to the property", async () => {
    const [references, other] = await Promise.all([createLeaseReferences(office), createLeaseReferences(office)]);
    const draft = await aDraftLease(office, references);
    const unit = await aUnit(office, references.propertyId);
    expect((await update(draft.id, { unitId: unit.id })).body.lease.unitId).toBe(unit.id);
    expect((await update(draft.id, { unitId: other.unitId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(draft.id, { propertyId: other.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(draft.id, { propertyId: other.propertyId, unitId: other.unitId })).body.lease).toMatchObject({ propertyId: other.propertyId });
  });

  test.each(["rentCents", "startDate", "unitId", "tenantId"] as const)("refuses a change of %s on an active lease, naming the remedy", async (field) => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const newTerms = {
      rentCents: lease.rentCents + 10_000,
      startDate: addDays(lease.startDate, 1),
      unitId: (await aUnit(office, lease.propertyId)).id,
      tenantId: (await aTenant(office)).id,
    };
    const { status, body } = await update(lease.id, { [field]: newTerms[field], lateFeeGraceDays: 9 });
    expect([status, body.code, body.errors]).toMatchObject([409, "resource_in_use", [{ path: field, code: "not_allowed" }]]);
    expect(body.message).toContain("Renew or terminate");
    expect((await read(lease.id)).lateFeeGraceDays).toBeNull();
  });

  test("updates the due day and the end of the recurring rent of an active lease", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const { body } = await update(lease.id, { endDate: "2096-02-29", rentChargeDay: 31 });
    expect(body.lease).toMatchObject({ endDate: "2096-02-29", rentCents: 150_000, status: "active" });
    expect(await listRentRules(lease.id)).toMatchObject([{ endDate: "2096-02-29", dayOfMonth: 31, amountCents: 150_000, status: "active" }]);
    await update(lease.id, { termType: "month_to_month", endDate: null });
    expect(await listRentRules(lease.id)).toMatchObject([{ endDate: null }]);
  });

  test("updates the recurring rent of a pending lease", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(10) });
    const startDate = addDays(lease.startDate, 2);
    await update(lease.id, { rentCents: 170_000, startDate, rentChargeDay: 15 });
    expect(await listRentRules(lease.id)).toMatchObject([{ amountCents: 170_000, startDate, dayOfMonth: 15, status: "active" }]);
    await update(lease.id, { rentCents: 0 });
    expect(await listRentRules(lease.id)).toMatchObject([{ status: "ended" }]);
    await update(lease.id, { rentCents: 5 });
    expect((await listRentRules(lease.id)).map(({ amountCents, status }) => [amountCents, status])).toEqual([
      [170_000, "ended"],
      [5, "active"],
    ]);
  });

  test("refuses a change of the rent of a pending lease with postings", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(10) });
    const { charge } = await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 100, dueDate: currentDate(), chargeType: "fee" } });
    expect((await update(lease.id, { rentCents: 1 })).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "rentCents" }] });
    expect((await update(lease.id, { rentChargeDay: 2 })).status).toBe(200);
    await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "By mistake" } });
    expect((await update(lease.id, { rentCents: 1 })).status).toBe(200);
  });

  test("activates a pending lease whose start date is moved to today", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(10) });
    const startDate = currentDate();
    expect((await update(lease.id, { startDate })).body.lease.status).toBe("pending");
    await waitForIdleJobs("portfolio", office);
    expect(await read(lease.id)).toMatchObject({ status: "active", startDate });
  });

  test("refuses an overlap of two leases of a unit", async () => {
    const references = await createLeaseReferences(office);
    const first = await aLease(office, references);
    const lastDay = first.endDate!;
    const second = await aLease(office, references, { startDate: addDays(lastDay, 1), endDate: addDays(lastDay, 365) });
    expect((await update(first.id, { endDate: second.startDate })).body.code).toBe("lease_overlap");
    expect((await update(second.id, { startDate: lastDay })).body.code).toBe("lease_overlap");
    expect((await update(first.id, { termType: "month_to_month", endDate: null })).body.code).toBe("lease_overlap");
    expect((await update(first.id, { endDate: addDays(lastDay, -1) })).status).toBe(200);
    expect((await update(second.id, { startDate: lastDay })).status).toBe(200);
  });

  test("accepts one of several concurrent moves to the same unit", async () => {
    const references = await createLeaseReferences(office);
    const units = await Promise.all(Array.from({ length: 4 }, () => aUnit(office, references.propertyId)));
    const pending = await Promise.all(units.map(({ id }) => aLease(office, { ...references, unitId: id }, { startDate: inDays(5) })));
    const responses = await Promise.all(pending.map(({ id }) => update(id, { unitId: references.unitId })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["lease_overlap"]));
  });

  test("moves the end of the predecessor with the start of a renewal", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { termType: "month_to_month", endDate: undefined } as object);
    const renewal = await renew(lease.id);
    expect((await update(renewal.id, { tenantId: lease.tenantId })).body.code).toBe("resource_in_use");
    expect((await update(renewal.id, { startDate: lease.startDate })).body.errors).toMatchObject([{ path: "startDate", code: "before_start" }]);
    await activate(renewal.id);
    for (const startDate of [inDays(100), inDays(200), inDays(20)]) {
      expect((await update(renewal.id, { startDate })).body.lease).toMatchObject({ status: "pending", startDate });
      expect(await read(lease.id)).toMatchObject({ status: "active", endDate: addDays(startDate, -1) });
      expect(await listRentRules(lease.id)).toMatchObject([{ endDate: addDays(startDate, -1) }]);
      expect(await listRentRules(renewal.id)).toMatchObject([{ startDate }]);
    }
    expect((await update(renewal.id, { startDate: lease.startDate })).body.errors).toMatchObject([{ path: "startDate", code: "before_start" }]);
    expect((await update(lease.id, { endDate: inDays(5) })).body).toMatchObject({ code: "resource_in_use", errors: [{ path: "endDate" }] });
  });

  test.each([
    ["an end date before the start date", { endDate: "2020-01-01" }, "endDate", "before_start"],
    ["a null end date of a fixed term", { endDate: null }, "endDate", "required"],
    ["February 29 of a common year", { endDate: "2027-02-29" }, "endDate", "format"],
    ["a negative rent", { rentCents: -1 }, "rentCents", "min"],
    ["half a cent", { rentCents: 0.5 }, "rentCents", "type"],
    ["rent on day 32", { rentChargeDay: 32 }, "rentChargeDay", "max"],
    ["a grace period of 366 days", { lateFeeGraceDays: 366 }, "lateFeeGraceDays", "max"],
    ["a late fee above 100 percent", { lateFeePercentBps: 10_001 }, "lateFeePercentBps", "max"],
    ["a null rent", { rentCents: null }, "rentCents", "type"],
    ["an unknown unit", { unitId: unknownId() }, "unitId", "not_found"],
    ["an unknown tenant", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["a status", { status: "active" }, "status", "unrecognized_key"],
    ["occupants", { occupants: [] }, "occupants", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const { status, body } = await update(draft.id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("refuses staff, other organizations, unknown leases and a wrong If-Match version", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office));
    const staff = await office.colleague("staff");
    const request = { params: { id: draft.id }, body: { rentChargeDay: 2 } };
    expect((await staff.attempt("updateLease", request)).status).toBe(403);
    expect((await otherOffice.attempt("updateLease", request)).status).toBe(404);
    expect((await update(draft.id, { rentChargeDay: 2 }, { "If-Match": '"99"' })).body.code).toBe("version_conflict");
    expect((await update(unknownId(), {})).status).toBe(404);
  });
});
