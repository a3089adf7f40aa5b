import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { NotificationPreference } from "@freehold/contract/communications/notification-preferences";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { Client } from "../../../../../test/support/client.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { withShiftedClock } from "../../../../../test/support/clock/shifted-clock.ts";
import { testClients } from "../../../test/clients.ts";
import { aTestEvent, paymentData, testPublisher, waitForEvents } from "../../../test/published-events.ts";
import { database as definition } from "../../database.ts";
import { suppressAddress } from "../../recipients/suppressions.ts";
import { deleteNotifications } from "./delete-notifications.ts";
import { deliverNotifications } from "./deliver-notifications.ts";
import { insertNotifications } from "../insert-notifications.ts";
import { preferenceFor } from "../preferences/preference.rules.ts";

const clients = testClients();
const publisher = testPublisher();
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 8);
});
afterAll(() => Promise.all([database.close(), publisher.close()]));

const dbOf = (office: Office) => new OrgDb(database, systemPrincipal(office.organizationId));
/** Runs the job as another replica would. */
const deliver = (db: OrgDb) =>
  deliverNotifications(db, { clients, transports: { from: "no-reply@freehold.example", mailer: undefined, devOutbox: { pool: database.pool } } });

const preference = (channels: NotificationPreference["channels"], deliveryMode: NotificationPreference["deliveryMode"] = "immediate") =>
  ({ type: "payment.received", channels, deliveryMode }) satisfies NotificationPreference;
const prefer = (user: Colleague, chosen: NotificationPreference) => user.call("updateNotificationPreferences", { body: { preferences: [chosen] } });

/** Notifies a user by the user's preference, as an event does. Returns the id of the notification. */
async function notify(office: Office, user: Colleague, title: string): Promise<string> {
  const { preferences } = await user.call("getNotificationPreferences");
  const content = { type: "payment.received", title, body: `${title}.`, priority: "normal", entityType: "payment", entityId: newId() } as const;
  await transaction(dbOf(office), (tx) =>
    insertNotifications(tx, [{ ...content, ...preferenceFor(preferences, "payment.received"), userId: user.userId, actorUserId: null, actorName: null }]),
  );
  const row = await dbOf(office).first(
    sql<{ id: string }>`select id from notification where organization_id = ${office.organizationId} and user_id = ${user.userId} and title = ${title}`,
  );
  return row!.id;
}

const deliveriesOf = async (user: Colleague, id: string) => (await user.call("getNotification", { params: { id } })).deliveries;
const deliveryOf = async (user: Colleague, id: string, channel: string) => (await deliveriesOf(user, id)).find((delivery) => delivery.channel === channel)!;
const waitForStatus = (user: Colleague, id: string, channel: string, status: string) =>
  eventually(`${channel} ${status}`, async () => {
    const delivery = await deliveryOf(user, id, channel);
    return delivery.status === status && delivery;
  });
const mailsTo = async (user: Colleague) =>
  (await new Client(user.baseUrl).call("listDevOutbox", { query: { to: user.email } })).messages.filter(({ html }) =>
    html?.includes("notification preferences"),
  );
const makeDue = (db: OrgDb) =>
  db.all(sql`update notification_delivery set due_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'waiting'`);

/** Returns quiet hours in UTC that contain the present and end in at least an hour. */
function quietNow() {
  const hour = new Date().getUTCHours();
  const at = (offset: number) => `${String((hour + offset + 24) % 24).padStart(2, "0")}:00`;
  return { start: at(-2), end: at(2), timeZone: "UTC" };
}

