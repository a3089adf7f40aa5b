/** Whether the books balance, for a health check that looks deeper: organization by organization, as everything is read. */
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";

const AT_MOST = 500;

/** A sentence about the first organization whose debits and credits differ; undefined when all of the newest ones balance. */
export async function findImbalance(database: Database): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select organization_id as id from scheduled_work where job = 'postDueCharges' order by organization_id desc limit ${AT_MOST}`,
  );
  for (const { id } of rows) {
    const db = new OrgDb(database, systemPrincipal(id));
    const sums = await db.first(
      sql<{ difference: number }>`select coalesce(sum(debit_cents - credit_cents), 0)::bigint as difference from account_month where organization_id = ${id}`,
    );
    if (sums!.difference !== 0) return `the books of ${id} are off by ${sums!.difference} cents`;
  }
  return undefined;
}
