/** SQL statements on the settings of users. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { NotificationSettings } from "./notification-settings.entity.ts";
import { quietUntil } from "./quiet-hours.rules.ts";

/** Settings of a user as stored. */
export type SettingsRow = Pick<NotificationSettings, "id" | "preferences" | "quietStart" | "quietEnd" | "timeZone">;

/** Returns the settings of users by id, without users who have none. */
export async function loadSettings(db: StatementRunner, userIds: readonly string[]): Promise<Map<string, SettingsRow>> {
  const rows = await db.all(sql<SettingsRow>`select id, preferences, quiet_start, quiet_end, time_zone from notification_settings
    where organization_id = ${db.organizationId} and id = any(${[...new Set(userIds)]}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the end of a user's quiet hours that contain an instant, or null. Without a time zone of the user, that of the organization counts. */
export const quietEndOf = (settings: SettingsRow | undefined, timezone: string, instant: Date): Date | null =>
  settings?.quietStart && settings.quietEnd
    ? quietUntil({ start: settings.quietStart, end: settings.quietEnd, timeZone: settings.timeZone ?? timezone }, instant)
    : null;
