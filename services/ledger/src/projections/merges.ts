/**
 * What tenants owe and paid goes with them when they are merged. The journal's lines are final and keep the tenant they
 * were posted for; charges, payments and rules say who has to do with them today.
 */
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow, type Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";

const tables = ["charge", "payment", "recurring_charge_rule"] as const;
/** Longer than anything runs that had read a tenant before it was merged. */
const SETTLED_AFTER_MINUTES = 2;
const AGAIN_MS = 60_000;
const DAY_MS = 86_400_000;

/** Moves what stands under merged tenants to whom they went to, and has it looked at again for what was being written meanwhile. */
export async function followMerges(tx: OrgTx): Promise<void> {
  await gather(tx);
  await scheduleNow(tx, "gatherMerged");
}

/** Looks after merged tenants until nothing can be written about them any more. */
export const gatherMerged: Job = (db) =>
  transaction(db, async (tx) => {
    await gather(tx);
    const recent = await tx.first(sql`select 1 as one from tenant_copy where organization_id = ${tx.organizationId} and merged_into_id is not null
      and updated_at > now() - make_interval(mins => ${SETTLED_AFTER_MINUTES}) limit 1`);
    return new Date(now().getTime() + (recent ? AGAIN_MS : DAY_MS));
  });

/** Until nobody is left who went to somebody who went to somebody else. Rows are locked in the order of their ids, as whoever pays locks them. */
async function gather(tx: OrgTx): Promise<void> {
  for (const name of tables) {
    const table = sql.table(name);
    for (let moved = 1; moved > 0;) {
      const rows = await tx.all(sql`update ${table} as moving set tenant_id = merged.merged_into_id, updated_at = now(), version = moving.version + 1
        from tenant_copy merged
        where moving.organization_id = ${tx.organizationId} and merged.organization_id = moving.organization_id and merged.id = moving.tenant_id
          and merged.merged_into_id is not null
          and moving.id = any(array(select id from ${table} where organization_id = ${tx.organizationId}
            and tenant_id = any(array(select id from tenant_copy where organization_id = ${tx.organizationId} and merged_into_id is not null))
            order by id for no key update))
        returning moving.id`);
      moved = rows.length;
    }
  }
}
