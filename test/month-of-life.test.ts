/** A month in the life of a home, told from every side: each does its part in its own portal, and hears of exactly what concerns it. */
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
/** A day as New York, where the organization is, calls it. */
const inDays = (days: number) => new Date(Date.now() + days * DAY).toLocaleDateString("en-CA", { timeZone: "America/New_York" });

const portals = ["tenant", "coTenant", "owner", "vendor", "neighbour", "otherOwner", "otherVendor"] as const;
type Portal = (typeof portals)[number];
type Listener = Portal | "admin" | "staff";

let beforeAnything: string;
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

const listen = async (who: Listener, { token }: Colleague) => {
  streams.set(who, await EventReader.open(baseUrl, token!, { lastEventId: beforeAnything }));
  expected.set(who, who === "staff" ? [...expected.get("admin")!] : []);
};

/** What is told to one user alone is looked at elsewhere. */
const heardBy = (who: Listener): string[] =>
  streams
    .get(who)!
    .events.map(({ event }) => event)
    .filter((type) => type !== "notification.created");

/** Everybody has heard what happened so far as far as it concerns them, and nothing else; the office hears all of it. */
async function areTold(...happened: [EventType, ...Portal[]][]): Promise<void> {
  for (const [type, ...concerned] of happened)
    for (const who of ["admin", "staff", ...concerned] as Listener[]) if (streams.has(who)) expected.get(who)!.push(type);
  const isComplete = () => [...streams.keys()].every((who) => heardBy(who).length >= expected.get(who)!.length);
  await eventually("event", () => Promise.resolve(isComplete() || undefined)).catch(() => undefined);
  for (const who of streams.keys()) expect([who, heardBy(who).toSorted()]).toEqual([who, expected.get(who)!.toSorted()]);
}

const officeSees = async () => (await office.call("getWorkOrder", { params: { id: request } })).workOrder;
const tenantSees = async () => (await people.tenant.call("getMaintenanceRequest", { params: { id: request } })).workOrder;

