import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";

/** Records that a user owns the sign-in address. The link of an invite proves less than a mailed link, because the inviting office knows it too. */
export async function proveSignInAddress(tx: OrgTx, userId: string, proof: "invite" | "mail"): Promise<void> {
  await tx.all(sql`update sign_in_address set proof = ${proof} where organization_id = ${tx.organizationId} and user_id = ${userId} and proof <> 'mail'`);
}
