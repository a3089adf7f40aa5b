/** Move-outs, which start the period for the disposition of a security deposit. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { SecurityDeposit } from "../security-deposit.entity.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { readDispositionDueOn } from "./deadline.queries.ts";

/**
 * Records the move-out from a locked lease in its open security deposit, with the day by which the disposition is due. With `onlyFirst`, an
 * earlier record stays.
 */
export async function recordMoveOut(tx: OrgTx, leaseId: string, moveOutDate: string, onlyFirst = false): Promise<void> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select id from security_deposit where organization_id = ${tx.organizationId} and lease_id = ${leaseId} and is_open
    and (move_out_date is null or (not ${onlyFirst} and move_out_date <> ${moveOutDate}))`);
  const deposits = await tx.findAllForUpdate(
    SecurityDeposit,
    rows.map(({ id }) => id),
  );
  for (const deposit of deposits) {
    tx.assign(deposit, { moveOutDate, dispositionDueOn: await readDispositionDueOn(tx, deposit, moveOutDate) });
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
  }
}
