import type { PortalRole } from "@freehold/contract/roles";
import type { QueryOf } from "@freehold/contract/operation";
import type { tenantInvites } from "@freehold/contract/people/tenant-invites";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { listConditions, listPage, type Page, onDays } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import type { InviteStatus } from "./invite.rules.ts";

export interface InviteRow {
  id: string;
  organizationId: string;
  kind: PortalRole;
  subjectId: string;
  leaseId: string | null;
  email: string;
  nonce: string;
  status: InviteStatus;
  expiresAt: string;
  createdAt: string;
  acceptedAt: string | null;
  revokedAt: string | null;
  acceptedUserId: string | null;
  createdByUserId: string | null;
  version: number;
  fullName: string;
  phone: string | null;
  isSubjectDeleted: boolean;
}

const columns = sql`i.id, i.organization_id, i.kind, i.subject_id, i.lease_id, i.email, i.nonce, i.status, i.expires_at, i.created_at, i.accepted_at,
      i.revoked_at, i.accepted_user_id, i.created_by_user_id, i.version,
      coalesce(t.full_name, o.full_name, v.contact_name, v.name) as full_name, coalesce(t.phone, o.phone, v.phone) as phone,
      coalesce(t.deleted_at, o.deleted_at, v.deleted_at) is not null as is_subject_deleted`;

const inviteWithSubject = sql`invite i
      left join tenant t on t.organization_id = i.organization_id and t.id = i.tenant_id
      left join owner o on o.organization_id = i.organization_id and o.id = i.owner_id
      left join vendor v on v.organization_id = i.organization_id and v.id = i.vendor_id`;

/** Returns an invite with its tenant, owner or vendor. */
export const findInviteRow = (db: StatementRunner, id: string): Promise<InviteRow | undefined> =>
  db.first(sql<InviteRow>`select ${columns} from ${inviteWithSubject} where i.organization_id = ${db.organizationId} and i.id = ${id}`);

type InviteFilters = QueryOf<(typeof tenantInvites)["operations"]["listTenantInvites"]>;

/** Returns a page of the invites to a portal, optionally of one subject. The status filter counts an invite past its expiry as expired. */
export function listInviteRows(
  db: OrgDb,
  kind: PortalRole,
  subjectId: string | undefined,
  { leaseId, status, createdAfter, createdBefore, ...query }: Omit<InviteFilters, "tenantId">,
): Promise<Page<InviteRow>> {
  const { timezone } = db.principal;
  const effectiveStatus = sql`case when i.status = 'pending' and i.expires_at <= ${now()} then 'expired' else i.status end`;
  return listPage<InviteRow>(db, query, {
    select: columns,
    from: inviteWithSubject,
    table: "i",
    where: [
      ...listConditions(db, "i", query, false),
      sql`i.kind = ${kind}`,
      subjectId !== undefined && sql`i.subject_id = ${subjectId}`,
      leaseId !== undefined && sql`i.lease_id = ${leaseId}`,
      status && sql`${effectiveStatus} = any(${[...status]})`,
      ...onDays(sql`i.created_at`, createdAfter, createdBefore, timezone),
    ],
    sorts: { createdAt: sql`i.created_at` },
  });
}
