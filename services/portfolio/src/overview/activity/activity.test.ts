import { describe, expect, test } from "@jest/globals";
import type { ActivityItem } from "@freehold/contract/overview/activity";
import { openDatabase } from "@freehold/kit/db/database";
import { localDateOf } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { OrgDb } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { makeJobsDue, queryRows } from "../../../test/database.ts";
import { aLease, anInspection, createLeaseReferences, aProperty, aTenant, aWorkOrder, currentDate, unknownId } from "../../../test/fixtures.ts";
import { database } from "../../database.ts";
import { recordActivity } from "./record-activity.ts";

const office = await anOffice();
const noAudience = { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] };
const lists = { property: "listPropertyActivity", lease: "listLeaseActivity", tenant: "listTenantActivity" } as const;
type Query = Record<string, string | number>;

const activityOf = async (kind: keyof typeof lists, id: string, query: Query = {}, client: Office = office) =>
  (await client.call(lists[kind], { params: { id }, query: { pageSize: 100, ...query } })).activity;
const typesOf = (items: readonly ActivityItem[]) => items.map(({ type }) => type);

/** Waits until activity of all the types is recorded and returns the feed. Events arrive asynchronously and in any order. */
const waitForActivity = (kind: keyof typeof lists, id: string, ...types: ActivityItem["type"][]) =>
  eventually(`${types.join(", ")} on the ${kind}`, async () => {
    const items = await activityOf(kind, id);
    return types.every((type) => items.some((item) => item.type === type)) ? items : undefined;
  });

describe("the activity of a lease", () => {
  test("is in the feeds of the lease, its property and its occupants, including payments, with the actor", async () => {
    const [references, coTenant, neighbour] = await Promise.all([createLeaseReferences(office), aTenant(office), createLeaseReferences(office)]);
    const lease = await aLease(office, references, { createRecurringRent: false, occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const tenancy = { ...references, leaseId: lease.id };
    const charge = await aCharge(office, lease.id, 50_000, "2199-01-01");
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 20_000), autoAllocate: true } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });

    const leaseActivity = await waitForActivity("lease", lease.id, "lease.created", "lease.activated", "charge.posted", "payment.received", "payment.reversed");
    const [reversed, received] = ["payment.reversed", "payment.received"].map((type) => leaseActivity.find((item) => item.type === type)!);
    expect(received).toEqual({
      id: expect.any(String),
      occurredAt: expect.any(String),
      type: "payment.received",
      entityType: "payment",
      entityId: payment.id,
      propertyId: references.propertyId,
      leaseId: lease.id,
      tenantId: references.tenantId,
      actorUserId: office.userId,
      summary: "A payment was recorded.",
    });
    expect(reversed!.summary).toBe("A payment was reversed.");
    expect(leaseActivity).toHaveLength(5);
    expect(leaseActivity.find(({ entityId }) => entityId === charge)).toMatchObject({
      propertyId: references.propertyId,
      leaseId: lease.id,
      tenantId: references.tenantId,
    });
    expect(leaseActivity.map(({ occurredAt }) => occurredAt)).toEqual(
      leaseActivity
        .map(({ occurredAt }) => occurredAt)
        .toSorted()
        .reverse(),
    );

    for (const [kind, id] of [
      ["property", references.propertyId],
      ["tenant", references.tenantId],
      ["tenant", coTenant.id],
    ] as const)
      expect((await activityOf(kind, id)).filter((item) => item.leaseId === lease.id).toSorted(byId)).toEqual(leaseActivity.toSorted(byId));
    expect(typesOf(await activityOf("property", neighbour.propertyId))).not.toContain("payment.received");
    expect(typesOf(await waitForActivity("tenant", neighbour.tenantId, "tenant.created"))).toEqual(["tenant.created"]);
  });

  test("moves to the surviving tenant of a merge", async () => {
    const [references, survivor] = await Promise.all([createLeaseReferences(office), aTenant(office)]);
    const lease = await aLease(office, references, { createRecurringRent: false });
    await waitForActivity("tenant", references.tenantId, "lease.activated", "tenant.created");
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: references.tenantId } });
    const items = await waitForActivity("tenant", survivor.id, "tenant.merged", "tenant.updated", "lease.updated");
    expect(items.filter(({ leaseId }) => leaseId === lease.id).map(({ type }) => type)).toEqual(expect.arrayContaining(["lease.created", "lease.activated"]));
    expect(
      items
        .filter(({ type }) => type === "tenant.created")
        .map(({ entityId }) => entityId)
        .toSorted(),
    ).toEqual([references.tenantId, survivor.id].toSorted());
  });

  test("is in the feed of a released occupant only up to and including the release", async () => {
    const [references, coTenant] = await Promise.all([createLeaseReferences(office), aTenant(office)]);
    const lease = await aLease(office, references, { createRecurringRent: false, occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const occupant = lease.occupants.find(({ tenantId }) => tenantId === coTenant.id)!;
    await office.call("releaseOccupant", { params: { id: occupant.id }, body: { releasedOn: addDays(currentDate(), -2) } });
    await waitForActivity("tenant", coTenant.id, "occupant.released");
    await aCharge(office, lease.id, 1_000);
    await waitForActivity("tenant", references.tenantId, "charge.posted");
    expect(typesOf(await activityOf("tenant", coTenant.id))).not.toContain("charge.posted");
  });
});

