/** Checks of an accounting period before it is closed. */
import type { accountingPeriods, AccountingPeriod, checklistKeys } from "@freehold/contract/ledger/accounting-periods";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { startOfDay, today } from "@freehold/kit/time/clock";
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import type { Clients } from "../clients.ts";
import { selectOwnerBalances } from "../owners/ledgers/owner-ledger.queries.ts";
import { findOwnedProperties } from "../owners/owned-properties.ts";
import { shareTerms } from "../owners/ownership.rules.ts";
import { findDueCharges } from "../receivables/charges/post-due-charges.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { selectUnreconciledAccounts } from "../trust/reconciliations/unreconciled-accounts.queries.ts";

export type Checklist = Output<typeof accountingPeriods.operations.checkAccountingPeriod>["checklist"];
type Key = (typeof checklistKeys)[number];
type Period = Pick<AccountingPeriod, "startDate" | "endDate">;

interface Counts {
  draftEntries: number;
  unallocatedPayments: number;
  movedEntries: number;
  unreconciledAccounts: number;
  variances: number;
}

/** Runs all checks of a period. Calls portfolio for the leases of recurring charges on units. */
export async function runChecklist(db: OrgDb, clients: Clients, period: Period): Promise<Checklist> {
  const [counts, unpostedCharges, negativeOwnerLedgers] = await Promise.all([
    countFindings(db, period),
    countUnpostedCharges(db, clients, period),
    countNegativeOwnerLedgers(db, clients, period),
  ]);
  return checklistOf(counts, { unpostedCharges, negativeOwnerLedgers });
}

/** Repeats those checks of a period that call no other service, and returns the checklist with their new results. */
export async function repeatChecklist(db: StatementRunner, period: Period, checklist: Checklist): Promise<Checklist> {
  const countOf = (sought: Key) => checklist.find(({ key }) => key === sought)!.count;
  const kept = { unpostedCharges: countOf("unposted_recurring_charges"), negativeOwnerLedgers: countOf("negative_owner_ledgers") };
  return checklistOf(await countFindings(db, period), kept);
}

function checklistOf(
  { draftEntries, unallocatedPayments, movedEntries, unreconciledAccounts, variances }: Counts,
  { unpostedCharges, negativeOwnerLedgers }: Record<"unpostedCharges" | "negativeOwnerLedgers", number>,
): Checklist {
  return [
    check("draft_entries", draftEntries, "draft journal entries are dated in the period or in an open month before it.", "Post or delete them."),
    check(
      "unreconciled_bank_accounts",
      unreconciledAccounts,
      "bank accounts are not reconciled up to the end of the period.",
      "Finalize their reconciliations.",
    ),
    check("unposted_recurring_charges", unpostedCharges, "recurring charges are due and not posted.", "Post the due charges."),
    check("unallocated_payments", unallocatedPayments, "payments received by the end of the period are not fully allocated.", "Allocate or refund them."),
    check("negative_owner_ledgers", negativeOwnerLedgers, "ledgers of owners at a property are negative at the end of the period.", "Record contributions."),
    check(
      "three_way_variance",
      variances,
      "reconciliations of statements that end in the period have a three-way variance.",
      "Correct the balances of beneficiaries.",
    ),
    {
      ...check("moved_entries", movedEntries, "entries of the period are dated the first open day, because it was closed when they were posted.", ""),
      ok: true,
    },
  ];
}

const check = (key: Key, count: number, finding: string, remedy: string): Checklist[number] => ({
  key,
  ok: count === 0,
  count,
  detail: count === 0 ? `No ${finding}` : `${count} ${finding} ${remedy}`.trim(),
});

async function countFindings(db: StatementRunner, { startDate, endDate }: Period): Promise<Counts> {
  const { timezone } = await getLedgerSettings(db);
  const row = await db.first(sql<Counts>`select
    (select count(*) from journal_entry where organization_id = ${db.organizationId} and status = 'draft' and deleted_at is null
      and entry_date between least(${startDate}::date, first_open_day(${db.organizationId})) and ${endDate}) as draft_entries,
    (select count(*) from payment where organization_id = ${db.organizationId} and unallocated_cents > 0 and status = 'received'
      and received_at < ${startOfDay(addDays(endDate, 1), timezone)}) as unallocated_payments,
    (select count(*) from journal_entry where organization_id = ${db.organizationId} and moved_from between ${startDate} and ${endDate}) as moved_entries,
    (select count(*) from (${selectUnreconciledAccounts(db, endDate)}) account) as unreconciled_accounts,
    (select count(*) from reconciliation where organization_id = ${db.organizationId} and status = 'finalized' and statement_end_date between ${startDate} and ${endDate}
      and not (three_way ->> 'isBalanced')::boolean) as variances`);
  return row!;
}

/** Counts the recurring charges that are due by today and by the end of the period, and not posted. */
async function countUnpostedCharges(db: OrgDb, clients: Clients, { endDate }: Period): Promise<number> {
  const settings = await getLedgerSettings(db);
  const due = await findDueCharges(db, clients, settings, minDate(endDate, today(settings.timezone)));
  return due.filter(({ lease }) => lease !== undefined).length;
}

/** Counts the owners and properties whose ledger is negative at the end of the period. */
async function countNegativeOwnerLedgers(db: OrgDb, clients: Clients, { endDate }: Period): Promise<number> {
  const terms = (await findOwnedProperties(db, clients)).flatMap(shareTerms);
  const balances = selectOwnerBalances(db, terms, endDate);
  const row = await db.first(sql<{ count: number }>`select count(*) from (${balances}) balance where balance_cents < 0`);
  return row!.count;
}
