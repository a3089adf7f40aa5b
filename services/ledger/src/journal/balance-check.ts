/** Deep health check of the journal. */
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";

const MAX_ORGANIZATIONS = 500;

/** Checks that debits equal credits in the 500 newest organizations. Returns a message about the first imbalance, or undefined. */
export async function findImbalance(database: Database): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select organization_id as id from scheduled_work where job = 'postDueCharges' order by organization_id desc limit ${MAX_ORGANIZATIONS}`,
  );
  for (const { id } of rows) {
    const db = new OrgDb(database, systemPrincipal(id));
    const balance = await db.first(
      sql<{ cents: number }>`select coalesce(sum(debit_cents - credit_cents), 0)::bigint as cents from account_month where organization_id = ${id}`,
    );
    if (balance!.cents !== 0) return `the ledger of ${id} is out of balance by ${balance!.cents} cents`;
  }
  return undefined;
}
