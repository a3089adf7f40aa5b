/** Visibility of events: for office users by role, for portal users by their subject, for every user by user id. */
import type { Envelope } from "@freehold/contract/events";
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

/** Returns true if an event revokes the caller's access, so that the stream must end before the token expires. */
export const revokesAccess = ({ role, userId }: Caller["principal"], { type, entityId, data }: Envelope): boolean =>
  entityId === userId && (type === "user.deleted" || (type === "user.updated" && (data["isActive"] === false || data["role"] !== role)));