describe("a month of life", () => {
  beforeAll(async () => {
    const earlier = await anOffice();
    const reader = await EventReader.open(baseUrl, earlier.token!);
    beforeAnything = (await reader.next("stream.ready", ({ event }) => event === "stream.ready")).id;
    await reader.close();
  });
  afterAll(() => Promise.all([...streams.values()].map((stream) => stream.close())));

  test("begins with a sign-up, and a colleague who accepts the invite", async () => {
    office = await anOffice();
    await listen("admin", office);
    await areTold(["organization.created"], ["user.created"]);
    staff = await office.colleague("staff");
    await areTold(["user.created"], ["invite.accepted"]);
    await listen("staff", staff);
    await areTold();
  });

  test("the office adds a home, whose it is, who will live there and who repairs it", async () => {
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
    await areTold(
      ...Array.from({ length: 2 }, () => ["owner.created"] as [EventType]),
      ...Array.from({ length: 3 }, () => ["tenant.created"] as [EventType]),
      ...Array.from({ length: 2 }, () => ["vendor.created"] as [EventType]),
      ["property.created"],
      ["unit.created"],
      ["property.updated"],
    );
  });

  test.each(portals)("the %s accepts the invite through the link, and hears of that alone", async (who) => {
    const kind = /owner/i.test(who) ? "owner" : /vendor/i.test(who) ? "vendor" : "tenant";
    people[who] = await office[`${kind}User`](subjects[who]);
    await listen(who, people[who]);
    await areTold(["invite.created"], ["user.created"], [`${kind}.updated`], ["invite.accepted", who]);
    for (const operation of ["listProperties", "listWorkOrders", "listTenants"] as const) expect((await people[who].attempt(operation)).status).toBe(403);
  });

  test("two move in under one lease, which both see", async () => {
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
    await areTold(["lease.created"], ["lease.activated", "tenant", "coTenant"]);
    for (const who of ["tenant", "coTenant"] as const) {
      const { leases } = await people[who].call("listTenantPortalLeases");
      expect(leases).toMatchObject([{ id: leaseId, status: "active", unitNumber: "1A" }]);
    }
    expect((await people.neighbour.call("listTenantPortalLeases")).leases).toEqual([]);
    expect((await people.owner.call("listOwnedLeases")).leases).toMatchObject([{ id: leaseId }]);
    expect((await people.otherOwner.call("listOwnedLeases")).leases).toEqual([]);
  });

  test("the tap drips, and the tenant says so", async () => {
    const { workOrder } = await people.tenant.call("createMaintenanceRequest", {
      body: { title: "The tap drips", description: "All night long.", category: "plumbing", entryPermitted: true },
    });
    request = workOrder.id;
    expect(await officeSees()).toMatchObject({ source: "tenant", tenantId: subjects.tenant, leaseId, unitId, status: "open" });
    await areTold(["work_order.created", "tenant", "owner"]);
  });

  test("the colleague gives it to the vendor, who accepts it", async () => {
    await staff.call("assignWorkOrder", { params: { id: request }, body: { vendorId: subjects.vendor } });
    await areTold(["work_order.assigned", "tenant", "owner", "vendor"]);
    const { workOrders } = await people.vendor.call("listAssignedWorkOrders");
    expect(workOrders).toMatchObject([{ id: request, tenantName: "Tess Tenant", address: { streetLine1: "1 Elm Street" } }]);
    expect((await people.otherVendor.call("listAssignedWorkOrders")).workOrders).toEqual([]);
    await people.vendor.call("acceptAssignedWorkOrder", { params: { id: request } });
    await areTold(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("what the vendor would do it for is beyond the limit, and waits for the owner", async () => {
    const { estimate } = await people.vendor.call("estimateAssignedWorkOrder", { params: { id: request }, body: { amountCents: 20_001 } });
    approval = estimate.id;
    expect(estimate).toMatchObject({ needsOwnerApproval: true, status: "submitted" });
    await areTold(["work_order.updated", "tenant", "owner", "vendor"]);
    expect((await people.owner.call("listOwnerApprovals", { query: { status: "submitted" } })).approvals).toMatchObject([{ id: approval, limitCents: 20_000 }]);
    expect((await people.otherOwner.call("listOwnerApprovals")).approvals).toEqual([]);
    expect((await people.otherOwner.attempt("approveOwnerApproval", { params: { id: approval }, body: {} })).status).toBe(404);
    expect(JSON.stringify(await tenantSees())).not.toContain("20001");
  });

  test("the owner approves it in the portal", async () => {
    await people.owner.call("approveOwnerApproval", { params: { id: approval }, body: { note: "Please." } });
    expect((await officeSees()).approvedEstimateCents).toBe(20_001);
    await areTold(["work_order.updated", "tenant", "owner", "vendor"]);
  });

  test("the vendor says when it comes, comes, and is done; the tenant sees it", async () => {
    const scheduledStart = new Date(Date.now() + DAY).toISOString();
    await people.vendor.call("scheduleAssignedWorkOrder", { params: { id: request }, body: { scheduledStart } });
    expect(await tenantSees()).toMatchObject({ scheduledStart, vendorName: "Vera's Pipes", status: "open" });
    const move = (status: "in_progress" | "completed") =>
      people.vendor.call("transitionAssignedWorkOrder", { params: { id: request }, body: { status, ...(status === "completed" && { actualCents: 19_000 }) } });
    await move("in_progress");
    await move("completed");
    expect(await tenantSees()).toMatchObject({ status: "completed", completedAt: expect.any(String) });
    expect((await people.owner.call("listOwnedWorkOrders")).workOrders).toMatchObject([{ id: request, actualCents: 19_000, approvedEstimateCents: 20_001 }]);
    await areTold(
      ["work_order.updated", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
      ["work_order.transitioned", "tenant", "owner", "vendor"],
    );
    expect((await people.tenant.attempt("cancelMaintenanceRequest", { params: { id: request } })).status).toBe(409);
  });

  test("what each writes about it is read by the office and by whoever it is meant for", async () => {
    await people.tenant.call("commentOnMaintenanceRequest", { params: { id: request }, body: { body: "Thank you." } });
    await people.vendor.call("commentOnAssignedWorkOrder", { params: { id: request }, body: { body: "The valve is old." } });
    await areTold(["note.created", "tenant"], ["note.created", "vendor"]);
    const bodies = (notes: { body: string }[]) => notes.map(({ body }) => body);
    expect(bodies((await people.tenant.call("getMaintenanceRequest", { params: { id: request } })).notes)).toEqual(["Thank you."]);
    expect(bodies((await people.vendor.call("getAssignedWorkOrder", { params: { id: request } })).notes)).toEqual(["The valve is old."]);
    expect((await office.call("getWorkOrder", { params: { id: request } })).notes).toHaveLength(2);
  });

  test("the two move out: one is released, the other's lease ends", async () => {
    const { occupants } = await office.call("listOccupants", { params: { leaseId } });
    const leaving = occupants.find(({ tenantId }) => tenantId === subjects.coTenant)!;
    await office.call("releaseOccupant", { params: { id: leaving.id }, body: { releasedOn: inDays(1) } });
    await areTold(["occupant.released", "coTenant"]);
    await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: inDays(1), finalRent: "none" } });
    await areTold(["lease.terminated", "tenant", "coTenant"]);
    const { leases } = await people.tenant.call("getTenantPortalMe");
    expect(leases).toMatchObject([{ id: leaseId, status: "terminated", terminationDate: inDays(1) }]);
  });

  test("nobody has heard more, and nobody of the portals has read an amount or a name on the stream", async () => {
    await sleep(300);
    await areTold();
    for (const who of portals) expect(JSON.stringify(streams.get(who)!.events)).not.toMatch(/cents|fullName|@example\.com/i);
  });
});
