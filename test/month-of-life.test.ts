/** End-to-end scenario of one month of a lease, through the office and every portal, with the events that each user receives. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventType } from "@freehold/contract/events";
import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import { anOffice, type Colleague, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { EventReader } from "./support/stream.ts";
import { eventually } from "./support/world.ts";

const { baseUrl } = running();
const DAY = 86_400_000;
/** Returns a date in New York, the organization's time zone. */
const inDays = (days: number) => new Date(Date.now() + days * DAY).toLocaleDateString("en-CA", { timeZone: "America/New_York" });

const portals = ["tenant", "coTenant", "owner", "vendor", "neighbour", "otherOwner", "otherVendor"] as const;
type Portal = (typeof portals)[number];
type Listener = Portal | "admin" | "staff";

let startId: string;
let office: Office;
let staff: Colleague;
const people = {} as Record<Portal, Colleague>;
const subjects = {} as Record<Portal, string>;
const streams = new Map<Listener, EventReader>();
const expected = new Map<Listener, EventType[]>();
let propertyId: string;
let unitId: string;
let leaseId: string;
let request: WorkOrder["id"];
let approval: string;

const listen = async (user: Listener, { token }: Colleague) => {
  streams.set(user, await EventReader.open(baseUrl, token!, { lastEventId: startId }));
  expected.set(user, user === "staff" ? [...expected.get("admin")!] : []);
};

/** Event types that a user received, without notifications, which go to a single user. */
const receivedTypes = (user: Listener): string[] =>
  streams
    .get(user)!
    .events.map(({ event }) => event)
    .filter((type) => type !== "notification.created");

/** Expects that every stream delivered exactly the events published so far that its user may see; staff see all. */
async function expectEvents(...published: [EventType, ...Portal[]][]): Promise<void> {
  for (const [type, ...audience] of published)
    for (const user of ["admin", "staff", ...audience] as Listener[]) if (streams.has(user)) expected.get(user)!.push(type);
  const isComplete = () => [...streams.keys()].every((user) => receivedTypes(user).length >= expected.get(user)!.length);
  await eventually("event", () => isComplete()).catch(() => undefined);
  for (const user of streams.keys()) expect([user, receivedTypes(user).toSorted()]).toEqual([user, expected.get(user)!.toSorted()]);
}

const officeSees = async () => (await office.call("getWorkOrder", { params: { id: request } })).workOrder;
const tenantSees = async () => (await people.tenant.call("getMaintenanceRequest", { params: { id: request } })).workOrder;