describe("deliverNotifications", () => {
  test("sends an e-mail to a user who has chosen it, once also when several replicas run", async () => {
    const office = await anOffice();
    await prefer(office, preference(["in_app", "email"]));
    const id = await notify(office, office, "Payment received");
    await Promise.all([1, 2, 3].map(() => deliver(dbOf(office))));
    expect(await waitForStatus(office, id, "email", "sent")).toMatchObject({
      deliveryMode: "immediate",
      skipReason: null,
      scheduledFor: null,
      sentAt: expect.any(String),
    });
    expect(await deliveryOf(office, id, "in_app")).toMatchObject({ status: "delivered" });
    expect(await mailsTo(office)).toMatchObject([{ subject: "Payment received" }]);
  });

  test.each([-100, 100])("sends an e-mail that is due in a process whose clock is ahead by %i s", async (secondsAhead) => {
    const office = await anOffice();
    const db = dbOf(office);
    await prefer(office, preference(["email"]));
    const id = await notify(office, office, "Payment received");
    await makeDue(db);
    await withShiftedClock(1_000 * secondsAhead, () => deliver(db));
    await waitForStatus(office, id, "email", "sent");
  });

  test("does not list a notification without the channel in_app", async () => {
    const office = await anOffice();
    await prefer(office, preference(["email"]));
    const id = await notify(office, office, "Payment received");
    await waitForStatus(office, id, "email", "sent");
    expect(await office.call("listNotifications", { query: { type: "payment.received" } })).toMatchObject({ total: 0, unreadCount: 0 });
    expect(await office.call("markAllNotificationsRead")).toEqual({ updated: 0 });
    expect((await office.call("getNotification", { params: { id } })).notification).toMatchObject({ channel: "email", channels: ["email"] });
  });

  test("skips what consent, a missing phone number and a suppressed address forbid, with the reason", async () => {
    const office = await anOffice();
    await prefer(office, preference(["in_app", "sms", "email"]));
    await transaction(dbOf(office), (tx) => suppressAddress(tx, office.email, "complained"));
    const first = await notify(office, office, "First");
    expect(await waitForStatus(office, first, "sms", "skipped")).toMatchObject({ skipReason: "no_phone" });
    expect(await waitForStatus(office, first, "email", "skipped")).toMatchObject({ skipReason: "suppressed" });
    await office.call("changeMyPhone", { body: { phone: "2125550177" } });
    const second = await notify(office, office, "Second");
    expect(await waitForStatus(office, second, "sms", "skipped")).toMatchObject({ skipReason: "no_consent" });
    await office.call("changeMyConsent", { body: { smsConsent: true } });
    const third = await notify(office, office, "Third");
    await waitForStatus(office, third, "sms", "sent");
  });

  test("skips the e-mails and digests of a user who has withdrawn the consent to e-mails, until it is given again", async () => {
    const office = await anOffice();
    await prefer(office, preference(["in_app", "email"]));
    const consent = (emailConsent: boolean) => office.call("changeMyConsent", { body: { emailConsent } });
    await consent(false);
    const first = await notify(office, office, "First");
    expect(await waitForStatus(office, first, "email", "skipped")).toMatchObject({ skipReason: "no_consent" });
    await prefer(office, preference(["in_app", "email"], "daily_digest"));
    const inDigest = await notify(office, office, "In the digest");
    await eventually("scheduled digest", async () => (await deliveryOf(office, inDigest, "email")).scheduledFor !== null);
    await makeDue(dbOf(office));
    await deliver(dbOf(office));
    expect(await waitForStatus(office, inDigest, "email", "skipped")).toMatchObject({ skipReason: "no_consent" });
    await consent(true);
    await prefer(office, preference(["in_app", "email"]));
    const last = await notify(office, office, "Last");
    await waitForStatus(office, last, "email", "sent");
    expect(await mailsTo(office)).toMatchObject([{ subject: "Last" }]);
  });

  test("waits for the end of the quiet hours, and sends at once when they are removed", async () => {
    const office = await anOffice();
    const chosen = preference(["in_app", "email"]);
    await office.call("updateNotificationPreferences", { body: { preferences: [chosen], quietHours: quietNow() } });
    const id = await notify(office, office, "Payment received");
    await deliver(dbOf(office));
    const waiting = await eventually("postponed delivery", async () => {
      const delivery = await deliveryOf(office, id, "email");
      return new Date(delivery.scheduledFor!).getTime() > Date.now() && delivery;
    });
    expect(waiting).toMatchObject({ status: "waiting", sentAt: null });
    expect(waiting.scheduledFor).toMatch(/:00:00\.000Z$/);
    expect(await mailsTo(office)).toEqual([]);
    await office.call("updateNotificationPreferences", { body: { preferences: [chosen], quietHours: null } });
    await waitForStatus(office, id, "email", "sent");
  });

  test("skips what was turned off or read while it waited", async () => {
    const office = await anOffice();
    const chosen = preference(["in_app", "email"]);
    await office.call("updateNotificationPreferences", { body: { preferences: [chosen], quietHours: quietNow() } });
    const read = await notify(office, office, "Read");
    await office.call("markNotificationRead", { params: { id: read } });
    await makeDue(dbOf(office));
    await deliver(dbOf(office));
    expect(await waitForStatus(office, read, "email", "skipped")).toMatchObject({ skipReason: "read" });
    const turnedOff = await notify(office, office, "Turned off");
    await prefer(office, preference(["in_app"]));
    expect(await waitForStatus(office, turnedOff, "email", "skipped")).toMatchObject({ skipReason: "turned_off" });
    expect(await mailsTo(office)).toEqual([]);
  });
});

