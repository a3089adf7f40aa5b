import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { makeJobsDue, queryRows } from "../../test/database.ts";
import {
  anOfficeOnAnotherDay,
  aDraftLease,
  aLease,
  aLeaseInStatus,
  aTenant,
  aUnit,
  createLeaseReferences,
  currentDate,
  inDays,
  unknownId,
} from "../../test/fixtures.ts";

const office = await anOffice();
const tenantIdsOf = async (unitId: string) => (await office.call("listTenants", { query: { unitId } })).tenants.map(({ id }) => id);
const readLease = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const readUnit = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;
const addCoTenant = async (leaseId: string, tenantId: string) =>
  (await office.call("createOccupant", { params: { leaseId }, body: { tenantId, role: "co_tenant" } })).occupant;
const release = (id: string, releasedOn: string) => office.call("releaseOccupant", { params: { id }, body: { releasedOn } });
const activate = (id: string) => office.call("activateLease", { params: { id }, body: {} });
const terminate = (id: string, terminationDate: string) => office.call("terminateLease", { params: { id }, body: { terminationDate, finalRent: "none" } });
const pay = (leaseId: string, tenantId: string) =>
  office.attempt("recordPayment", {
    body: { leaseId, tenantId, amountCents: 100, paymentMethod: "cash", receivedAt: "2026-01-05T15:00:00.000Z", idempotencyKey: unknownId() },
  });

/** Moves the release of an occupant from tomorrow to today, as if it had been recorded a day ago, and runs the jobs. */
async function letADayPass(leaseId: string, occupantId: string): Promise<void> {
  await queryRows(office.organizationId, "update lease_occupant set released_on = released_on - 1 where id = $1", [occupantId]);
  await queryRows(office.organizationId, "update lease set updated_at = updated_at - interval '2 days' where id = $1", [leaseId]);
  await makeJobsDue(office);
}

describe("the tenants of an expired lease", () => {
  test("live in the unit until the next lease of the unit starts", async () => {
    const expired = await aLeaseInStatus(office, "expired");
    expect((await tenantIdsOf(expired.unitId)).toSorted()).toEqual(expired.occupants.flatMap(({ tenantId }) => tenantId ?? []).toSorted());
    const next = await aTenant(office);
    await aLease(office, { propertyId: expired.propertyId, unitId: expired.unitId, tenantId: next.id }, { startDate: currentDate(), endDate: inDays(300) });
    expect(await tenantIdsOf(expired.unitId)).toEqual([next.id]);
  });
});

describe("a renewal that has not begun", () => {
  test("follows a corrected move-in, and the removal of a co-tenant whose release was recorded by mistake", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(-300), endDate: inDays(30) });
    const coTenant = await aTenant(office);
    const { id } = await addCoTenant(lease.id, coTenant.id);
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { startDate: inDays(31), endDate: inDays(400) } });
    const onRenewal = async () => (await readLease(renewal.id)).occupants.filter(({ tenantId }) => tenantId === coTenant.id);
    await office.call("updateOccupant", { params: { id }, body: { moveInDate: inDays(-20) } });
    await release(id, inDays(90));
    expect(await onRenewal()).toMatchObject([{ moveInDate: inDays(-20), releasedOn: inDays(90) }]);
    await office.call("deleteOccupant", { params: { id } });
    expect(await onRenewal()).toEqual([]);
    await addCoTenant(lease.id, coTenant.id);
    expect(await onRenewal()).toMatchObject([{ releasedOn: null }]);
  });

  test("has an occupant who moves in after its start from that day on", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(-300), endDate: inDays(30) });
    const [early, late] = await Promise.all([aTenant(office), aTenant(office)]);
    const add = (tenantId: string, moveInDate: string) =>
      office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId, role: "co_tenant", moveInDate } });
    await add(early.id, inDays(50));
    const terms = { startDate: inDays(31), endDate: inDays(400), moveInDate: inDays(31) };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: terms });
    await add(late.id, inDays(60));
    const { occupants } = await readLease(renewal.id);
    expect(occupants.map(({ moveInDate }) => moveInDate)).toEqual([inDays(31), inDays(50), inDays(60)]);
  });

  test("of a holdover ends its term on the end date, with rollover", async () => {
    const references = await createLeaseReferences(office);
    const { id } = await aLease(office, references, { termType: "fixed_with_rollover", startDate: inDays(-500), endDate: inDays(-100) });
    await eventually("holdover", async () => (await readLease(id)).isHoldover);
    const { lease } = await office.call("renewLease", { params: { id }, body: { startDate: inDays(1), endDate: inDays(300) } });
    expect(lease).toMatchObject({ termType: "fixed_with_rollover", endDate: inDays(300) });
  });

  async function aRenewedLease() {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(-300), endDate: inDays(30), moveInDate: inDays(-300) });
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { startDate: inDays(31), endDate: inDays(400) } });
    return { lease, renewal };
  }

  test("makes nobody a resident: an occupant who is added to it moves in on its first day", async () => {
    const { lease, renewal } = await aRenewedLease();
    await activate(renewal.id);
    const roommate = await aTenant(office);
    expect((await addCoTenant(renewal.id, roommate.id)).moveInDate).toBe(renewal.startDate);
    expect(await tenantIdsOf(lease.unitId)).toEqual([lease.tenantId]);
  });

  test("is joined by an occupant who is added to the lease, and renamed with the lease's", async () => {
    const { lease, renewal } = await aRenewedLease();
    const roommate = await aTenant(office);
    await addCoTenant(lease.id, roommate.id);
    expect((await readLease(renewal.id)).occupants.map(({ tenantId }) => tenantId)).toEqual([lease.tenantId, roommate.id]);
    const child = { fullName: "A child", role: "occupant" as const };
    const { occupant } = await office.call("createOccupant", { params: { leaseId: lease.id }, body: child });
    await office.call("updateOccupant", { params: { id: occupant.id }, body: { fullName: "Kim Doe" } });
    await release(occupant.id, inDays(10));
    expect((await readLease(renewal.id)).occupants.at(-1)).toMatchObject({ fullName: "Kim Doe", releasedOn: inDays(10) });
  });

  test.each([
    ["drafted after the release was recorded", true],
    ["drafted before", false],
  ])("has the co-tenant who is released during its term, %s", async (_, isReleasedFirst) => {
    const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(-300), endDate: inDays(30) });
    const { id } = await addCoTenant(lease.id, (await aTenant(office)).id);
    if (isReleasedFirst) await release(id, inDays(90));
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { startDate: inDays(31), endDate: inDays(400) } });
    if (!isReleasedFirst) await release(id, inDays(90));
    expect((await readLease(renewal.id)).occupants.map(({ role, releasedOn }) => [role, releasedOn])).toEqual([
      ["primary", null],
      ["co_tenant", inDays(90)],
    ]);
  });
});

