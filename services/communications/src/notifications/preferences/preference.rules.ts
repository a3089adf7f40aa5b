/** Preferences of users: their validation, and the channels of a notification that follow from them. */
import type { NotificationPreference } from "@freehold/contract/communications/notification-preferences";
import {
  notificationTypeNames,
  notificationTypeOf,
  notificationTypesOf,
  type DeliveryMode,
  type NotificationChannel,
} from "@freehold/contract/communications/notification-types";
import type { FieldError } from "@freehold/contract/errors";
import type { Role } from "@freehold/contract/roles";
import { isTimezone } from "@freehold/kit/time/clock";

/** Channels and mode that a user has chosen for a type, or its defaults. */
export interface EffectivePreference {
  channels: readonly NotificationChannel[];
  deliveryMode: DeliveryMode;
}

/** Returns the preference for a type. A type outside of the catalogue is shown in the application. */
export function preferenceFor(preferences: readonly NotificationPreference[] | undefined, type: string): EffectivePreference {
  const chosen = preferences?.find((preference) => preference.type === type);
  if (chosen) return chosen;
  const known = notificationTypeNames.find((name) => name === type);
  return { channels: known ? notificationTypeOf(known).channels : ["in_app"], deliveryMode: "immediate" };
}

/** Returns the preference of every type that a role gets. */
export const completePreferences = (preferences: readonly NotificationPreference[] | undefined, role: Role): NotificationPreference[] =>
  notificationTypesOf(role).map((type) => {
    const { channels, deliveryMode } = preferenceFor(preferences, type);
    return { type, channels: [...channels], deliveryMode };
  });

/** Returns the errors of requested preferences, each with the path of its member. */
export function findPreferenceErrors(preferences: readonly NotificationPreference[], role: Role): FieldError[] {
  const known = notificationTypesOf(role);
  return preferences.flatMap(({ type, channels, deliveryMode }, index): FieldError[] => {
    const path = `preferences.${index}`;
    const isRepeated = preferences.findIndex((other) => other.type === type) < index;
    if (isRepeated) return [{ path: `${path}.type`, code: "unique", message: `The type ${type} is listed twice. Send each type once.` }];
    if (!known.includes(type))
      return [{ path: `${path}.type`, code: "not_allowed", message: `Notifications of the type ${type} are not sent to your role. Leave the type out.` }];
    const channelErrors = channels.flatMap((channel, place): FieldError[] => {
      const channelPath = `${path}.channels.${place}`;
      if (channels.indexOf(channel) < place)
        return [{ path: channelPath, code: "unique", message: `The channel ${channel} is listed twice. Send each channel once.` }];
      if (channel === "push")
        return [{ path: channelPath, code: "not_allowed", message: "Push notifications have no provider. Use in_app, email or sms instead of push." }];
      return [];
    });
    const isHidden = !notificationTypeOf(type).canBeTurnedOff && !channels.includes("in_app");
    return [
      ...channelErrors,
      ...(isHidden
        ? [{ path: `${path}.channels`, code: "required" as const, message: `Notifications of the type ${type} cannot be turned off. Add the channel in_app.` }]
        : []),
      ...(deliveryMode === "daily_digest" && channels.includes("sms")
        ? [
            {
              path: `${path}.deliveryMode`,
              code: "not_allowed" as const,
              message: "Text messages have no daily digest. Use immediate, or leave the channel sms out.",
            },
          ]
        : []),
    ];
  });
}

/** Returns the errors of requested quiet hours. */
export function findQuietHoursErrors({ start, end, timeZone }: { start: string; end: string; timeZone: string | null }): FieldError[] {
  return [
    ...(start === end
      ? [
          {
            path: "quietHours.end",
            code: "not_allowed" as const,
            message: "The quiet hours must not end when they start. Send another end, or null for no quiet hours.",
          },
        ]
      : []),
    ...(timeZone !== null && !isTimezone(timeZone)
      ? [
          {
            path: "quietHours.timeZone",
            code: "format" as const,
            message: "This is no IANA time zone. Send one such as America/New_York, or null for that of the organization.",
          },
        ]
      : []),
  ];
}