describe("the activity of a property", () => {
  test("includes work orders, inspections and units of the property, with their notes and documents", async () => {
    const references = await createLeaseReferences(office);
    const { propertyId } = references;
    const [workOrder, inspection] = await Promise.all([aWorkOrder(office, { propertyId }), anInspection(office, { propertyId, unitId: references.unitId })]);
    const addNote = async (entityType: "unit" | "work_order", entityId: string) =>
      (await office.call("createNote", { body: { body: "Look here.", entityType, entityId, visibility: "organization_only" } })).note.id;
    const notes = await Promise.all([addNote("unit", references.unitId), addNote("work_order", workOrder.id)]);
    const { document } = await office.call("uploadDocument", {
      body: { file: new File(["Three rooms.\n"], "plan.txt"), entityType: "inspection", entityId: inspection.id },
    });
    await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status: "in_progress" } });
    const items = await eventually("eight activities", async () => {
      const recorded = await activityOf("property", propertyId);
      return recorded.length === 8 ? recorded : undefined;
    });
    expect(items.map(({ type, entityId }) => `${type} ${entityId}`).toSorted()).toEqual(
      [
        `property.created ${propertyId}`,
        `unit.created ${references.unitId}`,
        `work_order.created ${workOrder.id}`,
        `work_order.transitioned ${workOrder.id}`,
        `inspection.created ${inspection.id}`,
        `document.created ${document.id}`,
        ...notes.map((id) => `note.created ${id}`),
      ].toSorted(),
    );
    expect(items.find(({ type }) => type === "work_order.transitioned")!.summary).toBe("A work order was started.");
    expect(items.every((item) => item.propertyId === propertyId)).toBe(true);
  });

  test("pages and filters by type and by days in the organization's time zone", async () => {
    const property = await aProperty(office);
    for (const name of ["One", "Two", "Three"]) await office.call("updateProperty", { params: { id: property.id }, body: { name } });
    const all = await eventually("four activities", async () => {
      const items = await activityOf("property", property.id);
      return items.length === 4 ? items : undefined;
    });
    const pages = await Promise.all(
      [1, 2, 3].map((page) => office.call("listPropertyActivity", { params: { id: property.id }, query: { page, pageSize: 2 } })),
    );
    expect(pages.flatMap(({ activity }) => activity)).toEqual(all);
    expect(pages[0]).toMatchObject({ total: 4, totalPages: 2 });
    expect(typesOf(await activityOf("property", property.id, { type: "property.created,unit.created" }))).toEqual(["property.created"]);
    expect(await activityOf("property", property.id, { sortDirection: "asc" })).toEqual(all.toReversed());
    const count = async (query: Query) => (await activityOf("property", property.id, query)).length;
    const [firstDay, lastDay] = [all.at(-1)!, all[0]!].map(({ occurredAt }) => localDateOf(occurredAt, "America/New_York")) as [string, string];
    expect([
      await count({ occurredAfter: firstDay, occurredBefore: lastDay }),
      await count({ occurredAfter: addDays(lastDay, 1) }),
      await count({ occurredBefore: addDays(firstDay, -1) }),
      await count({ updatedAfter: all[1]!.occurredAt }),
    ]).toEqual([4, 0, 0, 1]);
    const { status, body } = await office.attempt("listPropertyActivity", { params: { id: property.id }, query: { type: "user.created" } });
    expect([status, body.errors]).toMatchObject([400, [{ path: expect.stringMatching(/^type/) }]]);
  });

  test("is allowed for staff without deleted rows, and returns 404 for deleted properties and unknown ids", async () => {
    const property = await aProperty(office);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("listPropertyActivity", { params: { id: property.id } })).status).toBe(200);
    const withDeleted = await staff.attempt("listPropertyActivity", { params: { id: property.id }, query: { includeDeleted: "true" } });
    expect([withDeleted.status, withDeleted.body.code]).toEqual([403, "scope_forbidden"]);
    await office.call("deleteProperty", { params: { id: property.id } });
    for (const id of [property.id, unknownId()]) {
      const { status, body } = await office.attempt("listPropertyActivity", { params: { id } });
      expect([status, body.message]).toEqual([404, "Property not found."]);
    }
  });

  test("is recorded once when its event is redelivered", async () => {
    const property = await aProperty(office);
    const [created] = await waitForActivity("property", property.id, "property.created");
    const { id, type, occurredAt, entityType, entityId, actorUserId } = created!;
    const { organizationId } = office;
    const event = { id, type, organizationId, occurredAt, entityType, entityId, actorUserId, requestId: null, data: {}, audience: noAudience };
    const portfolio = await openDatabase(database, running().databaseUrls.portfolio.service, 2);
    const rowsOf = () => queryRows(organizationId, "select * from activity where id = $1 order by subject_id", [id]);
    const before = await rowsOf();
    try {
      await recordActivity(new OrgDb(portfolio, systemPrincipal(organizationId)), [event, event]);
      await recordActivity(new OrgDb(portfolio, systemPrincipal(organizationId)), [{ ...event, data: { leaseId: unknownId() } }]);
    } finally {
      await portfolio.close();
    }
    expect([before.length, await rowsOf()]).toEqual([2, before]);
    expect(await activityOf("property", property.id)).toEqual([created]);
  });

  test("is deleted after two years", async () => {
    const newOffice = await anOffice();
    const [expired, recent] = await Promise.all([aProperty(newOffice), aProperty(newOffice)]);
    for (const { id } of [expired, recent]) await eventually("property.created", async () => (await activityOf("property", id, {}, newOffice))[0]);
    const setAge = (id: string, days: number) =>
      queryRows(newOffice.organizationId, "update activity set occurred_at = now() - make_interval(days => $2) where property_id = $1", [id, days]);
    await Promise.all([setAge(expired.id, 732), setAge(recent.id, 730)]);
    await makeJobsDue(newOffice);
    await eventually("deletion of the expired activity", async () => (await activityOf("property", expired.id, {}, newOffice)).length === 0);
    expect(typesOf(await activityOf("property", recent.id, {}, newOffice))).toEqual(["property.created"]);
  });
});

const byId = (a: ActivityItem, b: ActivityItem) => (a.id < b.id ? -1 : 1);
