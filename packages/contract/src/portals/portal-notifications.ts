/** Notifications in the portal of tenants. */
import { notificationPage, notificationQuery } from "../communications/notifications.ts";
import { operationGroup } from "../operation.ts";

export const tenantNotifications = operationGroup("Portal", "communications", {
  listTenantPortalNotifications: {
    method: "GET",
    path: "/api/portal/notifications",
    summary: "list their own notifications in the portal",
    access: ["tenant"],
    description: "The same list as `GET /api/notifications`, where notifications are also read, marked as read and configured.",
    query: notificationQuery.omit({ includeDeleted: true }),
    response: notificationPage,
  },
});
