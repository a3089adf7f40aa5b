/** Counts of a window for one user, who is not notified of the events that the user caused. */
import { SYSTEM_ACTOR } from "./collect-events.ts";
import type { NotificationWindow } from "./notification-window.entity.ts";

/** Latest notification of a user in a window. */
export interface CountedNotification {
  countedFrom: number;
  eventCount: number;
  isRead: boolean;
}

/** Events that a notification counts, with the entity and the actor if there is only one. */
export interface CollectedEvents {
  /** Number of events of the window that earlier notifications of the user count. */
  countedFrom: number;
  eventCount: number;
  entityId: string | null;
  actorUserId: string | null;
  /** True for the latest notification, which is unread and counts the further events as well. */
  continuesLatest: boolean;
}

/**
 * Returns the events that a user is to be notified of, or undefined when the latest notification counts all of them. An unread notification goes
 * on counting; after it was read, a new one counts the events since.
 */
export function eventsFor(
  userId: string,
  { total, actors }: Pick<NotificationWindow, "total" | "actors">,
  latest: CountedNotification | undefined,
): CollectedEvents | undefined {
  const others = Object.entries(actors).filter(([actor]) => actor !== userId);
  const count = total - (actors[userId]?.count ?? 0);
  const seen = latest ? latest.countedFrom + latest.eventCount : 0;
  if (count <= seen) return undefined;
  const continuesLatest = latest !== undefined && !latest.isRead;
  const countedFrom = continuesLatest ? latest.countedFrom : seen;
  const eventCount = count - countedFrom;
  // With several actors it is unknown whose event is the latest.
  const [actor, latestOfActor] = others.length === 1 ? others[0]! : [SYSTEM_ACTOR, null];
  const entityId = eventCount === 1 && latestOfActor ? latestOfActor.entityId : null;
  return { countedFrom, eventCount, continuesLatest, entityId, actorUserId: actor === SYSTEM_ACTOR ? null : actor };
}
