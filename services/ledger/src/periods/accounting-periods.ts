/** Accounting periods: list and check. */
import type { AccountingPeriod as View } from "@freehold/contract/ledger/accounting-periods";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { today } from "@freehold/kit/time/clock";
import { addMonths, endOfMonth, minDate, monthsBetween, startOfMonth } from "@freehold/kit/time/plain-date";
import type { Clients } from "../clients.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { runChecklist, type Checklist } from "./period-checklist.ts";

/** Largest number of months that are listed when no year is given. */
const MAX_MONTHS = 120;

type PeriodRow = Omit<View, "propertyId"> & { version: number };
const periodColumns = sql`id, organization_id, start_date, end_date, status, note, closed_at, closed_by_user_id, reopened_at, reopen_reason, version`;

const periodView = ({ version, ...period }: PeriodRow): View => withVersion({ ...period, propertyId: null }, version);

/** Returns a period. Throws a 404 for an unknown one. */
export async function getAccountingPeriod(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<PeriodRow>`select ${periodColumns} from accounting_period where organization_id = ${db.organizationId} and id = ${id}`);
  if (!row) throw notFound("Accounting period");
  return periodView(row);
}

/** Returns the months of a year, or those from the first month with postings to the current one, as periods. Creates those that are missing. */
export async function listAccountingPeriods(db: OrgDb, year: number | undefined): Promise<View[]> {
  const months = year === undefined ? await monthsInUse(db) : monthsBetween(`${year}-01-01`, `${year}-12-01`);
  const rows = await findPeriods(db, months);
  if (rows.length === months.length) return rows.map(periodView);
  return transaction(db, async (tx) => {
    await createPeriods(tx, months);
    return (await findPeriods(tx, months)).map(periodView);
  });
}

const findPeriods = (db: StatementRunner, months: readonly string[]): Promise<PeriodRow[]> =>
  db.all(sql<PeriodRow>`select ${periodColumns} from accounting_period
    where organization_id = ${db.organizationId} and start_date = any(${[...months]}::date[]) order by start_date`);

/** Returns the months from the earliest with postings or a period to the current one, at most the latest 120. */
async function monthsInUse(db: OrgDb): Promise<string[]> {
  const currentMonth = startOfMonth(today((await getLedgerSettings(db)).timezone));
  const row = await db.first(sql<{ month: string | null }>`select least(
    (select min(month) from account_month where organization_id = ${db.organizationId}),
    (select min(start_date) from accounting_period where organization_id = ${db.organizationId})) as month`);
  const first = minDate(row?.month ?? currentMonth, currentMonth);
  const earliestListed = addMonths(currentMonth, 1 - MAX_MONTHS);
  return monthsBetween(first > earliestListed ? first : earliestListed, currentMonth);
}

/** Inserts the missing periods of the months. A month before a closed or soft-closed one gets the same status. */
async function createPeriods(tx: StatementRunner, months: readonly string[]): Promise<void> {
  await tx.all(sql`select pg_advisory_xact_lock_shared(period_lock_key(${tx.organizationId}))`);
  const rows = months.map((month) => ({ id: newId(), start_date: month, end_date: endOfMonth(month) }));
  await tx.all(sql`insert into accounting_period (organization_id, id, created_at, updated_at, start_date, end_date, status)
    select ${tx.organizationId}, input.id, now(), now(), start_date, end_date,
      case when end_date <= closed_through then 'closed' when end_date <= soft_closed_through then 'soft_closed' else 'open' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, start_date date, end_date date), book
    where book.organization_id = ${tx.organizationId} order by start_date
    on conflict (organization_id, start_date) do nothing`);
}

/** Runs the checks of a period without closing it. */
export const checkAccountingPeriod = async (db: OrgDb, clients: Clients, id: string): Promise<Checklist> =>
  runChecklist(db, clients, await getAccountingPeriod(db, id));
