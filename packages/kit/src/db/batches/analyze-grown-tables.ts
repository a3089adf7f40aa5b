import type { StatementRunner } from "../org-db.ts";
import { sql } from "../statement.ts";

/** Number of rows from which a write can make the statistics of a table useless. */
const MIN_ROWS = 50;
/** PostgreSQL counts the changes of a table once a second. */
const MIN_INTERVAL_MS = 1_000;
let analyzedAt = -MIN_INTERVAL_MS;

/**
 * Updates the planner's statistics of the tables that have grown by half since they were analyzed, after a write of many rows. Statements that were
 * planned for a nearly empty table compare each of its rows, so a first import would cost more per row with every row; autovacuum may notice only a
 * minute later. Errors are ignored, since stale statistics only slow statements down.
 */
export async function analyzeGrownTables(db: StatementRunner, rows: number): Promise<void> {
  if (rows < MIN_ROWS || performance.now() - analyzedAt < MIN_INTERVAL_MS) return;
  analyzedAt = performance.now();
  await db.all(sql`select analyze_grown_tables()`).catch(() => undefined);
}
