import { z } from "zod";
import { area } from "./operation.ts";
import { everyone } from "./roles.ts";
import { Flag, Id, Instant, listQuery, page, Person, PlainDate } from "./values.ts";

const Channel = z.enum(["in_app", "email", "sms", "push"]);
const Priority = z.enum(["low", "normal", "high", "urgent"]);

export const Notification = z
  .strictObject({
    id: Id,
    type: z.string().min(1),
    title: z.string().min(1),
    body: z.string().nullable(),
    channel: Channel,
    channels: z.array(Channel).optional(),
    priority: Priority,
    entityType: z.string().nullable(),
    entityId: Id.nullable(),
    actorUserId: Id.nullable(),
    actorUser: Person.nullable(),
    readAt: Instant.nullable(),
    createdAt: Instant,
  })
  .meta({ id: "Notification", description: "Something a user should know, told to that user alone." });
export type Notification = z.output<typeof Notification>;

const NotificationDelivery = z
  .strictObject({
    id: Id,
    channel: Channel,
    deliveryMode: z.enum(["immediate", "daily_digest"]).nullable(),
    createdAt: Instant,
    sentAt: Instant.nullable(),
    deliveredAt: Instant.nullable(),
  })
  .meta({ id: "NotificationDelivery" });

export const notifications = area("Notifications", "communications", {
  listNotifications: {
    method: "GET",
    path: "/api/notifications",
    summary: "list their notifications",
    access: everyone,
    query: listQuery(
      ["createdAt"],
      {
        unreadOnly: Flag.optional(),
        type: z.string().min(1).max(80).optional(),
        priority: Priority.optional(),
        createdAfter: PlainDate.optional(),
        createdBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: { ...page("notifications", Notification), unreadCount: z.int().min(0) },
  },
  getNotification: {
    method: "GET",
    path: "/api/notifications/{id}",
    summary: "read a notification",
    access: everyone,
    returns: { notification: Notification, deliveries: z.array(NotificationDelivery) },
  },
  markNotificationRead: {
    method: "POST",
    path: "/api/notifications/{id}/read",
    summary: "mark a notification read",
    access: everyone,
    description: "Marking a read one again changes nothing.",
    returns: { notification: Notification },
  },
});
