/** Refusal of money on cancelled leases. */
import { sql } from "@freehold/kit/db/statement";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";

export const cancelledLeaseError = (path = "leaseId") =>
  invalid([{ path, code: "not_allowed", message: "This lease is cancelled and takes no charges, payments or deposits. Name another lease." }]);

/**
 * Throws a 400 at `path` when one of the leases was cancelled. Call it after posting: a cancellation in progress
 * holds postings until the transaction that marks the lease as cancelled, so none slips through.
 */
export async function requireNoneCancelled(tx: OrgTx, leaseIds: readonly string[], path?: string): Promise<void> {
  const cancelled = await tx.first(
    sql`select 1 as found from lease_copy where organization_id = ${tx.organizationId} and id = any(${[...leaseIds]}::uuid[]) and status = 'cancelled' limit 1`,
  );
  if (cancelled) throw cancelledLeaseError(path);
}
