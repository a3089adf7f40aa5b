/** Visibility of events: for office users by role, for portal users by their subject, for every user by user id. */
import type { Envelope } from "@freehold/contract/events";
import { isPortalRole } from "@freehold/contract/roles";
import type { Caller } from "../auth/authenticate.ts";

export function isVisibleTo({ role, subjectId, userId }: Caller["principal"], { audience }: Envelope): boolean {
  if (audience.userIds.includes(userId)) return true;
  if (audience.roles.includes(role)) return true;
  if (!subjectId) return false;
  switch (role) {
    case "tenant":
      return audience.tenantIds.includes(subjectId);
    case "owner":
      return audience.ownerIds.includes(subjectId);
    case "vendor":
      return audience.vendorIds.includes(subjectId);
    default:
      return false;
  }
}

/** Members of events with the assignee of a work order, whom the portals hide from all but the assigned vendor. */
const assignees = ["vendorId", "assignedUserId"];

/** Returns the data of an event for a reader: a portal user gets null instead of an assignee who is somebody else. */
export function dataFor({ role, subjectId, userId }: Caller["principal"], data: Envelope["data"]): Envelope["data"] {
  if (!isPortalRole(role)) return data;
  const hidden = assignees.filter((member) => typeof data[member] === "string" && data[member] !== subjectId && data[member] !== userId);
  return hidden.length === 0 ? data : { ...data, ...Object.fromEntries(hidden.map((member) => [member, null])) };
}

/** Returns true if an event tells that the caller's access has changed since the token was issued, so that the stream must end. */
export const endsAccess = ({ userId, accessVersion = 0 }: Caller["principal"], { entityId, data }: Envelope): boolean =>
  entityId === userId && typeof data["accessVersion"] === "number" && data["accessVersion"] > accessVersion;
