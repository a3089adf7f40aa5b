import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { addDays, daysBetween } from "@freehold/kit/time/plain-date";
import { findOutboxEvents } from "../../test/database.ts";
import {
  aDraftLease,
  aLease,
  anOwner,
  createLeaseReferences,
  aProperty,
  aTenant,
  aUnit,
  oneYearTerms,
  inDays,
  currentDate,
  unknownId,
} from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);

describe("createLease", () => {
  test("creates a draft with the names of its property, unit and tenant, and the tenant as primary occupant", async () => {
    const terms = oneYearTerms(references);
    const earliestDate = currentDate();
    const { lease, notes, recurringChargeRules } = await office.call("createLease", { body: terms });
    expect([earliestDate, currentDate()]).toContain(lease.scheduledBaseRentAsOf);
    expect(lease).toMatchObject({
      ...terms,
      propertyName: "Elm Court",
      unitNumber: null,
      status: "draft",
      leaseKind: "residential",
      rentChargeDay: 1,
      lateFeeType: "none",
      lateFeeAmountCents: null,
      coTenantsJointlyLiable: true,
      terminationDate: null,
      isHoldover: false,
      daysUntilExpiry: daysBetween(lease.scheduledBaseRentAsOf!, terms.endDate!),
      scheduledBaseRentCents: 150_000,
      depositRequiredCents: 0,
      depositHeldCents: 0,
      balanceCents: 0,
    });
    expect(lease.occupants).toMatchObject([
      { tenantId: references.tenantId, tenantName: lease.tenantName, isPrimary: true, role: "primary", moveInDate: lease.startDate },
    ]);
    expect([notes, recurringChargeRules]).toEqual([[], []]);
    expect((await office.call("getLease", { params: { id: lease.id } })).lease).toEqual(lease);
    expect(await findOutboxEvents(office, lease.id)).toMatchObject([
      { type: "lease.created", data: { leaseId: lease.id, tenantId: references.tenantId }, audience: { tenantIds: [] } },
    ]);
  });

  test("stores all terms and occupants", async () => {
    const coTenant = await aTenant(office);
    const [moveInDate, childMoveInDate] = [inDays(-29), inDays(-10)];
    const terms = {
      ...oneYearTerms(references),
      termType: "fixed_with_rollover" as const,
      leaseKind: "commercial" as const,
      rentChargeDay: 31,
      lateFeeType: "flat" as const,
      lateFeeAmountCents: 5000,
      lateFeeGraceDays: 5,
      lateFeePercentBps: null,
      moveInDate,
      signedAt: "2024-02-29T12:00:00.000Z",
      executedDate: "2024-02-29",
      effectiveDate: "2024-03-01",
      rentCommencementDate: "2024-03-01",
      rentCommencementCondition: "on_possession" as const,
      coTenantsJointlyLiable: false,
      depositRequiredCents: 150_000,
    };
    const occupants = [
      { tenantId: coTenant.id, role: "co_tenant" as const },
      { fullName: "A child", role: "occupant" as const, moveInDate: childMoveInDate },
    ];
    const { lease } = await office.call("createLease", { body: { ...terms, occupants } });
    expect(lease).toMatchObject(terms);
    expect(lease.occupants.map(({ fullName, role, moveInDate }) => [fullName, role, moveInDate])).toEqual([
      [lease.tenantName, "primary", moveInDate],
      [coTenant.fullName, "co_tenant", moveInDate],
      ["A child", "occupant", childMoveInDate],
    ]);
    const listed = await office.call("listOccupants", { params: { leaseId: lease.id }, query: { sortBy: "createdAt" } });
    expect(listed.total).toBe(3);
    expect(listed.occupants).toEqual(expect.arrayContaining(lease.occupants));
  });

  test.each([
    ["without an end date", { endDate: undefined }, "endDate", "required"],
    ["that ends before it starts", { endDate: inDays(-31) }, "endDate", "before_start"],
    ["with a start on February 30", { startDate: "2027-02-30" }, "startDate", "format"],
    ["with a start on February 29 of a common year", { startDate: "2027-02-29" }, "startDate", "format"],
    ["with a negative rent", { rentCents: -1 }, "rentCents", "min"],
    ["with rent on day 0", { rentChargeDay: 0 }, "rentChargeDay", "min"],
    ["with rent on day 32", { rentChargeDay: 32 }, "rentChargeDay", "max"],
    ["with an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["with an unknown unit", { unitId: unknownId() }, "unitId", "not_found"],
    ["with an unknown tenant", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["with an unknown co-tenant", { occupants: [{ tenantId: unknownId(), role: "co_tenant" }] }, "occupants.0.tenantId", "not_found"],
    ["with an occupant without a name", { occupants: [{ role: "occupant" }] }, "occupants.0.fullName", "required"],
    ["with another primary occupant", { occupants: [{ fullName: "Somebody", role: "primary" }] }, "occupants.0.role", "mismatch"],
  ])("refuses a lease %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createLease", { body: { ...oneYearTerms(references), ...terms } as never });
    expect(status).toBe(400);
    expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test.each([
    ["of one day", { startDate: inDays(-30), endDate: inDays(-30) }],
    ["month to month without an end date", { termType: "month_to_month", endDate: undefined }],
    ["without rent", { rentCents: 0 }],
  ])("accepts a lease %s", async (_, terms) => {
    expect((await office.attempt("createLease", { body: { ...oneYearTerms(references), ...terms } as never })).status).toBe(200);
  });

  test("refuses a unit of another property and records of another organization", async () => {
    const [other, foreign] = await Promise.all([createLeaseReferences(office), createLeaseReferences(otherOffice)]);
    const errors = async (terms: object) => (await office.attempt("createLease", { body: { ...oneYearTerms(references), ...terms } })).body.errors;
    expect(await errors({ unitId: other.unitId })).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect(await errors({ propertyId: foreign.propertyId })).toMatchObject([{ path: "propertyId", code: "not_found" }]);
    expect(await errors({ unitId: foreign.unitId })).toMatchObject([{ path: "unitId", code: "not_found" }]);
    expect(await errors({ tenantId: foreign.tenantId })).toMatchObject([{ path: "tenantId", code: "not_found" }]);
  });

  test("with activate creates an active lease, or nothing when the unit is taken", async () => {
    const references = await createLeaseReferences(office);
    const body = { ...oneYearTerms(references), activate: true };
    const first = await office.call("createLease", { body });
    expect(first.lease.status).toBe("active");
    expect(first.recurringChargeRules).toMatchObject([{ leaseId: first.lease.id, status: "active", amountCents: 150_000 }]);
    const { total } = await office.call("listLeases", { query: { unitId: references.unitId } });
    expect((await office.attempt("createLease", { body })).body.code).toBe("lease_overlap");
    expect((await office.call("listLeases", { query: { unitId: references.unitId } })).total).toBe(total);
  });

  test("creates one lease for concurrent requests with one Idempotency-Key", async () => {
    const request = { body: { ...oneYearTerms(await createLeaseReferences(office)), activate: true }, headers: { "Idempotency-Key": unknownId() } };
    const responses = await Promise.all(Array.from({ length: 5 }, () => office.attempt("createLease", request)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(responses.map(({ body }) => body.lease.id)).size).toBe(1);
    expect(new Set(responses.map(({ body }) => body.recurringChargeRules[0]?.id)).size).toBe(1);
  });

  test("activates one of several concurrent leases for one unit", async () => {
    const body = { ...oneYearTerms(await createLeaseReferences(office)), activate: true };
    const responses = await Promise.all(Array.from({ length: 8 }, () => office.attempt("createLease", { body })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(new Set(["lease_overlap"]));
  });

  test("is forbidden to staff, who can list leases", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createLease", { body: oneYearTerms(references) })).status).toBe(403);
    expect((await staff.attempt("listLeases")).status).toBe(200);
  });
});

describe("getLease", () => {
  test("returns 404 for a lease of another organization", async () => {
    const lease = await aDraftLease(office, references);
    expect((await otherOffice.attempt("getLease", { params: { id: lease.id } })).status).toBe(404);
    expect((await otherOffice.attempt("listOccupants", { params: { leaseId: lease.id } })).status).toBe(404);
  });
});

describe("listLeases", () => {
  test("filters and sorts", async () => {
    const listOffice = await anOffice();
    const owner = await anOwner(listOffice);
    const property = await aProperty(listOffice, { name: "Alder", ownerIds: [owner.id] });
    const [unit, zoe, amy, other] = await Promise.all([
      aUnit(listOffice, property.id, { unitNumber: "7" }),
      aTenant(listOffice, { fullName: "Zoe" }),
      aTenant(listOffice, { fullName: "Amy" }),
      createLeaseReferences(listOffice),
    ]);
    const mainLease = await aLease(
      listOffice,
      { propertyId: property.id, unitId: unit.id, tenantId: zoe.id },
      { endDate: inDays(20), createRecurringRent: false, occupants: [{ tenantId: amy.id, role: "co_tenant" }] },
    );
    const draft = await aDraftLease(
      listOffice,
      { ...other, tenantId: amy.id },
      { leaseKind: "commercial", rentCents: 99, termType: "month_to_month", startDate: inDays(5) },
    );
    const listNames = async (query: Record<string, string | number>) =>
      (await listOffice.call("listLeases", { query })).leases.map(({ id }) => (id === mainLease.id ? "main" : "draft"));
    expect(await listNames({})).toEqual(["draft", "main"]);
    expect(await listNames({ sortBy: "tenantName" })).toEqual(["draft", "main"]);
    expect(await listNames({ sortBy: "rentCents", sortDirection: "desc" })).toEqual(["main", "draft"]);
    expect(await listNames({ sortBy: "daysUntilExpiry", sortDirection: "asc" })).toEqual(["main", "draft"]);
    expect(await listNames({ search: "alder" })).toEqual(["main"]);
    expect(await listNames({ tenantId: amy.id })).toEqual(["draft", "main"]);
    expect(await listNames({ tenantId: zoe.id })).toEqual(["main"]);
    expect(await listNames({ ownerId: owner.id })).toEqual(["main"]);
    expect(await listNames({ status: "active,pending" })).toEqual(["main"]);
    expect(await listNames({ leaseKind: "commercial" })).toEqual(["draft"]);
    expect(await listNames({ leaseKind: "commercial,residential", termType: "fixed,month_to_month" })).toEqual(["draft", "main"]);
    expect(await listNames({ termType: "fixed" })).toEqual(["main"]);
    expect(await listNames({ startAfter: draft.startDate })).toEqual(["draft"]);
    expect(await listNames({ startBefore: mainLease.startDate })).toEqual(["main"]);
    expect(await listNames({ endBefore: mainLease.endDate! })).toEqual(["main"]);
    expect(await listNames({ endAfter: addDays(mainLease.endDate!, 1) })).toEqual(["draft"]);
    expect(await listNames({ expiringWithinDays: 20 })).toEqual(["main"]);
    expect(await listNames({ expiringWithinDays: 19 })).toEqual([]);
    expect(await listNames({ hasBalance: "true" })).toEqual([]);
    await listOffice.call("createCharge", { body: { leaseId: mainLease.id, amountCents: 100, dueDate: inDays(5), chargeType: "fee" } });
    expect(await listNames({ hasBalance: "true" })).toEqual(["main"]);
    expect(await listNames({ hasBalance: "false" })).toEqual(["draft"]);
    await listOffice.call("recordPayment", {
      body: {
        tenantId: zoe.id,
        leaseId: mainLease.id,
        amountCents: 100,
        paymentMethod: "cash",
        receivedAt: "2026-01-05T15:00:00.000Z",
        idempotencyKey: "1",
      },
    });
    expect(await listNames({ hasBalance: "true" })).toEqual([]);
    expect(await listNames({ propertyId: other.propertyId, unitId: other.unitId })).toEqual(["draft"]);
    expect((await listOffice.attempt("listLeases", { query: { sortBy: "balanceCents" } })).status).toBe(400);
    expect((await listOffice.attempt("listLeases", { query: { colour: "red" } })).status).toBe(400);
    expect((await listOffice.call("getTenant", { params: { id: amy.id } })).leases.map(({ id }) => id)).toEqual([draft.id, mainLease.id]);
  });

  test("finds the expiring leases that the dashboard counts, without those that continue from month to month or are renewed", async () => {
    const listOffice = await anOffice();
    const create = async (terms: object) =>
      aLease(listOffice, await createLeaseReferences(listOffice), { createRecurringRent: false, endDate: inDays(20), ...terms });
    const [expiring, , renewed] = [await create({}), await create({ termType: "month_to_month" }), await create({})];
    const body = { startDate: inDays(21), endDate: inDays(400) };
    const { lease: renewal } = await listOffice.call("renewLease", { params: { id: renewed.id }, body });
    await listOffice.call("activateLease", { params: { id: renewal.id }, body: {} });
    const { leases } = await listOffice.call("listLeases", { query: { expiringWithinDays: 30 } });
    expect(leases.map(({ id }) => id)).toEqual([expiring.id]);
    expect((await listOffice.call("getDashboard")).dashboard.leasesExpiring.within30).toBe(1);
  });
});
