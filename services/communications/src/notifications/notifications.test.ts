import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Envelope } from "@freehold/contract/events";
import { addDays } from "@freehold/kit/time/plain-date";
import { localDateOf } from "@freehold/kit/time/clock";
import { newId } from "@freehold/kit/db/entity";
import { subjectFilter, type EventBus } from "@freehold/kit/events/nats";
import { connectAs } from "../../../../test/support/events/bus.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { aTestEvent, chargeData, listOf, paymentData, testPublisher, waitForCount, waitForEvents } from "../../test/published-events.ts";

const timezone = "America/New_York";
const publisher = testPublisher();
let bus: EventBus;
beforeAll(async () => {
  bus = await connectAs("gateway", running().nats);
});
afterAll(() => Promise.all([bus.connection.close(), publisher.close()]));

const publish = (event: Envelope) => publisher.publish(event);
const paymentReceived = (office: Office, actorUserId: string | null = null) => aTestEvent(office, "payment.received", { data: paymentData, actorUserId });
const list = listOf;

describe("notifications", () => {
  test("are created for the office, except the actor, when an invite is accepted", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { notifications, unreadCount } = await waitForCount(1, office, { type: "invite.accepted" });
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
    expect((await list(manager)).total).toBe(0);
  });

  test("are created for the office, except the actor, when a payment is recorded", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const { payment: recorded } = await office.call("recordPayment", {
      body: { tenantId: tenant.id, amountCents: 150_000, paymentMethod: "check", receivedAt: "2026-11-01T12:00:00Z", idempotencyKey: newId() },
    });
    const { notifications } = await waitForCount(1, manager, { type: "payment.received" });
    expect(notifications).toMatchObject([{ title: "Payment received", entityType: "payment", entityId: recorded.id, actorUser: { fullName: "Ada Admin" } }]);
    for (const { title, body } of notifications) expect(`${title} ${body}`).not.toMatch(/150|Ruiz/);
    expect((await list(office, { type: "payment.received" })).total).toBe(0);
  });

  test("are created for the paying tenant, and no other tenant", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const { tenant: other } = await office.call("createTenant", { body: { fullName: "Bo Berg" } });
    const [ana, bo] = [await office.tenantUser(tenant.id), await office.tenantUser(other.id)];
    await publish(aTestEvent(office, "payment.received", { data: { ...paymentData, tenantId: tenant.id }, actorUserId: office.userId }));
    const { notifications } = await waitForCount(1, ana);
    expect(notifications).toMatchObject([{ body: "Your payment was recorded." }]);
    expect((await list(bo)).total).toBe(0);
  });

  test("count the payments of a window in one notification of each user, without those that the user recorded", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    await Promise.all([1, 2, 3, 4].map(() => publish(paymentReceived(office, manager.userId))));
    await Promise.all([1, 2, 3].map(() => publish(paymentReceived(office))));
    const ofOffice = await waitForEvents(7, office, "payment.received");
    const ofManager = await waitForEvents(3, manager, "payment.received");
    expect(ofOffice).toMatchObject([{ title: "7 payments received", count: 7, entityType: "payment", entityId: null, actorUserId: null, readAt: null }]);
    expect(ofManager).toMatchObject([{ title: "3 payments received", count: 3 }]);
  });

  test("are not created for a user who has turned their type off", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    const off = { type: "payment.received", channels: [], deliveryMode: "immediate" } as const;
    await staff.call("updateNotificationPreferences", { body: { preferences: [{ ...off, channels: [] }] } });
    await publish(paymentReceived(office));
    await waitForEvents(1, office, "payment.received");
    // The notifications of a later event are created after those of the payment.
    await publish(aTestEvent(office, "charge.overdue", { data: chargeData }));
    await waitForEvents(1, staff, "charge.overdue");
    expect((await list(staff, { type: "payment.received" })).total).toBe(0);
  });

  test("count what follows in a new notification once the first was read", async () => {
    const office = await anOffice();
    await Promise.all([publish(paymentReceived(office)), publish(paymentReceived(office))]);
    await waitForEvents(2, office, "payment.received");
    await office.call("markAllNotificationsRead");
    const last = paymentReceived(office);
    await publish(last);
    const notifications = await waitForEvents(3, office, "payment.received");
    expect(notifications).toMatchObject([
      { title: "Payment received", count: 1, entityId: last.entityId, readAt: null },
      { title: "2 payments received", count: 2, readAt: expect.any(String) },
    ]);
  });

  test("lose no event that arrives while they are read", async () => {
    const office = await anOffice();
    const reading = (async () => {
      for (let round = 0; round < 20; round++) await office.call("markAllNotificationsRead");
    })();
    await Promise.all(Array.from({ length: 30 }, () => publish(paymentReceived(office))));
    await reading;
    const notifications = await waitForEvents(30, office, "payment.received");
    expect(notifications.reduce((sum, { count }) => sum + count, 0)).toBe(30);
  });

  test("have high priority for an overdue charge", async () => {
    const office = await anOffice();
    const entityId = newId();
    await publish(aTestEvent(office, "charge.overdue", { data: chargeData, entityId }));
    const { notifications } = await waitForCount(1, office);
    expect(notifications).toMatchObject([{ type: "charge.overdue", priority: "high", entityType: "charge", entityId, actorUserId: null, actorUser: null }]);
  });

  test("are created once for an event that is delivered twenty times", async () => {
    const office = await anOffice();
    const event = paymentReceived(office);
    await Promise.all(Array.from({ length: 20 }, () => publish(event)));
    // An event of the same entity is consumed after all of them.
    await publish(aTestEvent(office, "charge.overdue", { data: chargeData, entityId: event.entityId }));
    await waitForCount(1, office, { type: "charge.overdue" });
    expect((await list(office, { type: "payment.received" })).notifications).toMatchObject([{ count: 1 }]);
  });

  test("are published to their recipient only", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    await waitForCount(1, office);
    const received: Envelope[] = [];
    const subscription = bus.connection.subscribe(subjectFilter({ organizationId: office.organizationId }), {
      // The event of the accepted invite may still arrive.
      callback: (_, message) => {
        const isNotification = ({ type, data }: Envelope) => type === "notification.created" && data["type"] === "payment.received";
        received.push(...message.json<Envelope[]>().filter(isNotification));
      },
    });
    await bus.connection.flush();
    await publish(paymentReceived(office));
    await Promise.all([waitForCount(2, office), waitForCount(1, staff)]);
    await eventually("two events", () => received.length >= 2);
    subscription.unsubscribe();
    expect(received).toHaveLength(2);
    expect(new Set(received.flatMap(({ audience }) => audience.userIds))).toEqual(new Set([office.userId, staff.userId]));
    for (const { audience, data } of received) {
      expect(audience.userIds).toHaveLength(1);
      expect(audience).toMatchObject({ roles: [], tenantIds: [], ownerIds: [], vendorIds: [] });
      expect(Object.keys(data)).toEqual(["type"]);
    }
  });
});

