/**
 * Reassigns charges, payments, recurring charges and security deposits of merged tenants to the surviving tenant. Journal lines are final and
 * keep the tenant for whom they were posted. Each reassignment is stored with its transaction, so that the ledgers of both tenants can
 * be read again in an earlier version of the ledger.
 */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow, type Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";

/** Name of the job in the database. */
export const REASSIGN_MERGED_TENANTS_JOB = "gatherMerged";
/** Tables of reassigned records, in the order in which all transactions of the ledger lock them. */
const TABLES = ["recurring_charge_rule", "payment", "charge", "security_deposit"] as const;
/**
 * Assumed maximum duration, in minutes, of a transaction that read the duplicate tenant before the merge and may still write for
 * it. The daily run covers a longer one.
 */
const CONCURRENT_WRITE_MINUTES = 2;
const REPEAT_MS = 60_000;
const DAY_MS = 86_400_000;

/** Reassigns the records of all merged tenants, and schedules the job that repeats it for concurrent writes. */
export async function reassignMergedTenants(tx: OrgTx): Promise<void> {
  await reassign(tx);
  await scheduleNow(tx, REASSIGN_MERGED_TENANTS_JOB);
}

/** Repeats the reassignment every minute while a transaction may still write for a recently merged tenant, then daily. */
export const reassignMergedTenantsJob: Job = (db) =>
  transaction(db, async (tx) => {
    await reassign(tx);
    const recentMerge = await tx.first(sql`select 1 as found from tenant_copy where organization_id = ${tx.organizationId} and merged_into_id is not null
      and updated_at > now() - make_interval(mins => ${CONCURRENT_WRITE_MINUTES}) limit 1`);
    return new Date(now().getTime() + (recentMerge ? REPEAT_MS : DAY_MS));
  });

/**
 * Reassigns the rows of merged tenants to the surviving tenant. Repeats until none is left, because the survivor may itself
 * have been merged. The rows of one table are locked in the order of their ids, like the charges of an allocation.
 */
async function reassign(tx: OrgTx): Promise<void> {
  for (const name of TABLES) {
    const table = sql.table(name);
    for (let movedCount = 1; movedCount > 0;) {
      const moved =
        await tx.all(sql`with moved as (update ${table} as target set tenant_id = merged.merged_into_id, updated_at = now(), version = target.version + 1
        from tenant_copy merged
        where target.organization_id = ${tx.organizationId} and merged.organization_id = target.organization_id and merged.id = target.tenant_id
          and merged.merged_into_id is not null
          and target.id = any(array(select id from ${table} where organization_id = ${tx.organizationId}
            and tenant_id = any(array(select id from tenant_copy where organization_id = ${tx.organizationId} and merged_into_id is not null))
            order by id for no key update))
        returning target.id, merged.id as from_tenant_id)
        insert into tenant_reassignment (organization_id, record_id, from_tenant_id, transaction_era)
          select ${tx.organizationId}, id, from_tenant_id, (select max(era) from transaction_era) from moved returning record_id`);
      movedCount = moved.length;
    }
  }
}
