import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Envelope, EventData, EventType } from "@freehold/contract/events";
import { addDays } from "@freehold/kit/time/plain-date";
import { today } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import { connectBus, subjectOf, subjectFilter, type EventBus } from "@freehold/kit/events/nats";
import { setTimeout as sleep } from "node:timers/promises";
import { anOffice, type Colleague, type Office } from "../../../../test/office.ts";
import { running } from "../../../../test/running.ts";

const timezone = "America/New_York";
let bus: EventBus;
beforeAll(async () => {
  bus = await connectBus(running().natsUrl, "notifications-test");
});
afterAll(() => bus.connection.close());

interface Happening<T extends EventType> {
  data: EventData<T>;
  entityId?: string;
  actorUserId?: string | null;
}

/** Puts an event on the bus as its owner would. */
function announced<T extends EventType>(office: Office, type: T, { data, entityId = newId(), actorUserId = null }: Happening<T>): Envelope {
  const audience = { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] };
  const [entityType] = type.split(".") as [string];
  const { organizationId } = office;
  return { id: newId(), type, organizationId, occurredAt: new Date().toISOString(), entityType, entityId, actorUserId, requestId: null, data, audience };
}
/** Every call is a delivery of its own, as after a stream that was filled again. */
const publish = (event: Envelope) => bus.js.publish(subjectOf(event), JSON.stringify(event), { msgID: newId() });

const ofPayment = { tenantId: newId(), leaseId: null, receivedAt: "2026-11-01T12:00:00.000Z" };
const ofCharge = { leaseId: newId(), tenantId: newId(), propertyId: newId(), unitId: newId(), dueDate: "2026-11-01" };
const payment = (office: Office, actorUserId: string | null = null) => announced(office, "payment.received", { data: ofPayment, actorUserId });

const read = (user: Colleague, query: Record<string, string | number | boolean> = {}) => user.call("listNotifications", { query });

/** The user's notifications once there are so many. */
async function untilThereAre(count: number, user: Colleague, query: Record<string, string | number | boolean> = {}) {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await read(user, query);
    if (answer.total >= count) return answer;
    await sleep(25);
  }
  throw new Error(`There were never ${count} notifications.`);
}

