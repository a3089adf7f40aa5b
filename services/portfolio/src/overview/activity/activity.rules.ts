/** Rules of the activity feed: ids referenced by an event, and its summary. */
import { events, type Envelope } from "@freehold/contract/events";
import type { ActivityItem } from "@freehold/contract/overview/activity";

type Type = ActivityItem["type"];

/** Ids that an event carries itself. */
export interface ReferencedIds {
  propertyId: string | null;
  unitId: string | null;
  leaseId: string | null;
  tenantId: string | null;
  /** Entity whose location is looked up: the entity of a note or document, otherwise the entity of the event. */
  target: { type: string; id: string };
}

const stringOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Returns the ids that an event carries, including its own entity. */
export function referencedIds({ entityType, entityId, data }: Pick<Envelope, "entityType" | "entityId" | "data">): ReferencedIds {
  const hasOtherTarget = typeof data["entityType"] === "string" && typeof data["entityId"] === "string";
  const target = hasOtherTarget ? { type: data["entityType"] as string, id: data["entityId"] as string } : { type: entityType, id: entityId };
  const targetId = (type: string) => (target.type === type ? target.id : null);
  return {
    propertyId: targetId("property") ?? stringOrNull(data["propertyId"]),
    unitId: targetId("unit") ?? stringOrNull(data["unitId"]),
    leaseId: targetId("lease") ?? stringOrNull(data["leaseId"]),
    tenantId:
      stringOrNull(data["mergedIntoTenantId"]) ??
      targetId("tenant") ??
      stringOrNull(data["tenantId"]) ??
      (data["kind"] === "tenant" ? stringOrNull(data["subjectId"]) : null),
    target,
  };
}

/** Returns the new status of the event's entity, or null. */
export const activityDetail = ({ data }: Pick<Envelope, "data">): string | null => stringOrNull(data["status"]);

const verbs: Record<string, string> = { in_progress: "started", completed: "completed", cancelled: "cancelled", open: "opened again" };

/** Returns a one-sentence summary without amounts or names: for the status in `detail`, otherwise the start of the event's catalogue description. */
export function activitySummary(type: Type, detail: string | null): string {
  if (type === "work_order.transitioned" && detail && verbs[detail]) return `A work order was ${verbs[detail]}.`;
  if (type === "lease.activated" && detail === "pending") return "A lease was activated; it starts on its first day.";
  if (type === "lease.updated" && detail === "cancelled") return "A lease was cancelled.";
  if (type === "recurring_charge.updated" && detail) return `A recurring charge became ${detail}.`;
  return `${/^[^.:;]+/.exec(events[type].description)![0]}.`;
}
