/** Tables of notifications and their deliveries. */
import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";

const channels = ["in_app", "email", "sms", "push"] as const;
export const priorities = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

const NotificationSchema = defineEntity({
  name: "Notification",
  tableName: "notification",
  ...inPortalReach,
  indexes: [
    { name: "notification_by_user", properties: ["organizationId", "userId", "createdAt", "id"] },
    { name: "notification_unread", properties: ["organizationId", "userId", "readAt"] },
  ],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    type: p.text(),
    title: p.text(),
    body: p.text().nullable(),
    channel: enumText(channels),
    priority: enumText(priorities),
    entityType: p.text().nullable(),
    entityId: p.uuid().nullable(),
    actorUserId: p.uuid().nullable(),
    actorName: p.text().nullable(),
    readAt: p.datetime(3).nullable(),
  },
});

/** Notification of one user. No other user can read it, whatever their role. */
export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);

const NotificationDeliverySchema = defineEntity({
  name: "NotificationDelivery",
  tableName: "notification_delivery",
  ...inPortalReach,
  indexes: [{ name: "notification_delivery_by_notification", properties: ["organizationId", "notificationId"] }],
  properties: {
    ...orgColumns,
    notificationId: p.uuid(),
    channel: enumText(channels),
    deliveryMode: enumText(["immediate", "daily_digest"]).nullable(),
    sentAt: p.datetime(3).nullable(),
    deliveredAt: p.datetime(3).nullable(),
  },
});

/** Delivery of a notification through one channel. */
export class NotificationDelivery extends NotificationDeliverySchema.class {}
NotificationDeliverySchema.setClass(NotificationDelivery);