describe("notifications", () => {
  test("tell the office that an invite was accepted, and not the one who accepted it", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { notifications, unreadCount } = await untilThereAre(1, office, { type: "invite.accepted" });
    expect(unreadCount).toBe(1);
    expect(notifications).toMatchObject([
      {
        type: "invite.accepted",
        title: "Invite accepted",
        channel: "in_app",
        priority: "normal",
        entityType: "invite",
        actorUserId: manager.userId,
        actorUser: { id: manager.userId, fullName: "A manager" },
        readAt: null,
      },
    ]);
    expect((await read(manager)).total).toBe(0);
  });

  test("tell the office of a payment that was recorded, but not who recorded it", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const { payment: recorded } = await office.call("recordPayment", {
      body: { tenantId: tenant.id, amountCents: 150_000, paymentMethod: "check", receivedAt: "2026-11-01T12:00:00Z", idempotencyKey: newId() },
    });
    const { notifications } = await untilThereAre(1, manager, { type: "payment.received" });
    expect(notifications).toMatchObject([{ title: "Payment received", entityType: "payment", entityId: recorded.id, actorUser: { fullName: "Ada Admin" } }]);
    expect(JSON.stringify(notifications)).not.toMatch(/150|Ruiz/);
    expect((await read(office, { type: "payment.received" })).total).toBe(0);
  });

  test("tell a tenant of their own payment, and no other tenant", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const { tenant: other } = await office.call("createTenant", { body: { fullName: "Bo Berg" } });
    const [ana, bo] = [await office.tenantUser(tenant.id), await office.tenantUser(other.id)];
    await publish(announced(office, "payment.received", { data: { ...ofPayment, tenantId: tenant.id }, actorUserId: office.userId }));
    const { notifications } = await untilThereAre(1, ana);
    expect(notifications).toMatchObject([{ body: "Your payment was recorded." }]);
    expect((await read(bo)).total).toBe(0);
  });

  test("mark an overdue charge as high", async () => {
    const office = await anOffice();
    const entityId = newId();
    await publish(announced(office, "charge.overdue", { data: ofCharge, entityId }));
    const { notifications } = await untilThereAre(1, office);
    expect(notifications).toMatchObject([{ type: "charge.overdue", priority: "high", entityType: "charge", entityId, actorUserId: null, actorUser: null }]);
  });

  test("come once for an event that is delivered twenty times", async () => {
    const office = await anOffice();
    const event = payment(office);
    await Promise.all(Array.from({ length: 20 }, () => publish(event)));
    await publish(payment(office));
    await untilThereAre(2, office);
    await sleep(300);
    expect((await read(office)).total).toBe(2);
  });

  test("are announced to their recipient alone", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    await untilThereAre(1, office);
    const heard: Envelope[] = [];
    const subscription = bus.connection.subscribe(subjectFilter({ organizationId: office.organizationId }), {
      // The notification of the invite may still be on its way.
      callback: (_, message) => {
        const event = message.json<Envelope>();
        if (event.type === "notification.created" && event.data["type"] === "payment.received") heard.push(event);
      },
    });
    await bus.connection.flush();
    await publish(payment(office));
    await Promise.all([untilThereAre(2, office), untilThereAre(1, staff)]);
    for (let tries = 0; tries < 100 && heard.length < 2; tries++) await sleep(25);
    subscription.unsubscribe();
    expect(heard).toHaveLength(2);
    expect(new Set(heard.flatMap(({ audience }) => audience.userIds))).toEqual(new Set([office.userId, staff.userId]));
    for (const { audience, data } of heard) {
      expect(audience.userIds).toHaveLength(1);
      expect(audience).toMatchObject({ roles: [], tenantIds: [], ownerIds: [], vendorIds: [] });
      expect(Object.keys(data)).toEqual(["type"]);
    }
  });
});

describe("listNotifications", () => {
  test("filters by type, priority and what is unread, and counts the unread of all", async () => {
    const office = await anOffice();
    await Promise.all([publish(payment(office)), publish(payment(office)), publish(announced(office, "charge.overdue", { data: ofCharge }))]);
    const { notifications, unreadCount } = await untilThereAre(3, office);
    expect(unreadCount).toBe(3);
    const overdue = notifications.find(({ type }) => type === "charge.overdue")!;
    await office.call("markNotificationRead", { params: { id: overdue.id } });
    expect(await read(office, { type: "charge.overdue" })).toMatchObject({ total: 1, unreadCount: 2 });
    expect(await read(office, { priority: "normal" })).toMatchObject({ total: 2, unreadCount: 2 });
    expect(await read(office, { unreadOnly: true })).toMatchObject({ total: 2, unreadCount: 2 });
    expect(await read(office, { unreadOnly: false })).toMatchObject({ total: 3, unreadCount: 2 });
    expect(await read(office, { type: "no.such" })).toMatchObject({ total: 0, totalPages: 1, unreadCount: 2 });
  });

  test("takes both ends of a span of the organization's days", async () => {
    const office = await anOffice();
    await publish(payment(office));
    await untilThereAre(1, office);
    const day = today(timezone);
    const total = async (createdAfter: string, createdBefore: string) => (await read(office, { createdAfter, createdBefore })).total;
    expect(await total(day, day)).toBe(1);
    expect(await total(addDays(day, 1), addDays(day, 1))).toBe(0);
    expect(await total(addDays(day, -1), addDays(day, -1))).toBe(0);
    expect(await total("1900-01-01", "2199-12-31")).toBe(1);
  });

  test("answers the newest first, in pages that neither repeat nor lose one", async () => {
    const office = await anOffice();
    await Promise.all(Array.from({ length: 5 }, () => publish(payment(office))));
    const { notifications } = await untilThereAre(5, office);
    const times = notifications.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const pages = await Promise.all([1, 2, 3].map((page) => read(office, { page, pageSize: 2 })));
    expect(pages.flatMap((page) => page.notifications.map(({ id }) => id))).toEqual(notifications.map(({ id }) => id));
    expect(pages[0]).toMatchObject({ page: 1, pageSize: 2, total: 5, totalPages: 3, unreadCount: 5 });
  });

  test.each([
    { priority: "loud" },
    { createdAfter: "2026-02-29" },
    { createdBefore: "yesterday" },
    { unreadOnly: "yes" },
    { sortBy: "title" },
    { pageSize: 101 },
    { page: 0 },
    { type: "" },
    { userId: newId() },
  ])("refuses %j", async (query) => {
    const office = await anOffice();
    const { status, body } = await office.attempt("listNotifications", { query: query as never });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: Object.keys(query)[0] }]);
  });

  test("needs a token", async () => {
    const office = await anOffice();
    expect((await fetch(`${office.baseUrl}/api/notifications`)).status).toBe(401);
  });
});

