/** Routes of notifications. */
import { notifications } from "@freehold/contract/communications/notifications";
import { routes } from "@freehold/kit/http/routes";
import { getNotification, listNotifications, markNotificationRead } from "./notifications.ts";

export const notificationRoutes = routes(notifications, {
  listNotifications: ({ db, query }) => listNotifications(db, query),
  getNotification: ({ db, params }) => getNotification(db, params.id),
  markNotificationRead: async ({ db, params }) => ({ notification: await markNotificationRead(db, params.id) }),
});
