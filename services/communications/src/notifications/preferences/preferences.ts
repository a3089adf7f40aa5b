/** Preferences of the caller: channels by type of notification, and quiet hours. */
import type { notificationPreferences } from "@freehold/contract/communications/notification-preferences";
import { notificationTypeOf, notificationTypesOf } from "@freehold/contract/communications/notification-types";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { roles, type Role } from "@freehold/contract/roles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { forbidden, invalid } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { DELIVER_NOTIFICATIONS } from "../deliveries/delivery-context.ts";
import { NotificationSettings } from "./notification-settings.entity.ts";
import { completePreferences, findPreferenceErrors, findQuietHoursErrors } from "./preference.rules.ts";
import { loadSettings, type SettingsRow } from "./settings.queries.ts";

type Operations = typeof notificationPreferences.operations;
type Response = Output<Operations["getNotificationPreferences"]>;

/** Returns the id and role of the caller. Throws 403 for a caller that gets no notifications. */
function requireUser({ principal }: OrgDb): { userId: string; role: Role } {
  const role = roles.find((known) => known === principal.role);
  if (principal.userId === null || !role) throw forbidden("Only users have notification preferences.");
  return { userId: principal.userId, role };
}

function settingsView(settings: SettingsRow | undefined, role: Role): Response {
  const types = notificationTypesOf(role).map((type) => {
    const { title, description, priority, channels, canBeTurnedOff } = notificationTypeOf(type);
    return { type, title, description, priority, defaultChannels: [...channels], canBeTurnedOff };
  });
  const { quietStart: start = null, quietEnd: end = null, timeZone = null } = settings ?? {};
  return { preferences: completePreferences(settings?.preferences, role), quietHours: start === null || end === null ? null : { start, end, timeZone }, types };
}

/** Returns the preferences of the caller, with the defaults of types that have none. */
export async function getNotificationPreferences(db: OrgDb): Promise<Response> {
  const { userId, role } = requireUser(db);
  return settingsView((await loadSettings(db, [userId])).get(userId), role);
}

/**
 * Replaces the preferences of the caller, and the quiet hours if they are sent. Deliveries that wait are judged again at once, since they may
 * no longer have to wait. Throws 400 that names each wrong member.
 */
export async function updateNotificationPreferences(
  db: OrgDb,
  { preferences, quietHours }: BodyOf<Operations["updateNotificationPreferences"]>,
): Promise<Response> {
  const { userId, role } = requireUser(db);
  const errors = [...findPreferenceErrors(preferences, role), ...(quietHours ? findQuietHoursErrors(quietHours) : [])];
  if (errors.length > 0) throw invalid(errors);
  return transaction(db, async (tx) => {
    await tx.all(sql`insert into notification_settings (organization_id, id, created_at, updated_at, preferences) values (${tx.organizationId}, ${userId}, now(), now(), '[]')
      on conflict do nothing`);
    const settings = await tx.getForUpdate(NotificationSettings, userId, "Preferences");
    const quiet = { quietStart: quietHours?.start ?? null, quietEnd: quietHours?.end ?? null, timeZone: quietHours?.timeZone ?? null };
    tx.assign(settings, { preferences, ...(quietHours !== undefined && quiet) });
    await tx.flush();
    // Portal users do not write deliveries, whose schedule follows from their preferences.
    await inOfficeReach(tx, async () => {
      const waiting =
        await tx.all(sql`update notification_delivery set due_at = case when delivery_mode = 'immediate' then now() end, updated_at = now(), version = version + 1
        where organization_id = ${tx.organizationId} and user_id = ${userId} and status = 'waiting' returning id`);
      if (waiting.length > 0) await scheduleNow(tx, DELIVER_NOTIFICATIONS);
    });
    return settingsView(settings, role);
  });
}