describe("getNotification", () => {
  test("shows the notification and the way it took", async () => {
    const office = await anOffice();
    await publish(payment(office));
    const { notifications } = await untilThereAre(1, office);
    const { status, headers, body } = await office.attempt("getNotification", { params: { id: notifications[0]!.id } });
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe('"1"');
    expect(body.notification).toEqual(notifications[0]);
    expect(body.deliveries).toMatchObject([{ channel: "in_app", deliveryMode: "immediate" }]);
    expect(body.deliveries[0]!.sentAt).not.toBeNull();
    expect(body.deliveries[0]!.deliveredAt).not.toBeNull();
  });

  test("is 404 for a colleague's, another organization's and an unknown one", async () => {
    const [office, elsewhere] = await Promise.all([anOffice(), anOffice()]);
    const manager = await office.colleague("manager");
    const { notifications } = await untilThereAre(1, office);
    const params = { id: notifications[0]!.id };
    for (const user of [manager, elsewhere])
      for (const operation of ["getNotification", "markNotificationRead"] as const) expect((await user.attempt(operation, { params })).status).toBe(404);
    expect((await office.attempt("getNotification", { params: { id: newId() } })).status).toBe(404);
    expect((await office.attempt("getNotification", { params: { id: "1" } })).status).toBe(400);
    expect((await read(office, { unreadOnly: true })).total).toBe(1);
  });
});

describe("markNotificationRead", () => {
  test("marks it once, and again changes nothing", async () => {
    const office = await anOffice();
    await publish(payment(office));
    const { notifications } = await untilThereAre(1, office);
    const params = { id: notifications[0]!.id };
    const first = await office.attempt("markNotificationRead", { params });
    expect(first.body.notification.readAt).not.toBeNull();
    const again = await office.attempt("markNotificationRead", { params });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect((await read(office)).unreadCount).toBe(0);
  });

  test("keeps one moment when twenty mark it at once", async () => {
    const office = await anOffice();
    await publish(payment(office));
    const { notifications } = await untilThereAre(1, office);
    const params = { id: notifications[0]!.id };
    const answers = await Promise.all(Array.from({ length: 20 }, () => office.call("markNotificationRead", { params })));
    expect(new Set(answers.map(({ notification }) => notification.readAt)).size).toBe(1);
  });

  test("refuses a version that is not the current one", async () => {
    const office = await anOffice();
    await publish(payment(office));
    const { notifications } = await untilThereAre(1, office);
    const { status } = await office.attempt("markNotificationRead", { params: { id: notifications[0]!.id }, headers: { "If-Match": '"7"' } });
    expect(status).toBe(412);
  });
});
