/** Routes of notifications and of the preferences of users. */
import { notificationPreferences } from "@freehold/contract/communications/notification-preferences";
import { notifications } from "@freehold/contract/communications/notifications";
import { tenantNotifications } from "@freehold/contract/portals/portal-notifications";
import { routes } from "@freehold/kit/http/routes";
import { getNotification, listNotifications, markAllNotificationsRead, markNotificationRead } from "./notifications.ts";
import { getNotificationPreferences, updateNotificationPreferences } from "./preferences/preferences.ts";

export const notificationRoutes = [
  routes(notificationPreferences, {
    getNotificationPreferences: ({ db }) => getNotificationPreferences(db),
    updateNotificationPreferences: ({ db, body }) => updateNotificationPreferences(db, body),
  }),
  routes(tenantNotifications, { listTenantPortalNotifications: ({ db, query }) => listNotifications(db, query) }),
  routes(notifications, {
    listNotifications: ({ db, query }) => listNotifications(db, query),
    markAllNotificationsRead: ({ db }) => markAllNotificationsRead(db),
    getNotification: ({ db, params }) => getNotification(db, params.id),
    markNotificationRead: async ({ db, params }) => ({ notification: await markNotificationRead(db, params.id) }),
  }),
];
