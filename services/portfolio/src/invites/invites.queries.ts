import type { Runner } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import type { InviteStatus, PortalKind } from "./invite.rules.ts";

export interface InviteRow {
  id: string;
  organizationId: string;
  kind: PortalKind;
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
  smsConsentGranted: boolean;
  isSubjectDeleted: boolean;
}

/** One invite with the tenant, owner or vendor it is for. Only tenants can have agreed to text messages. */
export const findInviteRow = (db: Runner, id: string): Promise<InviteRow | undefined> =>
  db.first(sql<InviteRow>`select i.id, i.organization_id, i.kind, i.subject_id, i.lease_id, i.email, i.nonce, i.status, i.expires_at, i.created_at, i.accepted_at,
      i.revoked_at, i.accepted_user_id, i.created_by_user_id, i.version,
      coalesce(t.full_name, o.full_name, v.contact_name, v.name) as full_name, coalesce(t.phone, o.phone, v.phone) as phone,
      coalesce(t.sms_consent_granted, false) as sms_consent_granted,
      coalesce(t.deleted_at, o.deleted_at, v.deleted_at) is not null as is_subject_deleted
    from invite i
      left join tenant t on t.organization_id = i.organization_id and t.id = i.tenant_id
      left join owner o on o.organization_id = i.organization_id and o.id = i.owner_id
      left join vendor v on v.organization_id = i.organization_id and v.id = i.vendor_id
    where i.organization_id = ${db.organizationId} and i.id = ${id}`);
