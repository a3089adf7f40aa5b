/** End-to-end scenario of one month of a lease, through the office and every portal, with the events that each user receives. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EventType } from "@freehold/contract/events";
import { anOffice, confirmAddress, type Colleague, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { EventReader } from "./support/events/stream.ts";
import { eventually } from "./support/eventually.ts";

const { baseUrl } = running();
const DAY = 86_400_000;
/** Returns the date a number of days from now in New York, the organization's time zone. */
const inDays = (days: number) => new Date(Date.now() + days * DAY).toLocaleDateString("en-CA", { timeZone: "America/New_York" });

const portals = ["tenant", "coTenant", "owner", "vendor", "neighbour", "otherOwner", "otherVendor"] as const;
type Portal = (typeof portals)[number];
type Listener = Portal | "admin" | "staff";

/** Position in the event stream before the scenario starts. */
let startId: string;
let office: Office;
let staff: Colleague;
const portalUsers = {} as Record<Portal, Colleague>;
/** Ids of the tenants, owners and vendors by their portal users. */
const subjects = {} as Record<Portal, string>;
const streams = new Map<Listener, EventReader>();
const expected = new Map<Listener, EventType[]>();
let propertyId: string;
let unitId: string;
let leaseId: string;
let workOrderId: string;
let estimateId: string;

/** Opens the event stream of a user from the start of the scenario. */
const openStream = async (user: Listener, { token }: Colleague) => {
  streams.set(user, await EventReader.open(baseUrl, token!, { lastEventId: startId }));
  expected.set(user, user === "staff" ? [...expected.get("admin")!] : []);
};

/** Event types that a user received, without notifications, which go to a single user. */
const receivedTypes = (user: Listener): string[] =>
  streams
    .get(user)!
    .events.map(({ event }) => event)
    .filter((type) => type !== "notification.created");

/** Expects that every stream delivered exactly the events published so far that its user may see. Office users see all. */
async function expectEvents(...published: [EventType, ...Portal[]][]): Promise<void> {
  for (const [type, ...audience] of published)
    for (const user of ["admin", "staff", ...audience] as Listener[]) if (streams.has(user)) expected.get(user)!.push(type);
  const isComplete = () => [...streams.keys()].every((user) => receivedTypes(user).length >= expected.get(user)!.length);
  await eventually("event", () => isComplete()).catch(() => undefined);
  for (const user of streams.keys()) expect([user, receivedTypes(user).toSorted()]).toEqual([user, expected.get(user)!.toSorted()]);
}

const getWorkOrderAsOffice = async () => (await office.call("getWorkOrder", { params: { id: workOrderId } })).workOrder;
const getWorkOrderAsTenant = async () => (await portalUsers.tenant.call("getMaintenanceRequest", { params: { id: workOrderId } })).workOrder;

