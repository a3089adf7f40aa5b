/** Table of the preferences and quiet hours of users. */
import type { NotificationPreference } from "@freehold/contract/communications/notification-preferences";
import { defineEntity, inPortalReach, orgColumns, p } from "@freehold/kit/db/entity";

const NotificationSettingsSchema = defineEntity({
  name: "NotificationSettings",
  tableName: "notification_settings",
  ...inPortalReach,
  properties: {
    ...orgColumns,
    preferences: p.json().$type<NotificationPreference[]>(),
    quietStart: p.text().nullable(),
    quietEnd: p.text().nullable(),
    timeZone: p.text().nullable(),
  },
});

/**
 * Preferences of a user, whose id is that of the row: the types with other channels or another mode than the defaults, and the quiet hours. The
 * time zone is null for that of the organization.
 */
export class NotificationSettings extends NotificationSettingsSchema.class {}
NotificationSettingsSchema.setClass(NotificationSettings);
