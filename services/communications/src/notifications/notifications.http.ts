import { notifications } from "@freehold/contract/notifications";
import { handlers } from "@freehold/kit/serve";
import { getNotification, listNotifications, markNotificationRead } from "./notifications.ts";

export const notificationsHttp = handlers(notifications, {
  listNotifications: ({ db, query }) => listNotifications(db, query),
  getNotification: ({ db, params }) => getNotification(db, params.id),
  markNotificationRead: async ({ db, params }) => ({ notification: await markNotificationRead(db, params.id) }),
});
