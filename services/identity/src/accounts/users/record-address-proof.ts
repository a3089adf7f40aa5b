import type { OrgTx } from "@freehold/kit/db/org-tx";
import { now } from "@freehold/kit/time/clock";
import { sql } from "@freehold/kit/db/statement";

/**
 * Records that a user with a password owns the e-mail address of the sign-in. The link of an invite proves less than a mailed link, because the
 * inviting office knows it too.
 */
export async function recordAddressProof(tx: OrgTx, userId: string, proof: "invite" | "mail"): Promise<void> {
  await tx.all(sql`insert into sign_in_address as stored (email, organization_id, user_id, proof, signed_in_at)
    select email, organization_id, id, ${proof}, ${now()} from app_user where organization_id = ${tx.organizationId} and id = ${userId}
    on conflict (email, organization_id) do update set signed_in_at = excluded.signed_in_at,
      proof = case stored.proof when 'mail' then 'mail' else excluded.proof end`);
}
