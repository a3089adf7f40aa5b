/** Move-outs, which start the period for the disposition of a security deposit. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { lockLease } from "../../../projections/lock-leases.ts";
import { SecurityDeposit } from "../security-deposit.entity.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { readDispositionDueOn } from "./deadline.queries.ts";

/**
 * Gives the open security deposits of locked leases that have ended the move-out of the projected lease, with the day by which the disposition
 * is due. A move-out that the office has set on the deposit stays. Idempotent.
 */
export async function followMoveOuts(tx: OrgTx, leaseIds: readonly string[]): Promise<void> {
  const rows = await tx.all(sql<{ id: string; movedOutOn: string }>`select d.id, l.moved_out_on from security_deposit d
    join lease_copy l on l.organization_id = d.organization_id and l.id = d.lease_id
    where d.organization_id = ${tx.organizationId} and d.lease_id = any(${[...leaseIds]}::uuid[]) and d.is_open and not d.is_move_out_by_office
      and l.moved_out_on is not null and d.move_out_date is distinct from l.moved_out_on`);
  const movedOutOn = new Map(rows.map((row) => [row.id, row.movedOutOn]));
  for (const deposit of await tx.findAllForUpdate(SecurityDeposit, [...movedOutOn.keys()])) {
    const moveOutDate = movedOutOn.get(deposit.id)!;
    tx.assign(deposit, { moveOutDate, dispositionDueOn: await readDispositionDueOn(tx, deposit, moveOutDate) });
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
  }
}

/** Gives the open security deposit of a projected lease its move-out, see `followMoveOuts`. */
export const reviseMoveOut = (db: OrgDb, leaseId: string): Promise<void> =>
  transaction(db, async (tx) => {
    await lockLease(tx, leaseId);
    await followMoveOuts(tx, [leaseId]);
  });
