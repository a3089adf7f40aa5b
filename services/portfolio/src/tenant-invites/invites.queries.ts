import type { TenantInvite } from "@freehold/contract/tenant-invites";
import type { Runner } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import type { InviteStatus } from "./invite.rules.ts";

export type InviteRow = Omit<TenantInvite, "token" | "status"> & {
  status: InviteStatus;
  nonce: string;
  acceptedUserId: string | null;
  fullName: string;
  phone: string | null;
  smsConsentGranted: boolean;
  version: number;
};

/** One invite with the tenant it is for. */
export const findInviteRow = (db: Runner, id: string): Promise<InviteRow | undefined> =>
  db.first(sql<InviteRow>`select i.id, i.organization_id, i.tenant_id, i.lease_id, i.email, i.nonce, i.status, i.expires_at, i.created_at, i.accepted_at, i.revoked_at,
      i.accepted_user_id, i.created_by_user_id, i.version, t.full_name, t.phone, t.sms_consent_granted
    from invite i join tenant t on t.organization_id = i.organization_id and t.id = i.tenant_id where i.organization_id = ${db.organizationId} and i.id = ${id}`);
