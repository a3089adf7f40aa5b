import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { allRoles } from "../roles.ts";
import { csvEnum, QueryBoolean, Id, Instant, listQuery, page, Person, PlainDate, textList } from "../values.ts";
import { deliveryModes, notificationChannels, notificationPriorities } from "./notification-types.ts";

const Channel = z.enum(notificationChannels);
const Priority = z.enum(notificationPriorities);
export const notificationDeliveryStatuses = ["waiting", "queued", "sent", "delivered", "failed", "skipped"] as const;

export const Notification = z
  .strictObject({
    id: Id.describe("ID of the notification."),
    type: z.string().min(1).describe("Type of the event that caused the notification, such as `payment.received`."),
    title: z.string().min(1).describe("Title of the notification."),
    body: z.string().nullable().describe("Text of the notification, without amounts or names; null for none."),
    channel: Channel.describe("Channel the notification was created for: `in_app`, `email`, `sms` or `push` (mobile push notification)."),
    channels: z
      .array(Channel)
      .optional()
      .describe("Channels over which the notification is delivered, by the preferences of the user. Notifications without `in_app` are not listed."),
    priority: Priority.describe("Priority of the notification."),
    entityType: z.string().nullable().describe("Type of the resource that the notification refers to, such as `payment`, or null."),
    entityId: Id.nullable().describe("ID of the resource that the notification refers to, or null. Null for a notification of several events."),
    actorUserId: Id.nullable().describe(
      "ID of the user or service key that caused the event. Null for an event caused by the system, and for events of several users.",
    ),
    actorUser: Person.nullable().describe("User who caused the event, with the name at that time. Null for a service key or the system."),
    count: z
      .int()
      .min(1)
      .describe(
        "Number of events that the notification is about. The office gets one notification of several events of a type in a window (by default 15 minutes); while it is unread, it counts further events of the window.",
      ),
    readAt: Instant.nullable().describe("Time at which the notification was first marked as read. Null while it is unread."),
    createdAt: Instant.describe("Time at which the notification was created."),
  })
  .meta({ id: "UserNotification", description: "Notification that informs one user of an event." });
export type Notification = z.output<typeof Notification>;

const NotificationDelivery = z
  .strictObject({
    id: Id.describe("ID of the delivery."),
    channel: Channel.describe("Channel of the delivery."),
    deliveryMode: z
      .enum(deliveryModes)
      .nullable()
      .describe("Mode of the delivery: `immediate`, or `daily_digest` for a daily summary. Null when it is not recorded."),
    status: z
      .enum(notificationDeliveryStatuses)
      .describe(
        "Status of the delivery: `waiting` for its time, such as the end of the quiet hours or the daily digest; `queued` while its message is attempted; `sent` once the provider has accepted it; `delivered` once it has arrived; `failed` after the last attempt; `skipped` when it is not sent.",
      ),
    skipReason: z
      .string()
      .nullable()
      .describe(
        "Reason why the delivery was skipped: `turned_off` in the preferences meanwhile, `read` before it was due, `no_email`, `no_phone`, `no_consent`, `opted_out`, `suppressed`, `deleted` or `not_configured`. Null unless skipped.",
      ),
    scheduledFor: Instant.nullable().describe("Time at which a waiting delivery is due. Null when it has been handed over, or before the digest is scheduled."),
    createdAt: Instant.describe("Time at which the delivery was created."),
    sentAt: Instant.nullable().describe("Time at which the notification was sent. Null until then."),
    deliveredAt: Instant.nullable().describe("Time at which the notification was delivered. Null until then."),
  })
  .meta({ id: "NotificationDelivery", description: "Delivery of a notification over one channel." });

/** Query of the notifications of the caller. */
export const notificationQuery = listQuery(["createdAt"], {
  unreadOnly: QueryBoolean.optional().describe("Return only unread notifications. Default: `false`."),
  type: textList(z.string().min(1).max(80))
    .optional()
    .describe("Return only notifications of these types, such as `payment.received`, repeated or comma-separated."),
  priority: csvEnum(notificationPriorities).optional().describe("Return only notifications with these priorities, repeated or comma-separated."),
  createdAfter: PlainDate.optional().describe("Return only notifications created on or after this date, in the organization's time zone."),
  createdBefore: PlainDate.optional().describe("Return only notifications created on or before this date, in the organization's time zone."),
});

/** Response of a list of the notifications of the caller. */
export const notificationPage = {
  ...page("notifications", Notification),
  unreadCount: z.int().min(0).describe("Number of all unread notifications of the user, regardless of the filters."),
};

export const notifications = operationGroup("Notifications", "communications", {
  listNotifications: {
    method: "GET",
    path: "/api/notifications",
    summary: "list their notifications",
    access: allRoles,
    query: notificationQuery,
    response: notificationPage,
  },
  markAllNotificationsRead: {
    method: "POST",
    path: "/api/notifications/read-all",
    summary: "mark all of their notifications as read",
    access: allRoles,
    description: "Notifications that are created meanwhile stay unread.",
    response: { updated: z.int().min(0).describe("Number of notifications that were unread.") },
  },
  getNotification: {
    method: "GET",
    path: "/api/notifications/{id}",
    summary: "read a notification",
    access: allRoles,
    response: {
      notification: Notification,
      deliveries: z.array(NotificationDelivery).describe("Deliveries of the notification, oldest first."),
    },
  },
  markNotificationRead: {
    method: "POST",
    path: "/api/notifications/{id}/read",
    summary: "mark a notification as read",
    access: allRoles,
    description: "Has no effect on a notification that is already read.",
    response: { notification: Notification },
  },
});
