import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { forbidden } from "@freehold/kit/errors";
import { requireOpenDate } from "./accounting-period.rules.ts";

/**
 * Throws a 409 that names the first open day for a date in a closed period. With `overrideReason`, dates in soft-closed periods
 * are accepted for the rest of the transaction, or a 403 is thrown unless the caller is an admin.
 */
export async function requireOpenPeriod(tx: StatementRunner, date: string, overrideReason: string | undefined): Promise<void> {
  if (overrideReason !== undefined) {
    if (tx.principal.role !== "admin") throw forbidden("Only admins can post into a soft-closed accounting period. Leave X-Period-Override out.");
    await tx.all(sql`select set_config('app.period_override', ${overrideReason}, true)`);
  }
  const row = await tx.first(
    sql<{ softClosedThrough: string | null }>`select nullif(first_open_day(${tx.organizationId}), '-infinity') - 1 as soft_closed_through`,
  );
  requireOpenDate(row!.softClosedThrough, date);
}
