/** Deep health check of the journal. */
import { OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import type { Logger } from "@freehold/kit/observability/log";

const MAX_ORGANIZATIONS = 500;

/** Description of an imbalance. It names no organization, since admins of every organization may read it. */
const UNBALANCED = "The ledger of an organization is out of balance. The log of the ledger names it.";

/** Checks that debits equal credits in the 500 newest organizations. Logs the first imbalance and returns its description, or undefined. */
export async function findImbalance(database: Database, log: Logger): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select organization_id as id from scheduled_work where job = 'postDueCharges' order by organization_id desc limit ${MAX_ORGANIZATIONS}`,
  );
  for (const { id } of rows) {
    const db = new OrgDb(database, systemPrincipal(id));
    const balance = await db.first(
      sql<{ cents: number }>`select coalesce(sum(debit_cents - credit_cents), 0)::bigint as cents from account_month where organization_id = ${id}`,
    );
    if (balance!.cents !== 0) {
      log.error({ organizationId: id, cents: balance!.cents }, "the ledger of an organization is out of balance");
      return UNBALANCED;
    }
  }
  return undefined;
}