describe("a co-tenant", () => {
  test.each([
    [
      "who has moved out, and is liable until a later release,",
      (id: string) => office.call("updateOccupant", { params: { id }, body: { moveOutDate: inDays(-5) } }),
    ],
    ["who lives there until a later release", () => Promise.resolve()],
  ])("%s cannot be deleted", async (_, moveOut) => {
    const lease = await aLeaseInStatus(office, "active");
    const { id, tenantId } = lease.occupants[1]!;
    await moveOut(id);
    await release(id, inDays(60));
    expect((await office.attempt("deleteTenant", { params: { id: tenantId! } })).body.code).toBe("resource_in_use");
  });

  test("who is released from an expired lease on a later day pays until then", async () => {
    const lease = await aLeaseInStatus(office, "expired");
    const { id, tenantId } = lease.occupants[1]!;
    await release(id, inDays(1));
    expect((await pay(lease.id, tenantId!)).status).toBe(200);
    await letADayPass(lease.id, id);
    await eventually("end of the payments", async () => (await pay(lease.id, tenantId!)).status === 400);
  });

  test("pays on the lease until a later release, and after a termination that the co-tenant stayed for", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const [leaving, staying] = await Promise.all([aTenant(office), aTenant(office)]);
    const { id } = await addCoTenant(lease.id, leaving.id);
    await addCoTenant(lease.id, staying.id);
    await release(id, inDays(60));
    expect((await pay(lease.id, leaving.id)).status).toBe(200);
    await terminate(lease.id, inDays(90));
    expect((await pay(lease.id, staying.id)).status).toBe(200);
  });
});

test("who pays on a lease is decided by the day of the organization, not of another time zone", async () => {
  const { office: remote, isAhead, day } = await anOfficeOnAnotherDay();
  const lease = await aLease(remote, await createLeaseReferences(remote), { occupants: [{ tenantId: (await aTenant(remote)).id, role: "co_tenant" }] });
  const { id, tenantId } = lease.occupants[1]!;
  await remote.call("releaseOccupant", { params: { id }, body: { releasedOn: day(isAhead ? 5 : 0) } });
  const payOnLease = () =>
    remote.attempt("recordPayment", {
      body: {
        leaseId: lease.id,
        tenantId: tenantId!,
        amountCents: 100,
        paymentMethod: "cash",
        receivedAt: "2026-01-05T15:00:00.000Z",
        idempotencyKey: unknownId(),
      },
    });
  expect((await payOnLease()).status).toBe(isAhead ? 200 : 400);
  await queryRows(remote.organizationId, "update lease_occupant set released_on = $1 where id = $2", [day(isAhead ? 0 : 1), id]);
  // Publishes the change of the lease, with which the ledger reads who pays.
  await remote.call("updateOccupant", { params: { id: lease.occupants[0]!.id }, body: { notes: "Pays by check." } });
  await eventually("change of the payers", async () => (await payOnLease()).status === (isAhead ? 400 : 200));
});

