/** Job that delivers notifications by e-mail and text message: at once, after the quiet hours, or in a daily digest. */
import type { DeliveryMode } from "@freehold/contract/communications/notification-types";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn, secondsTo } from "@freehold/kit/jobs/run-delay";
import { queueMessages, type OutgoingMessage } from "../../messages/queue-messages.ts";
import { addressOf, contactRefusal, type Reachable } from "../../recipients/eligibility.rules.ts";
import { findBlockedAddresses, type BlockedAddresses } from "../../recipients/opt-outs.ts";
import { loadUserContacts } from "../../recipients/user-contacts.ts";
import { renderNotification } from "../../templates/notification.ts";
import type { DeliveryDependencies, SendingOrganization } from "./delivery-context.ts";
import { decideDelivery } from "./delivery.rules.ts";
import { scheduleDigests, sendDigests } from "./send-digests.ts";
import { NotificationDelivery, type Notification } from "../notification.entity.ts";
import { preferenceFor } from "../preferences/preference.rules.ts";
import { loadSettings, quietEndOf } from "../preferences/settings.queries.ts";

/** Deliveries in one transaction. */
const LOT = 100;
const IDLE_MS = 600_000;
/** Time after which a delivery is judged again whose closed window is not fanned out. */
const RECOUNT_SECONDS = 2;

/** Delivers what is due and returns the time of the next run. Each message is queued in the transaction that marks its deliveries, so a run that dies sends nothing twice. */
export async function deliverNotifications(db: OrgDb, dependencies: DeliveryDependencies): Promise<Date> {
  const waiting = (mode: DeliveryMode) => sql`organization_id = ${db.organizationId} and status = 'waiting' and delivery_mode = ${sql.lit(mode)}`;
  const due = await db.first(sql<{ isDue: boolean }>`select exists (select from notification_delivery where ${waiting("immediate")} and due_at <= now())
    or exists (select from notification_delivery where ${waiting("daily_digest")} and due_at <= now())
    or exists (select from notification_delivery where ${waiting("daily_digest")} and due_at is null) as is_due`);
  if (due?.isDue) {
    const organization = await dependencies.clients.identity.getOrganization(db, {});
    await scheduleDigests(db, organization.timezone);
    while (await deliverLot(db, dependencies, organization));
    await scheduleDigests(db, organization.timezone);
    await sendDigests(db, dependencies, organization);
  }
  const nextDueAt = (mode: DeliveryMode) => sql`(select min(due_at) from notification_delivery where ${waiting(mode)})`;
  const next = await db.first(
    sql<{
      seconds: number | null;
    }>`select ${secondsTo(sql`least(${nextDueAt("immediate")}, ${nextDueAt("daily_digest")})`)} as seconds`,
  );
  return nextRunIn(next?.seconds, IDLE_MS);
}

type Content = Pick<Notification, "id" | "type" | "title" | "body" | "priority" | "readAt"> & { countsUntil: string | null };

/** Delivers the immediate deliveries that are due first. Returns false when none is left. */
async function deliverLot(db: OrgDb, { clients, transports }: DeliveryDependencies, organization: SendingOrganization): Promise<boolean> {
  const due = await db.all(sql<{
    id: string;
    userId: string;
    dueAt: string;
    now: string;
  }>`select id, user_id, due_at, now() from notification_delivery where organization_id = ${db.organizationId}
    and status = 'waiting' and delivery_mode = 'immediate' and due_at <= now() order by due_at, id limit ${LOT}`);
  if (due.length === 0) return false;
  // The clock of the database decided what is due: by another one, a delivery could be postponed to a time before now, again and again.
  const time = new Date(due[0]!.now);
  const userIds = due.map(({ userId }) => userId);
  const contacts = await loadUserContacts(db, clients, userIds);
  const blocked = await findBlockedAddresses(
    db,
    [...contacts.values()].flatMap(({ email, phone }) => [email, phone].filter((address) => address !== null)),
  );
  await transaction(db, async (tx) => {
    const locked = await tx.findAllForUpdate(
      NotificationDelivery,
      due.map(({ id }) => id),
    );
    const dueAtOf = new Map(due.map(({ id, dueAt }) => [id, Date.parse(dueAt)]));
    const deliveries = locked.filter(
      ({ id, status, deliveryMode, dueAt }) => status === "waiting" && deliveryMode === "immediate" && dueAt?.getTime() === dueAtOf.get(id),
    );
    const settings = await loadSettings(tx, userIds);
    const notifications = await tx.all(sql<Content>`select n.id, n.type, n.title, n.body, n.priority, n.read_at,
        case when w.is_pending or w.closes_at > now() then greatest(w.closes_at, now() + make_interval(secs => ${RECOUNT_SECONDS})) end as counts_until
      from notification n left join notification_window w on w.organization_id = n.organization_id and w.id = n.window_id
      where n.organization_id = ${tx.organizationId} and n.id = any(${deliveries.map(({ notificationId }) => notificationId)}::uuid[])`);
    const contentOf = new Map(notifications.map((notification) => [notification.id, notification]));
    const messages: OutgoingMessage[] = [];
    for (const delivery of deliveries) {
      const notification = contentOf.get(delivery.notificationId)!;
      const ownSettings = settings.get(delivery.userId);
      const decision = decideDelivery({
        channel: delivery.channel,
        priority: notification.priority,
        isRead: notification.readAt !== null,
        preference: preferenceFor(ownSettings?.preferences, notification.type),
        quietUntil: quietEndOf(ownSettings, organization.timezone, time),
        countsUntil: notification.countsUntil === null ? null : new Date(notification.countsUntil),
      });
      if (decision.action === "skip") tx.assign(delivery, { status: "skipped", skipReason: decision.reason, dueAt: null });
      else if (decision.action === "wait") tx.assign(delivery, { dueAt: decision.until });
      else if (decision.action === "digest") tx.assign(delivery, { deliveryMode: "daily_digest", dueAt: null });
      else {
        const message = messageFor(delivery, notification, contacts.get(delivery.userId), blocked, organization.name);
        tx.assign(
          delivery,
          "refusal" in message ? { status: "skipped", skipReason: message.refusal, dueAt: null } : { status: "queued", messageId: message.id, dueAt: null },
        );
        if (!("refusal" in message)) messages.push(message);
      }
    }
    await queueMessages(tx, transports, messages);
  });
  return true;
}

/** Returns the message of a delivery, or the reason why the user may not be written to. */
function messageFor(
  { channel, userId }: NotificationDelivery,
  { title, body }: Content,
  contact: Reachable | undefined,
  blocked: BlockedAddresses,
  organizationName: string,
): OutgoingMessage | { refusal: string } {
  if (!contact || channel === "push") return { refusal: "deleted" };
  const refusal = contactRefusal(channel, "notification", contact, blocked);
  if (refusal) return { refusal };
  const content = renderNotification({ organizationName, title, body: body ?? null });
  const to = addressOf(contact, channel)!;
  const common = { id: newId(), channel, template: "notification", recipient: { type: "user" as const, id: userId }, to };
  return channel === "sms" ? { ...common, subject: null, text: content.smsText, html: null } : { ...common, ...content.email };
}
