import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { getSecurityDeposit } from "./security-deposits.ts";

/** Throws a 409 when a released charge is of a security deposit of which more has been used than is received without the released payment. */
export async function requireUnusedDeposit(tx: OrgTx, chargeId: string): Promise<void> {
  const link = await tx.first(
    sql<{ id: string }>`select security_deposit_id as id from security_deposit_charge where organization_id = ${tx.organizationId} and id = ${chargeId}`,
  );
  if (!link || (await getSecurityDeposit(tx, link.id)).heldCents >= 0) return;
  throw conflict(`The security deposit ${link.id} has been used, refunded or transferred. Undo that first.`, "resource_in_use");
}