describe("vacancy and the current lease", () => {
  test("a unit is vacant as of the day after the end of a fixed lease, and not before", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), { endDate: inDays(30) });
    const vacantOn = async (vacantAsOf: string) =>
      (await office.call("listUnits", { query: { propertyId: lease.propertyId, vacantAsOf } })).units.map(({ id }) => id);
    expect([await vacantOn(inDays(30)), await vacantOn(inDays(31))]).toEqual([[], [lease.unitId]]);
  });

  test("a lease that is terminated for a later day is the current lease until then", async () => {
    const lease = await aLeaseInStatus(office, "active");
    await terminate(lease.id, inDays(60));
    expect(await readUnit(lease.unitId)).toMatchObject({ status: "occupied", currentLeaseId: lease.id });
    expect((await office.call("getTenant", { params: { id: lease.tenantId } })).tenant.currentLeaseId).toBe(lease.id);
  });

  test("two leases never hold a unit on the same days after a holdover was renewed", async () => {
    const references = await createLeaseReferences(office);
    const holdover = await aLease(office, references, { termType: "fixed_with_rollover", startDate: inDays(-500), endDate: inDays(-100) });
    const { lease: renewal } = await office.call("renewLease", { params: { id: holdover.id }, body: { startDate: inDays(-10), endDate: inDays(300) } });
    await activate(renewal.id);
    const other = await aTenant(office);
    const past = await aDraftLease(office, { ...references, tenantId: other.id }, { startDate: inDays(-60), endDate: inDays(-20) });
    expect((await office.attempt("activateLease", { params: { id: past.id }, body: {} })).body.code).toBe("lease_overlap");
  });
});

describe("the start of a pending lease", () => {
  test.each([
    ["a change of the start date", (id: string) => office.call("updateLease", { params: { id }, body: { startDate: inDays(40) } })],
    ["an activation on another day", (id: string) => office.call("activateLease", { params: { id }, body: { activateOn: inDays(40) } })],
  ])("takes the move-ins with it after %s", async (_, move) => {
    const references = await createLeaseReferences(office);
    const [later, early] = await Promise.all([aTenant(office), aTenant(office)]);
    const draft = await aDraftLease(office, references, {
      startDate: inDays(10),
      endDate: inDays(400),
      moveInDate: inDays(10),
      occupants: [
        { tenantId: later.id, role: "co_tenant", moveInDate: inDays(20) },
        { tenantId: early.id, role: "co_tenant", moveInDate: inDays(5) },
      ],
    });
    await move(draft.id);
    const { moveInDate, occupants } = await readLease(draft.id);
    expect([moveInDate, ...occupants.map((occupant) => occupant.moveInDate)]).toEqual([inDays(40), inDays(40), inDays(40), inDays(5)]);
    expect((await readUnit(references.unitId)).status).toBe("vacant");
  });
});

test("a unit whose draft lease has posted money cannot be deleted", async () => {
  const references = await createLeaseReferences(office);
  const unit = await aUnit(office, references.propertyId);
  const draft = await aDraftLease(office, { ...references, unitId: unit.id });
  await office.call("createCharge", { body: { leaseId: draft.id, amountCents: 5_000, dueDate: currentDate(), chargeType: "other" } });
  expect((await office.attempt("deleteUnit", { params: { id: unit.id } })).body.code).toBe("invalid_transition");
  expect((await readLease(draft.id)).status).toBe("draft");
});

test("a co-tenant of a draft lease pays on it, and one who was released no longer pays once the day of the release has come", async () => {
  const draft = await aLeaseInStatus(office, "draft");
  expect((await pay(draft.id, draft.occupants[1]!.tenantId!)).status).toBe(200);
  const lease = await aLeaseInStatus(office, "active");
  const coTenant = lease.occupants[1]!;
  await release(coTenant.id, inDays(1));
  expect((await pay(lease.id, coTenant.tenantId!)).status).toBe(200);
  await letADayPass(lease.id, coTenant.id);
  await eventually("end of the payments", async () => (await pay(lease.id, coTenant.tenantId!)).status === 400);
});

test("a co-tenant who is released from an expired lease while the other stays does not keep reading it", async () => {
  const lease = await aLeaseInStatus(office, "expired");
  const coTenant = lease.occupants[1]!;
  const portal = await office.tenantUser(coTenant.tenantId!);
  const readIds = async () => (await portal.call("listTenantPortalLeases")).leases.map(({ id }) => id);
  expect(await readIds()).toEqual([lease.id]);
  await release(coTenant.id, currentDate());
  expect(await readIds()).toEqual([]);
  const last = await aLeaseInStatus(office, "expired");
  const lastPortal = await office.tenantUser(last.tenantId);
  for (const { id } of last.occupants.toReversed()) await release(id, currentDate());
  expect((await lastPortal.call("listTenantPortalLeases")).leases.map(({ id }) => id)).toEqual([last.id]);
});
