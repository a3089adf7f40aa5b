/** Job that notifies the office of counted events: each user of one notification a type and window. */
import { notificationTypeNames, notificationTypeOf } from "@freehold/contract/communications/notification-types";
import { officeRoles } from "@freehold/contract/roles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { nextRunIn, secondsTo } from "@freehold/kit/jobs/run-delay";
import type { Clients } from "../../clients.ts";
import { eventsFor } from "./collection.rules.ts";
import { insertNotifications, type NewNotification } from "../insert-notifications.ts";
import { collectedContent } from "../notification-content.rules.ts";
import { Notification } from "../notification.entity.ts";
import type { NotificationWindow } from "./notification-window.entity.ts";
import { preferenceFor } from "../preferences/preference.rules.ts";
import { loadSettings } from "../preferences/settings.queries.ts";

/** Minimum time between two runs for a window, in which further events are counted only. */
const INTERVAL_SECONDS = 2;
/** Users who are notified in one transaction. */
const LOT = 200;
/** Time after which windows that are over are deleted. Events request a run at once. */
const IDLE_MS = 86_400_000;

type Window = Pick<NotificationWindow, "id" | "type" | "entityType" | "total" | "actors" | "closesAt">;

/** Notifies the users of what the windows have counted and returns the time of the next run. A run that dies is repeated: counts are set, not added. */
export async function fanOutNotifications(db: OrgDb, clients: Clients): Promise<Date> {
  const nextRunAt = sql`coalesce(fanned_out_at + make_interval(secs => ${INTERVAL_SECONDS}), '-infinity')`;
  const windows = await db.all(sql<
    Omit<Window, "closesAt"> & { closesAt: string }
  >`select id, type, entity_type, total, actors, closes_at from notification_window
    where organization_id = ${db.organizationId} and is_pending and ${nextRunAt} <= now() order by closes_at, id`);
  for (const window of windows) await fanOut(db, clients, { ...window, closesAt: new Date(window.closesAt) });
  await db.all(sql`delete from notification_window where organization_id = ${db.organizationId} and not is_pending and closes_at < now() - interval '1 day'`);
  const next = await db.first(sql<{
    seconds: number | null;
  }>`select ${secondsTo(sql`min(fanned_out_at + make_interval(secs => ${INTERVAL_SECONDS}))`)} as seconds
    from notification_window where organization_id = ${db.organizationId} and is_pending`);
  return nextRunIn(next?.seconds, IDLE_MS);
}

/** Notifies the users of the type's roles in lots, and marks as seen what the window had counted. */
async function fanOut(db: OrgDb, { identity }: Clients, window: Window): Promise<void> {
  const type = notificationTypeNames.find((name) => name === window.type);
  const roles = type ? officeRoles.filter((role) => notificationTypeOf(type).roles.includes(role)) : [];
  const actorIds = Object.keys(window.actors).filter((actor) => actor !== "system");
  const [{ users }, actors] = await Promise.all([
    identity.listRecipients(db, { roles, subjectIds: [], userIds: [] }),
    identity.getUsers(db, { ids: actorIds }),
  ]);
  const actorNames = new Map(actors.users.map(({ id, fullName }) => [id, fullName]));
  for (let start = 0; start < users.length; start += LOT) {
    const userIds = users.slice(start, start + LOT).map(({ id }) => id);
    await transaction(db, (tx) => notifyLot(tx, window, userIds, actorNames));
  }
  await db.all(sql`update notification_window set is_pending = total <> ${window.total}, fanned_out_at = now(), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${window.id}`);
}

/** Notifies users of the events of a window, or lets their unread notification count them. */
async function notifyLot(tx: OrgTx, window: Window, userIds: readonly string[], actorNames: ReadonlyMap<string, string>): Promise<void> {
  const { id: windowId, type, entityType, closesAt } = window;
  // A replica that lost its lease may still run.
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`notification window ${windowId}`}, 0))`);
  const settings = await loadSettings(tx, userIds);
  const ids = await tx.all(sql<{
    id: string;
  }>`select distinct on (user_id) id from notification where organization_id = ${tx.organizationId} and window_id = ${windowId}
    and user_id = any(${[...userIds]}::uuid[]) order by user_id, counted_from desc`);
  const latestOf = new Map(
    (
      await tx.findAllForUpdate(
        Notification,
        ids.map(({ id }) => id),
      )
    ).map((notification) => [notification.userId, notification]),
  );
  const added: NewNotification[] = [];
  for (const userId of userIds) {
    const latest = latestOf.get(userId);
    const events = eventsFor(userId, window, latest && { countedFrom: latest.countedFrom, eventCount: latest.eventCount, isRead: Boolean(latest.readAt) });
    if (!events) continue;
    const { continuesLatest, eventCount, countedFrom, entityId, actorUserId } = events;
    const actorName = actorUserId === null ? null : (actorNames.get(actorUserId) ?? null);
    const content = { ...collectedContent(type, eventCount), eventCount, entityId, actorUserId, actorName };
    const preference = preferenceFor(settings.get(userId)?.preferences, type);
    if (continuesLatest) tx.assign(latest!, content);
    else if (preference.channels.length > 0)
      added.push({ ...content, ...preference, userId, type, entityType, window: { id: windowId, countedFrom, closesAt } });
  }
  await insertNotifications(tx, added);
}