describe("deleteNotifications", () => {
  test("deletes the notifications that are older than the window, with their deliveries, and no others", async () => {
    const office = await anOffice();
    const db = dbOf(office);
    await prefer(office, preference(["in_app", "email"]));
    const [old, recent] = [await notify(office, office, "Old"), await notify(office, office, "Recent")];
    await waitForStatus(office, old, "email", "sent");
    await db.all(sql`update notification set created_at = now() - interval '366 days' where organization_id = ${db.organizationId} and id = ${old}`);
    expect((await deleteNotifications(db, 365)).getTime()).toBeGreaterThan(Date.now());
    expect((await office.attempt("getNotification", { params: { id: old } })).status).toBe(404);
    expect(await deliveriesOf(office, recent)).toHaveLength(2);
  });
});

describe("a notification that counts events", () => {
  test("is sent once, when its window closes, with all of them", async () => {
    const office = await anOffice();
    const db = dbOf(office);
    await prefer(office, preference(["in_app", "email"]));
    await Promise.all([1, 2, 3].map(() => publisher.publish(aTestEvent(office, "payment.received", { data: paymentData }))));
    const [notification] = await waitForEvents(3, office, "payment.received");
    await deliver(db);
    const { scheduledFor } = await deliveryOf(office, notification!.id, "email");
    expect(new Date(scheduledFor!).getTime()).toBeGreaterThan(Date.now() + 600_000);
    await db.all(sql`update notification_window set closes_at = now() - interval '1 second' where organization_id = ${db.organizationId}`);
    await makeDue(db);
    await deliver(db);
    await waitForStatus(office, notification!.id, "email", "sent");
    expect(await mailsTo(office)).toMatchObject([{ subject: "3 payments received" }]);
  });
});

describe("the daily digest", () => {
  test("is one e-mail with the unread notifications of a user, also when several replicas run", async () => {
    const office = await anOffice();
    const db = dbOf(office);
    await prefer(office, preference(["in_app", "email"], "daily_digest"));
    const ids = [await notify(office, office, "First"), await notify(office, office, "Second"), await notify(office, office, "Third")];
    await deliver(db);
    // In October and November, 8:00 in New York is 12:00 or 13:00 in UTC.
    const scheduled = await eventually("scheduled digest", async () => (await deliveryOf(office, ids[0]!, "email")).scheduledFor ?? undefined);
    expect(new Date(scheduled).toLocaleTimeString("en-GB", { timeZone: "America/New_York" })).toBe("08:00:00");
    await office.call("markNotificationRead", { params: { id: ids[1]! } });
    await makeDue(db);
    await Promise.all([1, 2, 3].map(() => deliver(db)));
    expect(await waitForStatus(office, ids[0]!, "email", "sent")).toMatchObject({ deliveryMode: "daily_digest" });
    expect(await deliveryOf(office, ids[1]!, "email")).toMatchObject({ status: "skipped", skipReason: "read" });
    const [mail, ...others] = await mailsTo(office);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: "2 unread notifications of Elm Street Management" });
    expect(mail!.text).toMatch(/First[^]*Third/);
    expect(mail!.text).not.toContain("Second");
  });

  test("is sent once a day: later notifications wait for the next one", async () => {
    const office = await anOffice();
    const db = dbOf(office);
    await prefer(office, preference(["in_app", "email"], "daily_digest"));
    const first = await notify(office, office, "First");
    await deliver(db);
    await makeDue(db);
    await deliver(db);
    await waitForStatus(office, first, "email", "sent");
    const second = await notify(office, office, "Second");
    await deliver(db);
    await makeDue(db);
    await deliver(db);
    const waiting = await eventually("postponed digest", async () => {
      const delivery = await deliveryOf(office, second, "email");
      return delivery.scheduledFor && new Date(delivery.scheduledFor).getTime() > Date.now() && delivery;
    });
    expect(waiting).toMatchObject({ status: "waiting" });
    expect(await mailsTo(office)).toHaveLength(1);
  });

  test("is not sent when everything was read, and takes over what was to be sent at once", async () => {
    const office = await anOffice();
    const db = dbOf(office);
    await office.call("updateNotificationPreferences", { body: { preferences: [preference(["in_app", "email"])], quietHours: quietNow() } });
    const id = await notify(office, office, "Payment received");
    await office.call("updateNotificationPreferences", { body: { preferences: [preference(["in_app", "email"], "daily_digest")], quietHours: null } });
    await eventually("delivery of the digest", async () => (await deliveryOf(office, id, "email")).deliveryMode === "daily_digest");
    await office.call("markAllNotificationsRead");
    await deliver(db);
    await makeDue(db);
    await deliver(db);
    expect(await waitForStatus(office, id, "email", "skipped")).toMatchObject({ skipReason: "read" });
    expect(await mailsTo(office)).toEqual([]);
  });
});
