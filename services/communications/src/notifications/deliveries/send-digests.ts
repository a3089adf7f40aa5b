/** Daily digests: one e-mail for a user and local day, with the notifications that are still unread. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { queueMessages } from "../../messages/queue-messages.ts";
import { contactRefusal, type Reachable } from "../../recipients/eligibility.rules.ts";
import { findBlockedAddresses, type BlockedAddresses } from "../../recipients/opt-outs.ts";
import { loadUserContacts } from "../../recipients/user-contacts.ts";
import { renderNotificationDigest } from "../../templates/notification.ts";
import type { DeliveryDependencies, SendingOrganization } from "./delivery-context.ts";
import { NotificationDelivery, type Notification } from "../notification.entity.ts";
import { preferenceFor } from "../preferences/preference.rules.ts";
import { nextDigestAt } from "../preferences/quiet-hours.rules.ts";
import { loadSettings, quietEndOf } from "../preferences/settings.queries.ts";

/** Users whose digests are scheduled or sent after one look-up of their addresses. */
const LOT = 100;
/** Notifications of a digest; further ones are in that of the next day. */
const MAX_NOTIFICATIONS = 1_000;

const isWaiting = (db: { organizationId: string }) => sql`organization_id = ${db.organizationId} and status = 'waiting' and delivery_mode = 'daily_digest'`;

/** Sets the time of deliveries of digests that have none: the next digest hour of their user. */
export async function scheduleDigests(db: OrgDb, timezone: string): Promise<void> {
  for (;;) {
    const users = await db.all(
      sql<{ userId: string }>`select distinct user_id from notification_delivery where ${isWaiting(db)} and due_at is null limit ${LOT}`,
    );
    if (users.length === 0) return;
    const settings = await loadSettings(
      db,
      users.map(({ userId }) => userId),
    );
    for (const { userId } of users) {
      const dueAt = nextDigestAt(now(), settings.get(userId)?.timeZone ?? timezone);
      await transaction(db, (tx) => postpone(tx, userId, sql`due_at is null`, dueAt));
    }
  }
}

const postpone = (tx: OrgTx, userId: string, condition: ReturnType<typeof sql>, dueAt: Date): Promise<unknown[]> =>
  tx.all(sql`update notification_delivery set due_at = ${dueAt}, updated_at = now(), version = version + 1
    where ${isWaiting(tx)} and user_id = ${userId} and ${condition}`);

/** Sends the digests that are due. */
export async function sendDigests(db: OrgDb, dependencies: DeliveryDependencies, organization: SendingOrganization): Promise<void> {
  for (;;) {
    const users = await db.all(
      sql<{ userId: string }>`select distinct user_id from notification_delivery where ${isWaiting(db)} and due_at <= now() limit ${LOT}`,
    );
    if (users.length === 0) return;
    const userIds = users.map(({ userId }) => userId);
    const contacts = await loadUserContacts(db, dependencies.clients, userIds);
    const blocked = await findBlockedAddresses(
      db,
      [...contacts.values()].flatMap(({ email }) => email ?? []),
    );
    for (const userId of userIds) await transaction(db, (tx) => sendDigest(tx, dependencies, organization, { userId, contact: contacts.get(userId), blocked }));
  }
}

interface DigestRecipient {
  userId: string;
  contact: Reachable | undefined;
  blocked: BlockedAddresses;
}

/**
 * Sends the digest of one user in the transaction that marks its deliveries, unless that of the day was sent. Notifications that were read, and
 * types whose e-mails were turned off, are skipped. During quiet hours the digest waits for their end.
 */
async function sendDigest(tx: OrgTx, { transports }: DeliveryDependencies, { name, timezone }: SendingOrganization, recipient: DigestRecipient): Promise<void> {
  const { userId, contact, blocked } = recipient;
  const due = await tx.all(sql<{
    id: string;
    now: string;
  }>`select id, now() from notification_delivery where ${isWaiting(tx)} and user_id = ${userId} and due_at <= now()
    order by id limit ${MAX_NOTIFICATIONS}`);
  if (due.length === 0) return;
  // The clock of the database decided what is due: by another one, the digest could be postponed to a time before now, again and again.
  const time = new Date(due[0]!.now);
  const locked = await tx.findAllForUpdate(
    NotificationDelivery,
    due.map(({ id }) => id),
  );
  const deliveries = locked.filter(({ status, dueAt }) => status === "waiting" && dueAt && dueAt <= time);
  if (deliveries.length === 0) return;
  const settings = (await loadSettings(tx, [userId])).get(userId);
  const quietEnd = quietEndOf(settings, timezone, time);
  if (quietEnd) return void (await postpone(tx, userId, sql`due_at <= now()`, quietEnd));
  const rows = await tx.all(sql<Pick<Notification, "id" | "type" | "title" | "body" | "readAt">>`select id, type, title, body, read_at from notification
    where organization_id = ${tx.organizationId} and id = any(${deliveries.map(({ notificationId }) => notificationId)}::uuid[]) order by created_at, id`);
  const refusal = contact ? contactRefusal("email", "notification-digest", contact, blocked) : "deleted";
  const skipReasonOf = ({ type, readAt }: (typeof rows)[number]) =>
    !preferenceFor(settings?.preferences, type).channels.includes("email") ? "turned_off" : readAt !== null ? "read" : refusal;
  const reasons = new Map(rows.map((row) => [row.id, skipReasonOf(row)]));
  for (const delivery of deliveries) {
    const skipReason = reasons.get(delivery.notificationId)!;
    if (skipReason) tx.assign(delivery, { status: "skipped", skipReason, dueAt: null });
  }
  const unread = rows.filter(({ id }) => reasons.get(id) === null);
  if (unread.length === 0) return;
  const timeZone = settings?.timeZone ?? timezone;
  const messageId = newId();
  const [digest] = await tx.all(sql`insert into notification_digest (organization_id, id, created_at, updated_at, user_id, day, message_id)
    values (${tx.organizationId}, ${newId()}, now(), now(), ${userId}, ${localDateOf(time, timeZone)}, ${messageId}) on conflict (organization_id, user_id, day) do nothing returning id`);
  if (!digest) return void (await postpone(tx, userId, sql`due_at <= now()`, nextDigestAt(time, timeZone)));
  for (const delivery of deliveries.filter(({ status }) => status === "waiting")) tx.assign(delivery, { status: "queued", messageId, dueAt: null });
  const notifications = unread.map(({ title, body = null }) => ({ title, body }));
  const content = renderNotificationDigest({ organizationName: name, notifications });
  await queueMessages(tx, transports, [
    { id: messageId, channel: "email", template: "notification-digest", recipient: { type: "user", id: userId }, to: contact!.email!, ...content },
  ]);
}
