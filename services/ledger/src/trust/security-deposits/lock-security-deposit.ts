/** Security deposits locked for a change. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { lockLeases } from "../../projections/lock-leases.ts";
import { attachDepositCharges } from "./attach-deposit-charges.ts";
import { SecurityDeposit } from "./security-deposit.entity.ts";

/**
 * Locks the leases of the tenancy of a security deposit, so that operations on the tenancy's deposits follow each other, and then the
 * deposit. Attaches deposit charges of the tenancy that belong to none yet. Throws 404 for an unknown deposit.
 */
export async function lockSecurityDeposit(tx: OrgTx, id: string): Promise<SecurityDeposit> {
  const [deposit] = await lockDeposits(tx, [id]);
  return deposit!;
}

/** Locks a security deposit like `lockSecurityDeposit`, and the one on the other side of a transfer, so that opposite transfers cannot deadlock. */
export async function lockBothDeposits(tx: OrgTx, id: string, otherId: string): Promise<[SecurityDeposit, SecurityDeposit]> {
  return (await lockDeposits(tx, [id, otherId])) as [SecurityDeposit, SecurityDeposit];
}

async function lockDeposits(tx: OrgTx, ids: readonly string[]): Promise<SecurityDeposit[]> {
  const leases = await tx.all(sql<{
    id: string;
  }>`select d.lease_id as id from security_deposit d where d.organization_id = ${tx.organizationId} and d.id = any(${[...ids]}::uuid[])
    union select l.id from security_deposit d join lease_copy l on l.organization_id = d.organization_id and l.tenancy_id = d.tenancy_id
      where d.organization_id = ${tx.organizationId} and d.id = any(${[...ids]}::uuid[])`);
  if (leases.length === 0) throw notFound("Security deposit");
  const leaseIds = leases.map((lease) => lease.id);
  await lockLeases(tx, leaseIds);
  await attachDepositCharges(tx, leaseIds);
  const deposits: SecurityDeposit[] = [];
  for (const id of ids) deposits.push(await tx.getForUpdate(SecurityDeposit, id, "Security deposit"));
  return deposits;
}
