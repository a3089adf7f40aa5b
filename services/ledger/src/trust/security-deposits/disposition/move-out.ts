/** Move-outs, which start the period for the disposition of a security deposit. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import { lockLease } from "../../../projections/lock-leases.ts";
import { SecurityDeposit } from "../security-deposit.entity.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { readDispositionDueOn } from "./deadline.queries.ts";

/**
 * Records the move-out from a locked lease in its open security deposit, with the day by which the disposition is due. With `onlyFirst`, an
 * earlier record stays.
 */
export const recordMoveOut = (tx: OrgTx, leaseId: string, moveOutDate: string, onlyFirst = false): Promise<void> =>
  saveMoveOut(tx, leaseId, moveOutDate, sql`(move_out_date is null or not ${onlyFirst})`);

/**
 * Replaces the last day of a terminated or expired lease, recorded as the move-out in its open security deposit, by the move-out of its
 * tenants that was recorded later. Another day stays: the office has set it, or it is a move-out of the tenants already. Idempotent.
 */
export async function reviseMoveOut(db: OrgDb, { id, status, endDate, terminationDate, movedOutOn }: Lease): Promise<void> {
  const lastDay = status === "expired" ? endDate : status === "terminated" ? terminationDate : undefined;
  if (!lastDay || !movedOutOn || movedOutOn === lastDay) return;
  await transaction(db, async (tx) => {
    await lockLease(tx, id);
    await saveMoveOut(tx, id, movedOutOn, sql`move_out_date = ${lastDay}`);
  });
}

async function saveMoveOut(tx: OrgTx, leaseId: string, moveOutDate: string, condition: RawBuilder<unknown>): Promise<void> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select id from security_deposit where organization_id = ${tx.organizationId} and lease_id = ${leaseId} and is_open
    and move_out_date is distinct from ${moveOutDate} and ${condition}`);
  const deposits = await tx.findAllForUpdate(
    SecurityDeposit,
    rows.map(({ id }) => id),
  );
  for (const deposit of deposits) {
    tx.assign(deposit, { moveOutDate, dispositionDueOn: await readDispositionDueOn(tx, deposit, moveOutDate) });
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
  }
}
