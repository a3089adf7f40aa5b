import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { allRoles } from "../roles.ts";
import { deliveryModes, notificationChannels, notificationPriorities, notificationTypeNames } from "./notification-types.ts";

/** Local hour at which daily digests are sent. */
export const DIGEST_HOUR = 8;

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const Channel = z.enum(notificationChannels);
const Type = z.enum(notificationTypeNames);

const preferenceMembers = {
  type: Type.describe("Type of the notifications."),
  channels: z
    .array(Channel)
    .max(notificationChannels.length)
    .describe(
      "Channels of the notifications; none turns them off. Without `in_app` they are not listed in the application. `push` has no provider and is refused.",
    ),
  deliveryMode: z.enum(deliveryModes).describe("Mode of the e-mails: `immediate`, or `daily_digest` for one e-mail a day. Text messages are always immediate."),
};

const quietHoursMembers = {
  start: TimeOfDay.describe("Time of day at which the quiet hours begin, as `HH:MM`."),
  end: TimeOfDay.describe("Time of day at which the quiet hours end, as `HH:MM`; on the next day if it is earlier than `start`."),
};
const timeZone = z.string().min(1).max(64).nullable();
const TIME_ZONE_DESCRIPTION = "IANA time zone of the user, also of the daily digest. Null for the time zone of the organization.";

export const NotificationPreference = z
  .strictObject(preferenceMembers)
  .meta({ id: "NotificationPreference", description: "Channels and mode of one type of notifications." });
export type NotificationPreference = z.output<typeof NotificationPreference>;

export const QuietHours = z
  .strictObject({ ...quietHoursMembers, timeZone: timeZone.describe(TIME_ZONE_DESCRIPTION) })
  .meta({ id: "QuietHours", description: "Hours in which e-mails and text messages wait." });
export type QuietHours = z.output<typeof QuietHours>;

const NotificationTypeInfo = z
  .strictObject({
    type: Type.describe("Type of the notifications."),
    title: z.string().min(1).describe("Title of the type."),
    description: z.string().min(1).describe("Sentence on when and to whom the notifications are sent."),
    priority: z.enum(notificationPriorities).describe("Priority of the notifications."),
    defaultChannels: z.array(Channel).describe("Channels without a preference of the user."),
    canBeTurnedOff: z.boolean().describe("`false` if the channel `in_app` is required."),
  })
  .meta({ id: "NotificationType", description: "Type of notifications that the caller can get." });

const preferences = z.array(NotificationPreference).describe("Preference of each type that the caller's role gets, in the order of the catalogue.");
const quietHours = QuietHours.nullable().describe("Quiet hours of the caller, or null for none.");
const types = z.array(NotificationTypeInfo).describe("Catalogue of the types that the caller's role gets.");

const DELIVERY_RULES = `During the quiet hours, e-mails and text messages of notifications wait until their end, unless the priority is \`urgent\`; e-mails about the security of the account are no notifications and never wait. A daily digest is one e-mail at ${DIGEST_HOUR}:00 in the user's time zone, or at the end of the quiet hours if they include it, with the notifications that are still unread; without unread ones none is sent. A message that has waited is not sent if its notification was read meanwhile or its channel was turned off. E-mails and text messages obey consent, STOP and suppressed addresses.`;

export const notificationPreferences = operationGroup("Notifications", "communications", {
  getNotificationPreferences: {
    method: "GET",
    path: "/api/notifications/preferences",
    summary: "read their notification preferences",
    access: allRoles,
    description: DELIVERY_RULES,
    response: { preferences, quietHours, types },
  },
  updateNotificationPreferences: {
    method: "PUT",
    path: "/api/notifications/preferences",
    summary: "set their notification preferences",
    access: allRoles,
    description: `Replaces the preferences of the caller: types that are left out get their defaults again. ${DELIVERY_RULES}`,
    body: body({
      preferences: z.array(body(preferenceMembers)).max(notificationTypeNames.length).describe("Preferences by type, each type once."),
      quietHours: body({ ...quietHoursMembers, timeZone: timeZone.default(null).describe(`${TIME_ZONE_DESCRIPTION} Default: null.`) })
        .nullable()
        .optional()
        .describe("Quiet hours, or null for none. Unchanged when omitted."),
    }),
    response: { preferences, quietHours, types },
  },
});