describe("a month of life", () => {
  beforeAll(async () => {
    const earlier = await anOffice();
    const reader = await EventReader.open(baseUrl, earlier.token!);
    startId = (await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready")).id;
    await reader.close();
  });
  afterAll(() => Promise.all([...streams.values()].map((stream) => stream.close())));

  test("the organization signs up, and a staff user accepts the invite", async () => {
    office = await anOffice();
    await listen("admin", office);
    await expectEvents(["organization.created"], ["user.created"]);
    staff = await office.colleague("staff");
    await expectEvents(["user.created"], ["invite.accepted"]);
    await listen("staff", staff);
    await expectEvents();
  });

  test("the office adds a property with its owner, tenants and vendors", async () => {
    const addOwner = async (fullName: string) => (await office.call("createOwner", { body: { fullName, email: "owner@example.com" } })).owner.id;
    const addTenant = async (fullName: string) => (await office.call("createTenant", { body: { fullName } })).tenant.id;
    const addVendor = async (name: string) => (await office.call("createVendor", { body: { name } })).vendor.id;
    subjects.owner = await addOwner("Olga Owner");
    subjects.otherOwner = await addOwner("Oscar Other");
    subjects.tenant = await addTenant("Tess Tenant");
    subjects.coTenant = await addTenant("Cora Co-Tenant");
    subjects.neighbour = await addTenant("Nina Neighbour");
    subjects.vendor = await addVendor("Vera's Pipes");
    subjects.otherVendor = await addVendor("Other Pipes");
    const { property } = await office.call("createProperty", {
      body: {
        name: "Elm Street 1",
        streetLine1: "1 Elm Street",
        city: "Albany",
        state: "NY",
        postalCode: "12207",
        units: 1,
        occupiedUnits: 0,
        ownerIds: [subjects.owner],
        initialUnit: { bathrooms: 1, bedrooms: 2, monthlyRentCents: 120_000, status: "vacant", unitNumber: "1A" },
      },
    });
    propertyId = property.id;
    unitId = (await office.call("listUnits", { query: { propertyId } })).units[0]!.id;
    await office.call("updateProperty", { params: { id: propertyId }, body: { maintenanceLimitCents: 20_000 } });
    await expectEvents(
      ...Array.from({ length: 2 }, () => ["owner.created"] as [EventType]),
      ...Array.from({ length: 3 }, () => ["tenant.created"] as [EventType]),
      ...Array.from({ length: 2 }, () => ["vendor.created"] as [EventType]),
      ["property.created"],
      ["unit.created"],
      ["property.updated"],
    );
  });

  test.each(portals)("the %s accepts the invite through the link, and receives only that event", async (user) => {
    const kind = /owner/i.test(user) ? "owner" : /vendor/i.test(user) ? "vendor" : "tenant";
    people[user] = await office[`${kind}User`](subjects[user]);
    await listen(user, people[user]);
    await expectEvents(["invite.created"], ["user.created"], [`${kind}.updated`], ["invite.accepted", user]);
    for (const operation of ["listProperties", "listWorkOrders", "listTenants"] as const) expect((await people[user].attempt(operation)).status).toBe(403);
  });

  test("two tenants move in under one lease, which both see", async () => {
    const { lease: draft } = await office.call("createLease", {
      body: {
        propertyId,
        unitId,
        tenantId: subjects.tenant,
        occupants: [{ tenantId: subjects.coTenant, role: "co_tenant" }],
        startDate: inDays(-30),
        termType: "month_to_month",
        rentCents: 120_000,
        createRecurringRent: false,
      },
    });
    leaseId = draft.id;
    await office.call("activateLease", { params: { id: leaseId }, body: {} });
    await expectEvents(["lease.created"], ["lease.activated", "tenant", "coTenant"]);
    for (const user of ["tenant", "coTenant"] as const) {
      const { leases } = await people[user].call("listTenantPortalLeases");
      expect(leases).toMatchObject([{ id: leaseId, status: "active", unitNumber: "1A" }]);
    }
    expect((await people.neighbour.call("listTenantPortalLeases")).leases).toEqual([]);
    expect((await people.owner.call("listOwnedLeases")).leases).toMatchObject([{ id: leaseId }]);
    expect((await people.otherOwner.call("listOwnedLeases")).leases).toEqual([]);
  });

  test("the tenant reports a dripping tap", async () => {
    const { workOrder } = await people.tenant.call("createMaintenanceRequest", {
      body: { title: "The tap drips", description: "All night long.", category: "plumbing", entryPermitted: true },
    });
    request = workOrder.id;
    expect(await officeSees()).toMatchObject({ source: "tenant", tenantId: subjects.tenant, leaseId, unitId, status: "open" });
    await expectEvents(["work_order.created", "tenant", "owner"]);
  });

  test("the staff user assigns the work order to the vendor, who accepts it", async () => {
    await staff.call("assignWorkOrder", { params: { id: request }, body: { vendorId: subjects.vendor } });
    await expectEvents(["work_order.assigned", "tenant", "owner", "vendor"]);
    const { workOrders } = await people.vendor.call("listAssignedWorkOrders");
    expect(workOrders).toMatchObject([{ id: request, tenantName: "Tess Tenant", address: { streetLine1: "1 Elm Street" } }]);
    expect((await people.otherVendor.call("listAssignedWorkOrders")).workOrders).toEqual([]);
    await people.vendor.call("acceptAssignedWorkOrder", { params: { id: request } });
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("the vendor's estimate exceeds the limit and awaits the owner's approval", async () => {
    const { estimate } = await people.vendor.call("estimateAssignedWorkOrder", { params: { id: request }, body: { amountCents: 20_001 } });
    approval = estimate.id;
    expect(estimate).toMatchObject({ needsOwnerApproval: true, status: "submitted" });
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
    expect((await people.owner.call("listOwnerApprovals", { query: { status: "submitted" } })).approvals).toMatchObject([{ id: approval, limitCents: 20_000 }]);
    expect((await people.otherOwner.call("listOwnerApprovals")).approvals).toEqual([]);
    expect((await people.otherOwner.attempt("approveOwnerApproval", { params: { id: approval }, body: {} })).status).toBe(404);
    expect(JSON.stringify(await tenantSees())).not.toMatch(/\b20001\b/);
  });

  test("the owner approves the estimate in the portal", async () => {
    await people.owner.call("approveOwnerApproval", { params: { id: approval }, body: { note: "Please." } });
    expect((await officeSees()).approvedEstimateCents).toBe(20_001);
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("the vendor schedules, starts and completes the work; the tenant sees each step", async () => {
    const scheduledStart = new Date(Date.now() + DAY).toISOString();
    await people.vendor.call("scheduleAssignedWorkOrder", { params: { id: request }, body: { scheduledStart } });
    expect(await tenantSees()).toMatchObject({ scheduledStart, vendorName: "Vera's Pipes", status: "open" });
    const move = (status: "in_progress" | "completed") =>
      people.vendor.call("transitionAssignedWorkOrder", { params: { id: request }, body: { status, ...(status === "completed" && { actualCents: 19_000 }) } });
    await move("in_progress");
    await move("completed");
    expect(await tenantSees()).toMatchObject({ status: "completed", completedAt: expect.any(String) });
    expect((await people.owner.call("listOwnedWorkOrders")).workOrders).toMatchObject([{ id: request, actualCents: 19_000, approvedEstimateCents: 20_001 }]);
    await expectEvents(
      ["work_order.updated", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
    );
    expect((await people.tenant.attempt("cancelMaintenanceRequest", { params: { id: request } })).status).toBe(409);
  });

  test("comments are visible to the office and to their audience", async () => {
    await people.tenant.call("commentOnMaintenanceRequest", { params: { id: request }, body: { body: "Thank you." } });
    await people.vendor.call("commentOnAssignedWorkOrder", { params: { id: request }, body: { body: "The valve is old." } });
    await expectEvents(["note.created", "tenant"], ["note.created", "vendor"]);
    const bodies = (notes: { body: string }[]) => notes.map(({ body }) => body);
    expect(bodies((await people.tenant.call("getMaintenanceRequest", { params: { id: request } })).notes)).toEqual(["Thank you."]);
    expect(bodies((await people.vendor.call("getAssignedWorkOrder", { params: { id: request } })).notes)).toEqual(["The valve is old."]);
    expect((await office.call("getWorkOrder", { params: { id: request } })).notes).toHaveLength(2);
  });

  test("both tenants move out: one occupant is released, and the lease is terminated", async () => {
    const { occupants } = await office.call("listOccupants", { params: { leaseId } });
    const leaving = occupants.find(({ tenantId }) => tenantId === subjects.coTenant)!;
    await office.call("releaseOccupant", { params: { id: leaving.id }, body: { releasedOn: inDays(1) } });
    await expectEvents(["occupant.released", "coTenant"]);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: inDays(1), finalRent: "none" } });
    await expectEvents(["lease.terminated", "tenant", "coTenant"]);
    const { leases } = await people.tenant.call("getTenantPortalMe");
    expect(leases).toMatchObject([{ id: leaseId, status: "terminated", terminationDate: inDays(1) }]);
  });

  test("no further events arrive, and portal streams contain no amounts or names", async () => {
    await sleep(300);
    await expectEvents();
    for (const user of portals) expect(JSON.stringify(streams.get(user)!.events)).not.toMatch(/cents|fullName|@example\.com/i);
  });
});
