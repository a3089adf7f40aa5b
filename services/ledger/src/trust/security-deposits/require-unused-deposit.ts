/** Guard of the payments of security deposits that have been used. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { lockLeases } from "../../projections/lock-leases.ts";
import { getSecurityDeposit } from "./security-deposits.ts";

/**
 * Locks the leases of the tenancy when an allocation is the payment of a deposit charge, as operations on security deposits do, so that the
 * deposit is not used while its payment is released. Leases are locked first, so the caller has locked nothing yet.
 */
export async function lockDepositOfAllocation(tx: OrgTx, paymentId: string, allocationId: string): Promise<void> {
  const leases = await tx.all(sql<{ id: string }>`select l.id from payment_allocation a
    join charge c on c.organization_id = a.organization_id and c.id = a.charge_id and c.charge_type = 'deposit'
    join lease_copy own on own.organization_id = c.organization_id and own.id = c.lease_id
    join lease_copy l on l.organization_id = own.organization_id and l.tenancy_id = own.tenancy_id
    where a.organization_id = ${tx.organizationId} and a.payment_id = ${paymentId} and a.id = ${allocationId}`);
  if (leases.length === 0) return;
  await lockLeases(
    tx,
    leases.map(({ id }) => id),
  );
}

/**
 * Throws a 409 when a released charge is of a security deposit whose disposition is finalized, or of which more has been used than is
 * received without the released payment.
 */
export async function requireUnusedDeposit(tx: OrgTx, chargeId: string): Promise<void> {
  const link = await tx.first(
    sql<{ id: string }>`select security_deposit_id as id from security_deposit_charge where organization_id = ${tx.organizationId} and id = ${chargeId}`,
  );
  if (!link) return;
  const { heldCents, disposition } = await getSecurityDeposit(tx, link.id);
  if (disposition)
    throw conflict(`The disposition of the security deposit ${link.id} is finalized, and its letter states what is held. Reopen it first.`, "resource_in_use");
  if (heldCents >= 0) return;
  throw conflict(`The security deposit ${link.id} has been used, refunded or transferred. Undo that first.`, "resource_in_use");
}
