/** Insertion of notifications with their deliveries. */
import type { DeliveryMode, NotificationChannel, NotificationPriority } from "@freehold/contract/communications/notification-types";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleAt, scheduleNow } from "@freehold/kit/jobs/scheduler";
import { now } from "@freehold/kit/time/clock";
import { DELETE_NOTIFICATIONS, DELIVER_NOTIFICATIONS } from "./deliveries/delivery-context.ts";
import { Notification, NotificationDelivery } from "./notification.entity.ts";

const publish = eventPublisher("communications");
const DAY_MS = 86_400_000;

/** Notification of one user with the channels that the user has chosen, at least one. */
export interface NewNotification {
  userId: string;
  type: string;
  title: string;
  body: string;
  priority: NotificationPriority;
  entityType: string | null;
  entityId: string | null;
  actorUserId: string | null;
  actorName: string | null;
  channels: readonly NotificationChannel[];
  deliveryMode: DeliveryMode;
  eventCount?: number;
  /** Window in which the notification counts events. Its messages are sent when the window closes. */
  window?: { id: string; countedFrom: number; closesAt: Date };
}

/**
 * Inserts notifications. Those in the application are delivered at once and published to their recipients only; a job sends the e-mails and text
 * messages.
 */
export async function insertNotifications(tx: OrgTx, notifications: readonly NewNotification[]): Promise<void> {
  const inserted = notifications.map(({ deliveryMode, channels, window, eventCount = 1, ...content }) => {
    const channel = channels.includes("in_app") ? "in_app" : channels[0]!;
    const counted = { eventCount, windowId: window?.id ?? null, countedFrom: window?.countedFrom ?? 0 };
    const row = tx.create(Notification, { ...content, ...counted, channel, channels: [...channels], readAt: null });
    return { row, channels, deliveryMode, dueAt: window?.closesAt ?? now() };
  });
  await tx.flush();
  for (const { row, channels, deliveryMode, dueAt } of inserted)
    for (const channel of channels) insertDelivery(tx, row, channel, { mode: deliveryMode, dueAt });
  for (const { id, type, userId, channels } of inserted.map(({ row }) => row))
    if (channels.includes("in_app")) await publish(tx, "notification.created", { entityId: id, data: { type }, audience: { roles: [], userIds: [userId] } });
  // Unless it is scheduled already.
  if (inserted.length > 0) await scheduleAt(tx, DELETE_NOTIFICATIONS, new Date(now().getTime() + DAY_MS));
  if (inserted.some(({ row }) => row.channels.some((channel) => channel !== "in_app"))) await scheduleNow(tx, DELIVER_NOTIFICATIONS);
}

/** Inserts a delivery: delivered in the application, otherwise waiting for the job. One of a digest is not due before it is scheduled. */
function insertDelivery(
  tx: OrgTx,
  { id: notificationId, userId }: Notification,
  channel: NotificationChannel,
  { mode, dueAt }: { mode: DeliveryMode; dueAt: Date },
): void {
  const common = { notificationId, userId, channel, skipReason: null, messageId: null };
  if (channel === "in_app")
    tx.create(NotificationDelivery, { ...common, status: "delivered", deliveryMode: "immediate", dueAt: null, sentAt: now(), deliveredAt: now() });
  else {
    const deliveryMode = channel === "email" ? mode : "immediate";
    tx.create(NotificationDelivery, {
      ...common,
      status: "waiting",
      deliveryMode,
      dueAt: deliveryMode === "immediate" ? dueAt : null,
      sentAt: null,
      deliveredAt: null,
    });
  }
}
