/** Who may see an event: the office by role, a portal user only what names its subject, and anybody what names the user. */
import type { Envelope } from "@freehold/contract/events";
import type { Caller } from "../authenticate.ts";

export function maySee({ role, subjectId, userId }: Caller["principal"], { audience }: Envelope): boolean {
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

/** Whether an event takes the caller's rights away: the stream must end before the token does. */
export const endsRights = ({ role, userId }: Caller["principal"], { type, entityId, data }: Envelope): boolean =>
  entityId === userId && (type === "user.deleted" || (type === "user.updated" && (data["isActive"] === false || data["role"] !== role)));
