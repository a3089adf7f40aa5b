/** Tables of notifications and their deliveries. */
import { deliveryModes, notificationChannels, notificationPriorities } from "@freehold/contract/communications/notification-types";
import { defineEntity, enumText, inOrganization, inPortalReach, orgColumns, p, plainDate, textArray } from "@freehold/kit/db/entity";

const NotificationSchema = defineEntity({
  name: "Notification",
  tableName: "notification",
  ...inPortalReach,
  indexes: [
    { name: "notification_by_user", properties: ["organizationId", "userId", "createdAt", "id"] },
    { name: "notification_by_age", properties: ["organizationId", "createdAt"] },
    { name: "notification_unread", properties: ["organizationId", "userId", "readAt"] },
  ],
  uniques: [
    {
      name: "notification_once_in_window",
      expression:
        "create unique index notification_once_in_window on notification (organization_id, window_id, user_id, counted_from) where window_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    type: p.text(),
    title: p.text(),
    body: p.text().nullable(),
    channel: enumText(notificationChannels),
    channels: textArray(),
    priority: enumText(notificationPriorities),
    entityType: p.text().nullable(),
    entityId: p.uuid().nullable(),
    actorUserId: p.uuid().nullable(),
    actorName: p.text().nullable(),
    readAt: p.datetime(3).nullable(),
    eventCount: p.integer().default(1),
    windowId: p.uuid().nullable(),
    countedFrom: p.integer().default(0),
  },
});

/**
 * Notification of one user, listed in the application if its channels include `in_app`. No other user can read it, whatever their role.
 * One of a window counts events, starting after those that earlier notifications of the user in the window count.
 */
export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);

const statuses = ["waiting", "queued", "delivered", "skipped"] as const;

const NotificationDeliverySchema = defineEntity({
  name: "NotificationDelivery",
  tableName: "notification_delivery",
  ...inPortalReach,
  indexes: [
    { name: "notification_delivery_by_notification", properties: ["organizationId", "notificationId"] },
    {
      name: "notification_delivery_waiting",
      expression: "create index notification_delivery_waiting on notification_delivery (organization_id, delivery_mode, due_at, id) where status = 'waiting'",
    },
    {
      name: "notification_delivery_waiting_of_user",
      expression: "create index notification_delivery_waiting_of_user on notification_delivery (organization_id, user_id) where status = 'waiting'",
    },
  ],
  properties: {
    ...orgColumns,
    notificationId: p.uuid(),
    userId: p.uuid(),
    channel: enumText(notificationChannels),
    deliveryMode: enumText(deliveryModes).nullable(),
    status: enumText(statuses),
    skipReason: p.text().nullable(),
    dueAt: p.datetime(3).nullable(),
    messageId: p.uuid().nullable(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
  },
});

/**
 * Delivery of a notification through one channel. A `queued` one has a message, whose status is that of the delivery; a digest is the message of
 * several. A waiting one without `dueAt` belongs to a digest that is not scheduled yet.
 */
export class NotificationDelivery extends NotificationDeliverySchema.class {}
NotificationDeliverySchema.setClass(NotificationDelivery);

const NotificationDigestSchema = defineEntity({
  name: "NotificationDigest",
  tableName: "notification_digest",
  ...inOrganization,
  uniques: [{ name: "notification_digest_once_a_day", properties: ["organizationId", "userId", "day"] }],
  properties: { ...orgColumns, userId: p.uuid(), day: plainDate(), messageId: p.uuid() },
});

/** Daily digest of a user, of which there is one for each local day. */
export class NotificationDigest extends NotificationDigestSchema.class {}
NotificationDigestSchema.setClass(NotificationDigest);
