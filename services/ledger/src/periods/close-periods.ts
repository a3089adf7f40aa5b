/** Closing and reopening of accounting periods, in order. */
import type { AccountingPeriod as View, accountingPeriods } from "@freehold/contract/ledger/accounting-periods";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { now, today } from "@freehold/kit/time/clock";
import type { Clients } from "../clients.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { AccountingPeriod } from "./accounting-period.entity.ts";
import {
  accountingPeriodStateMachine,
  requireChecksPassed,
  requireEarlierPeriodsClosed,
  requireEnded,
  requireLaterPeriodsOpen,
} from "./accounting-period.rules.ts";
import { checkAccountingPeriod, getAccountingPeriod } from "./accounting-periods.ts";
import { repeatChecklist } from "./period-checklist.ts";

type CloseTerms = BodyOf<typeof accountingPeriods.operations.closeAccountingPeriod>;
type Result = { period: View };
const publish = eventPublisher("ledger");

/** Closes a period, which only an admin can reopen. */
export const closeAccountingPeriod = (db: OrgDb, clients: Clients, id: string, terms: CloseTerms): Promise<Result> => close(db, clients, id, "closed", terms);

/** Closes a period to all postings except journal entries of admins with an override reason. */
export const softCloseAccountingPeriod = (db: OrgDb, clients: Clients, id: string, terms: CloseTerms): Promise<Result> =>
  close(db, clients, id, "soft_closed", terms);

async function close(db: OrgDb, clients: Clients, id: string, status: "closed" | "soft_closed", { force, note }: CloseTerms): Promise<Result> {
  const { endDate } = await getAccountingPeriod(db, id);
  const currentDay = today((await getLedgerSettings(db)).timezone);
  const checklist = force || endDate >= currentDay ? undefined : await checkAccountingPeriod(db, clients, id);
  return transaction(db, async (tx) => {
    const period = await lockPeriod(tx, id);
    requireEnded(endDate, currentDay);
    accountingPeriodStateMachine.transition(period.status, status);
    requireEarlierPeriodsClosed(await findEarliestOpenMonth(tx, period.startDate, status));
    // Checked again, because the close may have waited for postings.
    if (checklist) requireChecksPassed(await repeatChecklist(tx, period, checklist));
    tx.assign(period, { note: note ?? null });
    await closeThrough(tx, period.endDate, status);
    return finish(tx, id, `period.${status}`);
  });
}

/** Opens the last closed period. */
export const reopenAccountingPeriod = (db: OrgDb, id: string, reason: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const period = await lockPeriod(tx, id);
    const status = accountingPeriodStateMachine.transition(period.status, "open");
    const later = await tx.first(sql<{ month: string | null }>`select max(start_date) as month from accounting_period
      where organization_id = ${tx.organizationId} and start_date > ${period.startDate} and status <> 'open'`);
    requireLaterPeriodsOpen(later!.month);
    await requireNoReconciliation(tx, period);
    tx.assign(period, { status, closedAt: null, closedByUserId: null, reopenedAt: now(), reopenReason: reason });
    return finish(tx, id, "period.reopened");
  });

/** Throws a 409 while a finalized reconciliation depends on the entries of a period: one of a statement that ends in the period or later. */
async function requireNoReconciliation(tx: OrgTx, { startDate }: AccountingPeriod): Promise<void> {
  const reconciliation = await tx.first(sql<{ id: string; endDate: string }>`select id, statement_end_date as end_date from reconciliation
    where organization_id = ${tx.organizationId} and status = 'finalized' and statement_end_date >= ${startDate} order by statement_end_date desc, id limit 1`);
  if (!reconciliation) return;
  const message = `The finalized reconciliation ${reconciliation.id} of the statement until ${reconciliation.endDate} depends on the period. Void it first.`;
  throw conflict(message, "resource_in_use");
}

/** Locks a period after all open postings have committed. Later postings wait for the commit and see the change. */
async function lockPeriod(tx: OrgTx, id: string): Promise<AccountingPeriod> {
  await tx.all(sql`select pg_advisory_xact_lock(period_lock_key(${tx.organizationId}))`);
  return tx.getForUpdate(AccountingPeriod, id, "Accounting period");
}

/** Returns the earliest month before the period that has postings and is not closed, or not soft-closed when `status` is `soft_closed`. */
async function findEarliestOpenMonth(tx: OrgTx, startDate: string, status: "closed" | "soft_closed"): Promise<string | null> {
  const row = await tx.first(sql<{
    month: string | null;
  }>`select min(m.month) as month from account_month m join book b on b.organization_id = m.organization_id
    where m.organization_id = ${tx.organizationId} and m.month < ${startDate} and m.month > coalesce(${sql.ref(`b.${status}_through`)}, '-infinity')`);
  return row!.month;
}

/** Closes the period that ends on the date, and earlier open or soft-closed months, which have no postings. */
const closeThrough = (tx: OrgTx, endDate: string, status: "closed" | "soft_closed"): Promise<unknown> =>
  tx.all(sql`update accounting_period set status = ${status}, closed_at = ${now()}, closed_by_user_id = ${tx.principal.userId}, updated_at = ${now()}, version = version + 1
    where organization_id = ${tx.organizationId} and end_date <= ${endDate} and (status = 'open' or (status = 'soft_closed' and ${status} = 'closed'))`);

/** Sets the dates up to which postings are refused, publishes the event and returns the period. */
async function finish(tx: OrgTx, id: string, event: "period.closed" | "period.soft_closed" | "period.reopened"): Promise<Result> {
  await tx.all(sql`update book set closed_through = (select max(end_date) from accounting_period where organization_id = ${tx.organizationId} and status = 'closed'),
      soft_closed_through = (select max(end_date) from accounting_period where organization_id = ${tx.organizationId} and status <> 'open'), updated_at = ${now()}
    where organization_id = ${tx.organizationId}`);
  const period = await getAccountingPeriod(tx, id);
  await publish(tx, event, { entityId: id, data: { startDate: period.startDate, endDate: period.endDate } });
  return { period };
}
