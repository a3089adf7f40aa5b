import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

export interface UserInviteRow {
  id: string;
  userId: string;
  email: string;
  fullName: string;
  organizationName: string;
  expiresAt: string;
  acceptedAt: string | null;
}

/** Returns an invite, also an accepted or expired one; undefined when it is revoked or its user is inactive or deleted. */
export const findUserInvite = (db: OrgDb, id: string): Promise<UserInviteRow | undefined> =>
  db.first(sql<UserInviteRow>`select i.id, i.user_id, u.email, u.full_name, o.name as organization_name, i.expires_at, i.accepted_at
    from user_invite i
    join app_user u on u.organization_id = i.organization_id and u.id = i.user_id
    join organization o on o.organization_id = i.organization_id
    where i.organization_id = ${db.organizationId} and i.id = ${id} and i.revoked_at is null and u.deleted_at is null and u.is_active`);