describe("one month of a lease", () => {
  beforeAll(async () => {
    const earlierOffice = await anOffice();
    const reader = await EventReader.open(baseUrl, earlierOffice.token!);
    startId = (await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready")).id;
    await reader.close();
  });
  afterAll(() => Promise.all([...streams.values()].map((stream) => stream.close())));

  test("the organization signs up, and a staff user accepts the invite", async () => {
    office = await anOffice();
    await openStream("admin", office);
    await expectEvents(["organization.created"], ["user.created"]);
    await confirmAddress(office.baseUrl, office.email);
    await expectEvents(["user.updated"]);
    staff = await office.colleague("staff");
    await expectEvents(["user.created"], ["invite.created"], ["invite.accepted"]);
    await openStream("staff", staff);
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

  test.each(portals)("the %s accepts the invite through the link, receives only that event, and may not list the office's data", async (user) => {
    const subjectType = /owner/i.test(user) ? "owner" : /vendor/i.test(user) ? "vendor" : "tenant";
    portalUsers[user] = await office[`${subjectType}User`](subjects[user]);
    await openStream(user, portalUsers[user]);
    await expectEvents(["invite.created"], ["user.created"], [`${subjectType}.updated`], ["invite.accepted", user]);
    for (const operation of ["listProperties", "listWorkOrders", "listTenants"] as const) expect((await portalUsers[user].attempt(operation)).status).toBe(403);
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
      const { leases } = await portalUsers[user].call("listTenantPortalLeases");
      expect(leases).toMatchObject([{ id: leaseId, status: "active", unitNumber: "1A" }]);
    }
    expect((await portalUsers.neighbour.call("listTenantPortalLeases")).leases).toEqual([]);
    expect((await portalUsers.owner.call("listOwnedLeases")).leases).toMatchObject([{ id: leaseId }]);
    expect((await portalUsers.otherOwner.call("listOwnedLeases")).leases).toEqual([]);
  });

  test("the tenant reports a dripping tap", async () => {
    const { workOrder } = await portalUsers.tenant.call("createMaintenanceRequest", {
      body: { title: "The tap drips", description: "All night long.", category: "plumbing", entryPermitted: true },
    });
    workOrderId = workOrder.id;
    expect(await getWorkOrderAsOffice()).toMatchObject({ source: "tenant", tenantId: subjects.tenant, leaseId, unitId, status: "open" });
    await expectEvents(["work_order.created", "tenant", "owner"]);
  });

  test("the staff user assigns the work order to the vendor, who accepts it", async () => {
    await staff.call("assignWorkOrder", { params: { id: workOrderId }, body: { vendorId: subjects.vendor } });
    await expectEvents(["work_order.assigned", "tenant", "owner", "vendor"]);
    const { workOrders } = await portalUsers.vendor.call("listAssignedWorkOrders");
    expect(workOrders).toMatchObject([{ id: workOrderId, tenantName: "Tess Tenant", address: { streetLine1: "1 Elm Street" } }]);
    expect((await portalUsers.otherVendor.call("listAssignedWorkOrders")).workOrders).toEqual([]);
    await portalUsers.vendor.call("acceptAssignedWorkOrder", { params: { id: workOrderId } });
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("the vendor's estimate exceeds the limit and awaits the owner's approval", async () => {
    const { estimate } = await portalUsers.vendor.call("estimateAssignedWorkOrder", { params: { id: workOrderId }, body: { amountCents: 20_001 } });
    estimateId = estimate.id;
    // Whether the owner must approve is between the office and the owner.
    expect(estimate.status).toBe("submitted");
    expect(estimate).not.toHaveProperty("needsOwnerApproval");
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
    expect((await portalUsers.owner.call("listOwnerApprovals", { query: { status: "submitted" } })).approvals).toMatchObject([
      { id: estimateId, limitCents: 20_000 },
    ]);
    expect((await portalUsers.otherOwner.call("listOwnerApprovals")).approvals).toEqual([]);
    expect((await portalUsers.otherOwner.attempt("approveOwnerApproval", { params: { id: estimateId }, body: {} })).status).toBe(404);
    expect(JSON.stringify(await getWorkOrderAsTenant())).not.toMatch(/\b20001\b/);
  });

  test("the owner approves the estimate in the portal", async () => {
    await portalUsers.owner.call("approveOwnerApproval", { params: { id: estimateId }, body: { note: "Please." } });
    expect((await getWorkOrderAsOffice()).approvedEstimateCents).toBe(20_001);
    await expectEvents(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("the vendor schedules, starts and completes the work; the tenant sees each step", async () => {
    const scheduledStart = new Date(Date.now() + DAY).toISOString();
    await portalUsers.vendor.call("scheduleAssignedWorkOrder", { params: { id: workOrderId }, body: { scheduledStart } });
    expect(await getWorkOrderAsTenant()).toMatchObject({ scheduledStart, vendorName: "Vera's Pipes", status: "open" });
    const transition = (status: "in_progress" | "completed") =>
      portalUsers.vendor.call("transitionAssignedWorkOrder", {
        params: { id: workOrderId },
        body: { status, ...(status === "completed" && { actualCents: 19_000 }) },
      });
    await transition("in_progress");
    await transition("completed");
    expect(await getWorkOrderAsTenant()).toMatchObject({ status: "completed", completedAt: expect.any(String) });
    expect((await portalUsers.owner.call("listOwnedWorkOrders")).workOrders).toMatchObject([
      { id: workOrderId, actualCents: 19_000, approvedEstimateCents: 20_001 },
    ]);
    await expectEvents(
      ["work_order.updated", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
    );
    expect((await portalUsers.tenant.attempt("cancelMaintenanceRequest", { params: { id: workOrderId } })).status).toBe(409);
  });

  test("comments are visible to the office and to their audience", async () => {
    await portalUsers.tenant.call("commentOnMaintenanceRequest", { params: { id: workOrderId }, body: { body: "Thank you." } });
    await portalUsers.vendor.call("commentOnAssignedWorkOrder", { params: { id: workOrderId }, body: { body: "The valve is old." } });
    await expectEvents(["note.created", "tenant"], ["note.created", "vendor"]);
    const bodies = (notes: { body: string }[]) => notes.map(({ body }) => body);
    expect(bodies((await portalUsers.tenant.call("getMaintenanceRequest", { params: { id: workOrderId } })).notes)).toEqual(["Thank you."]);
    expect(bodies((await portalUsers.vendor.call("getAssignedWorkOrder", { params: { id: workOrderId } })).notes)).toEqual(["The valve is old."]);
    expect((await office.call("getWorkOrder", { params: { id: workOrderId } })).notes).toHaveLength(2);
  });

  test("both tenants move out: one occupant is released, and the lease is terminated", async () => {
    const { occupants } = await office.call("listOccupants", { params: { leaseId } });
    const coTenantOccupant = occupants.find(({ tenantId }) => tenantId === subjects.coTenant)!;
    const tomorrow = inDays(1);
    await office.call("releaseOccupant", { params: { id: coTenantOccupant.id }, body: { releasedOn: tomorrow } });
    await expectEvents(["occupant.released", "coTenant"]);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: tomorrow, finalRent: "none" } });
    await expectEvents(["lease.terminated", "tenant", "coTenant"]);
    const { leases } = await portalUsers.tenant.call("getTenantPortalMe");
    expect(leases).toMatchObject([{ id: leaseId, status: "terminated", terminationDate: tomorrow }]);
  });

  test("a later change by the office reaches only office users, and portal streams contain no amounts or names", async () => {
    await office.call("createVendor", { body: { name: "Later Pipes" } });
    await expectEvents(["vendor.created"]);
    for (const user of portals) expect(JSON.stringify(streams.get(user)!.events)).not.toMatch(/cents|fullName|@example\.com/i);
  });
});