describe("listNotifications", () => {
  test("filters by type, priority and unread, and counts all unread notifications", async () => {
    const office = await anOffice();
    await office.colleague("staff");
    await Promise.all([publish(paymentReceived(office)), publish(aTestEvent(office, "charge.overdue", { data: chargeData }))]);
    const { notifications, unreadCount } = await waitForCount(3, office);
    expect(unreadCount).toBe(3);
    const overdue = notifications.find(({ type }) => type === "charge.overdue")!;
    await office.call("markNotificationRead", { params: { id: overdue.id } });
    expect(await list(office, { type: "charge.overdue" })).toMatchObject({ total: 1, unreadCount: 2 });
    expect(await list(office, { type: "charge.overdue,payment.received" })).toMatchObject({ total: 2, unreadCount: 2 });
    expect(await list(office, { priority: "normal" })).toMatchObject({ total: 2, unreadCount: 2 });
    expect(await list(office, { priority: "normal,high" })).toMatchObject({ total: 3, unreadCount: 2 });
    expect(await list(office, { unreadOnly: true })).toMatchObject({ total: 2, unreadCount: 2 });
    expect(await list(office, { unreadOnly: false })).toMatchObject({ total: 3, unreadCount: 2 });
    expect(await list(office, { type: "no.such" })).toMatchObject({ total: 0, totalPages: 1, unreadCount: 2 });
  });

  test("filters by days in the organization's time zone, both included", async () => {
    const office = await anOffice();
    await publish(paymentReceived(office));
    const { notifications } = await waitForCount(1, office);
    const day = localDateOf(notifications[0]!.createdAt, timezone);
    const total = async (createdAfter: string, createdBefore: string) => (await list(office, { createdAfter, createdBefore })).total;
    expect(await total(day, day)).toBe(1);
    expect(await total(addDays(day, 1), addDays(day, 1))).toBe(0);
    expect(await total(addDays(day, -1), addDays(day, -1))).toBe(0);
    expect(await total("1900-01-01", "2199-12-31")).toBe(1);
  });

  test("returns the newest first, in pages that neither repeat nor skip a notification", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const ana = await office.tenantUser(tenant.id);
    await Promise.all(Array.from({ length: 5 }, () => publish(aTestEvent(office, "payment.received", { data: { ...paymentData, tenantId: tenant.id } }))));
    const { notifications } = await waitForCount(5, ana);
    const times = notifications.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const pages = await Promise.all([1, 2, 3].map((page) => list(ana, { page, pageSize: 2 })));
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
    expect(body.errors).toMatchObject([{ path: expect.stringMatching(`^${Object.keys(query)[0]}(\\.0)?$`) }]);
  });

  test("requires a token", async () => {
    const office = await anOffice();
    expect((await fetch(`${office.baseUrl}/api/notifications`)).status).toBe(401);
  });
});

