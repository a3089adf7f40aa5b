import type { TenantInvite } from "@freehold/contract/tenant-invites";
import { now } from "@freehold/kit/clock";
import { versioned } from "@freehold/kit/version";
import { statusAt } from "./invite.rules.ts";
import type { InviteRow } from "./invites.queries.ts";

/** An invite as callers see it, with the token that was derived for it. */
export function inviteView(row: InviteRow, token: string): TenantInvite {
  const { id, organizationId, tenantId, leaseId, email, expiresAt, createdAt, acceptedAt, revokedAt, createdByUserId } = row;
  const status = statusAt(row, now());
  return versioned({ id, organizationId, tenantId, leaseId, email, token, status, expiresAt, createdAt, acceptedAt, revokedAt, createdByUserId }, row.version);
}
