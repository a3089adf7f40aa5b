/**
 * Versions of the ledger. The number of a version counts the posted journal entries and the reassignments of merged tenants that its
 * reports show. Its snapshot distinguishes these from later ones. A version is recorded when a report of it is read.
 */
import { now } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";

/** Rows of a report with the version of the ledger that they show. */
export interface VersionedRows<R> {
  rows: R[];
  ledgerVersion: number;
}

/**
 * Reads a report of the current version, or of an earlier one when its number is given. `report` returns the query for all
 * lines, or for those of the given version; a version that is still current is read without the restriction. Throws a 400 for
 * an unknown version.
 */
export async function readReport<R>(
  db: OrgDb,
  ledgerVersion: number | undefined,
  report: (ledgerVersion?: number) => RawBuilder<R>,
): Promise<VersionedRows<R>> {
  if (ledgerVersion === undefined) return readCurrent(db, report());
  const [current] = await db.all(currentVersion(db));
  if (current!.number === ledgerVersion) {
    const result = await readCurrent(db, report());
    if (result.ledgerVersion === ledgerVersion) return result;
  }
  const [versions, rows] = await db.onSnapshot(
    sql`select 1 from ledger_version where organization_id = ${db.organizationId} and number = ${ledgerVersion}`,
    report(ledgerVersion),
  );
  if (versions.length === 0) {
    const message = `No report has shown version ${ledgerVersion} of the ledger. Send the ledgerVersion of an earlier report, or leave it out.`;
    throw invalid([{ path: "ledgerVersion", code: "not_found", message }]);
  }
  return { rows, ledgerVersion };
}

/**
 * Condition that a journal line or a reassignment under an alias belongs to the version; true for all when no number is given. An era
 * ends when a dump is restored: rows of earlier eras belong to the version, rows of its era if its snapshot sees their transaction.
 */
export function isInVersion(db: StatementRunner, ledgerVersion: number | undefined, alias: string): RawBuilder<unknown> {
  if (ledgerVersion === undefined) return sql`true`;
  const [era, transaction] = [sql.ref(`${alias}.transaction_era`), sql.ref(`${alias}.transaction_id`)];
  const column = (name: string) =>
    sql`(select ${sql.ref(name)} from ledger_version where organization_id = ${db.organizationId} and number = ${ledgerVersion})`;
  return sql`(${era} < ${column("snapshot_era")} or (${era} = ${column("snapshot_era")} and pg_visible_in_snapshot(${transaction}, ${column("snapshot")})))`;
}

interface CurrentVersion {
  number: number;
  snapshot: string;
  isRecorded: boolean;
}

/** Selects the version of the statement's snapshot. Nothing that it counts is ever deleted, so two snapshots with the same number show the same. */
const currentVersion = (db: OrgDb): RawBuilder<CurrentVersion> => sql<CurrentVersion>`
  select number, pg_current_snapshot()::text as snapshot,
    exists (select from ledger_version v where v.organization_id = ${db.organizationId} and v.number = posted.number) as is_recorded
  from (select (coalesce(sum(rows), 0) + (select count(*) from tenant_reassignment where organization_id = ${db.organizationId}))::bigint as number
    from list_total where organization_id = ${db.organizationId} and list = 'journal_entry') posted`;

async function readCurrent<R>(db: OrgDb, report: RawBuilder<R>): Promise<VersionedRows<R>> {
  const [[version], rows] = await db.onSnapshot(currentVersion(db), report);
  const { number, snapshot, isRecorded } = version!;
  // An export shows no version, and its snapshot is read-only.
  if (!isRecorded && !db.database.snapshot)
    await db.all(sql`insert into ledger_version (organization_id, number, snapshot, created_at)
      values (${db.organizationId}, ${number}, ${snapshot}::pg_snapshot, ${now()}) on conflict do nothing`);
  return { rows: rows as R[], ledgerVersion: number };
}