describe("getNotification", () => {
  test("returns the notification and its deliveries", async () => {
    const office = await anOffice();
    await publish(paymentReceived(office));
    const { notifications } = await waitForCount(1, office);
    const { status, headers, body } = await office.attempt("getNotification", { params: { id: notifications[0]!.id } });
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe('"1"');
    expect(body.notification).toEqual(notifications[0]);
    expect(body.deliveries).toMatchObject([{ channel: "in_app", deliveryMode: "immediate" }]);
    expect(body.deliveries[0]!.sentAt).not.toBeNull();
    expect(body.deliveries[0]!.deliveredAt).not.toBeNull();
  });

  test("returns 404 for a notification of a colleague, of another organization and an unknown id, and 400 for a malformed id", async () => {
    const [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
    const manager = await office.colleague("manager");
    const { notifications } = await waitForCount(1, office);
    const params = { id: notifications[0]!.id };
    for (const user of [manager, otherOffice])
      for (const operation of ["getNotification", "markNotificationRead"] as const) expect((await user.attempt(operation, { params })).status).toBe(404);
    expect((await office.attempt("getNotification", { params: { id: newId() } })).status).toBe(404);
    expect((await office.attempt("getNotification", { params: { id: "1" } })).status).toBe(400);
    expect((await list(office, { unreadOnly: true })).total).toBe(1);
  });
});

describe("markNotificationRead", () => {
  test("has no further effect when repeated", async () => {
    const office = await anOffice();
    await publish(paymentReceived(office));
    const { notifications } = await waitForCount(1, office);
    const params = { id: notifications[0]!.id };
    const first = await office.attempt("markNotificationRead", { params });
    expect(first.body.notification.readAt).not.toBeNull();
    const repeated = await office.attempt("markNotificationRead", { params });
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get("etag")).toBe(first.headers.get("etag"));
    expect((await list(office)).unreadCount).toBe(0);
  });

  test("sets one time for twenty concurrent requests", async () => {
    const office = await anOffice();
    await publish(paymentReceived(office));
    const { notifications } = await waitForCount(1, office);
    const params = { id: notifications[0]!.id };
    const responses = await Promise.all(Array.from({ length: 20 }, () => office.call("markNotificationRead", { params })));
    expect(new Set(responses.map(({ notification }) => notification.readAt)).size).toBe(1);
  });

  test("refuses an outdated version", async () => {
    const office = await anOffice();
    await publish(paymentReceived(office));
    const { notifications } = await waitForCount(1, office);
    const { status } = await office.attempt("markNotificationRead", { params: { id: notifications[0]!.id }, headers: { "If-Match": '"7"' } });
    expect(status).toBe(412);
  });
});

describe("markAllNotificationsRead", () => {
  test("marks the unread notifications of the caller alone, each once", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    await Promise.all([publish(paymentReceived(office)), publish(aTestEvent(office, "charge.overdue", { data: chargeData }))]);
    // The admin is also notified of the colleague's invite.
    const { notifications } = await waitForCount(3, office);
    await waitForCount(2, staff);
    const { notification: earlier } = await office.call("markNotificationRead", { params: { id: notifications[0]!.id } });
    const counts = await Promise.all([1, 2, 3].map(() => office.call("markAllNotificationsRead")));
    expect(counts.reduce((sum, { updated }) => sum + updated, 0)).toBe(2);
    expect((await list(office)).unreadCount).toBe(0);
    expect((await list(staff)).unreadCount).toBe(2);
    expect((await office.call("getNotification", { params: { id: earlier.id } })).notification.readAt).toBe(earlier.readAt);
  });
});
