/** Counting of events for notifications of the office, which are not created one by one. */
import type { Envelope } from "@freehold/contract/events";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";

/** Name of the job that notifies users of counted events. */
export const FAN_OUT_NOTIFICATIONS = "fan_out_notifications";
/** Actor of events without a user. */
export const SYSTEM_ACTOR = "system";

/**
 * Counts an event in the open window of its type, which the first event opens for the given minutes. One row a type is written, however many users
 * are notified; the job is requested only if the window has no other event that it has not seen.
 */
export async function collectEvent(tx: OrgTx, event: Pick<Envelope, "type" | "entityType" | "entityId" | "actorUserId">, windowMinutes: number): Promise<void> {
  const { type, entityType, entityId } = event;
  const actor = event.actorUserId ?? SYSTEM_ACTOR;
  const isOfType = sql`w.organization_id = ${tx.organizationId} and w.type = ${type} and w.is_open`;
  const counted = sql`total = w.total + 1, is_pending = true, updated_at = now(), version = w.version + 1,
    actors = w.actors || jsonb_build_object(${actor}::text, jsonb_build_object('count', coalesce((w.actors #>> array[${actor}::text, 'count'])::int, 0) + 1, 'entityId', ${entityId}::text))`;
  const [found] = await tx.all(sql<{ wasPending: boolean }>`with found as (
      select w.id, w.is_pending from notification_window w where ${isOfType} and w.closes_at > now() for update)
    update notification_window w set ${counted} from found where w.organization_id = ${tx.organizationId} and w.id = found.id returning found.is_pending as was_pending`);
  if (!found) {
    await tx.all(sql`update notification_window w set is_open = false, updated_at = now(), version = w.version + 1 where ${isOfType} and w.closes_at <= now()`);
    await tx.all(sql`insert into notification_window as w (organization_id, id, created_at, updated_at, type, entity_type, closes_at, is_open, is_pending, total, actors)
      values (${tx.organizationId}, ${newId()}, now(), now(), ${type}, ${entityType}, now() + make_interval(mins => ${windowMinutes}), true, true, 1,
        jsonb_build_object(${actor}::text, jsonb_build_object('count', 1, 'entityId', ${entityId}::text)))
      on conflict (organization_id, type) where is_open do update set ${counted}`);
  }
  if (!found?.wasPending) await scheduleNow(tx, FAN_OUT_NOTIFICATIONS);
}
