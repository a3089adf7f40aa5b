/** What an event says about where it belongs, and in which words it is told. */
import { events, type Envelope } from "@freehold/contract/events";
import type { ActivityItem } from "@freehold/contract/overview/activity";

type Type = ActivityItem["type"];

/** What an event is about, as far as it says so itself. */
export interface ReferencedIds {
  propertyId: string | null;
  unitId: string | null;
  leaseId: string | null;
  tenantId: string | null;
  /** The thing whose place has to be looked up: what a note is on, what a document shows, or the event's own entity. */
  about: { type: string; id: string };
}

const id = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The ids that an event carries, its own entity included. */
export function referencedIds({ entityType, entityId, data }: Pick<Envelope, "entityType" | "entityId" | "data">): ReferencedIds {
  const isAboutAnother = typeof data["entityType"] === "string" && typeof data["entityId"] === "string";
  const about = isAboutAnother ? { type: data["entityType"] as string, id: data["entityId"] as string } : { type: entityType, id: entityId };
  const own = (type: string) => (about.type === type ? about.id : null);
  return {
    propertyId: own("property") ?? id(data["propertyId"]),
    unitId: own("unit") ?? id(data["unitId"]),
    leaseId: own("lease") ?? id(data["leaseId"]),
    tenantId: id(data["mergedIntoTenantId"]) ?? own("tenant") ?? id(data["tenantId"]) ?? (data["kind"] === "tenant" ? id(data["subjectId"]) : null),
    about,
  };
}

/** Which of several things of one type happened: the status that something came to. */
export const activityDetail = ({ data }: Pick<Envelope, "data">): string | null => id(data["status"]);

const verbs: Record<string, string> = { in_progress: "started", completed: "completed", cancelled: "cancelled", open: "opened again" };

/** What happened, in a sentence without amounts or names: the beginning of what the catalogue says of the event, unless more is known. */
export function activitySummary(type: Type, detail: string | null): string {
  if (type === "work_order.transitioned" && detail && verbs[detail]) return `A work order was ${verbs[detail]}.`;
  if (type === "lease.activated" && detail === "pending") return "A lease was activated; it waits for its first day.";
  if (type === "lease.updated" && detail === "cancelled") return "A lease was cancelled.";
  if (type === "recurring_charge.updated" && detail) return `A recurring charge became ${detail}.`;
  return `${/^[^.:;]+/.exec(events[type].description)![0]}.`;
}
