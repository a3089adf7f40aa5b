/** Routes of notifications. */
import { notifications } from "@freehold/contract/communications/notifications";
import { routes } from "@freehold/kit/http/routes";
import { getNotification, listNotifications, markAllNotificationsRead, markNotificationRead } from "./notifications.ts";

export const notificationRoutes = routes(notifications, {
  listNotifications: ({ db, query }) => listNotifications(db, query),
  markAllNotificationsRead: ({ db }) => markAllNotificationsRead(db),
  getNotification: ({ db, params }) => getNotification(db, params.id),
  markNotificationRead: async ({ db, params }) => ({ notification: await markNotificationRead(db, params.id) }),
});
