import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notFound } from "@freehold/kit/errors";
import { Lease } from "./lease.entity.ts";

/** The lease that something belongs to, locked: what belongs to it changes one after the other, and whoever follows leases sees that it did. */
export async function holdLease(tx: OrgTx, id: string): Promise<Lease> {
  const [lease] = await tx.findAllForUpdate(Lease, [id]);
  if (!lease || lease.deletedAt) throw notFound("Lease");
  lease.updatedAt = now();
  return lease;
}
