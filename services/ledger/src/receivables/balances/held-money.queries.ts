/** Conditions on the lease for which credit or a deposit is held: the lease of the payment or charge, or the renewal that took over. */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the condition that the credit of the payment `p` is held for a lease. */
export const creditHeldFor = (leaseId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(p.credit_lease_id = ${leaseId} or (p.credit_lease_id is null and p.lease_id = ${leaseId}))`;

/** Returns the condition that the charge `c` is a deposit whose paid part is held for a lease. */
export const depositsHeldFor = (leaseId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(c.deposit_lease_id = ${leaseId} or (c.deposit_lease_id is null and c.charge_type = 'deposit' and c.lease_id = ${leaseId}))`;
