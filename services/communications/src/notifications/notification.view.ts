/** Select list and API representation of a notification. */
import type { Notification } from "@freehold/contract/communications/notifications";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";

export interface NotificationRow extends Omit<Notification, "actorUser" | "count"> {
  eventCount: number;
  actorName: string | null;
  version: number;
}

export const notificationColumns = sql`notification.id, notification.type, notification.title, notification.body, notification.channel, notification.channels, notification.priority,
  notification.entity_type, notification.entity_id, notification.actor_user_id, notification.actor_name, notification.event_count, notification.read_at, notification.created_at, notification.version`;

export function notificationView({ actorName, version, eventCount, ...row }: NotificationRow): Notification {
  const actorUser = row.actorUserId !== null && actorName !== null ? { id: row.actorUserId, fullName: actorName } : null;
  return withVersion({ ...row, count: eventCount, actorUser }, version);
}
