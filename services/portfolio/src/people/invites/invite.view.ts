import type { PortalRole } from "@freehold/contract/roles";
import type { OwnerInvite } from "@freehold/contract/people/owner-invites";
import type { TenantInvite } from "@freehold/contract/people/tenant-invites";
import type { VendorInvite } from "@freehold/contract/people/vendor-invites";
import { now } from "@freehold/kit/time/clock";
import { withVersion } from "@freehold/kit/http/etag";
import { inviteStatusAt } from "./invite.rules.ts";
import type { InviteRow } from "./invites.queries.ts";

export interface InviteViews extends Record<PortalRole, object> {
  tenant: TenantInvite;
  owner: OwnerInvite;
  vendor: VendorInvite;
}

const subjectMembers: { [K in PortalRole]: (row: InviteRow) => Omit<InviteViews[K], keyof InviteViews[PortalRole]> } = {
  tenant: ({ subjectId, leaseId }) => ({ tenantId: subjectId, leaseId }),
  owner: ({ subjectId }) => ({ ownerId: subjectId }),
  vendor: ({ subjectId }) => ({ vendorId: subjectId }),
};

/** Returns the API representation of an invite. The token is null for callers who may not use it. */
export function inviteView<K extends PortalRole>(kind: K, row: InviteRow, token: string | null): InviteViews[K] {
  const { id, organizationId, email, expiresAt, createdAt, acceptedAt, revokedAt, createdByUserId } = row;
  const status = inviteStatusAt(row, now());
  const shared = { id, organizationId, email, token, status, expiresAt, createdAt, acceptedAt, revokedAt, createdByUserId };
  return withVersion({ ...shared, ...subjectMembers[kind](row) } as InviteViews[K], row.version);
}
