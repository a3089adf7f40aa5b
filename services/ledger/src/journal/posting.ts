/**
 * Writer of the journal. All journal lines are inserted here, except those of payment batches, which `record_payments` inserts with
 * rows from here. Triggers maintain the account balances and reject an entry that does not balance. An entry in a closed accounting
 * period is dated the first open day instead.
 */
import { localDateOf, now } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { conflict } from "@freehold/kit/errors";
import type { entryDocuments, entrySources } from "@freehold/contract/ledger/journal-entries";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { newSortedIds } from "../ids.ts";
import { exactTotals, reverseLines, type EntryLine, type StoredLine } from "./journal.rules.ts";

/** Document that a journal entry records; the entries of an allocation or a reversal name the payment or charge. */
export interface SourceDocument {
  type: (typeof entryDocuments)[number];
  id: string;
}

/** Journal entry to post. */
export interface NewEntry {
  id: string;
  memo: string;
  occurredAt: Date;
  /** Day to which the entry belongs. By default the day of `occurredAt` in the organization's time zone. */
  entryDate?: string;
  source: (typeof entrySources)[number];
  /** Refuses the entry in a closed accounting period (409), instead of moving it to the first open day. */
  isDateFixed?: boolean | undefined;
  /** Reason for posting the entry into a soft-closed period. */
  overrideReason?: string | undefined;
  /** Document that the entry records. A manual entry has none. */
  document?: SourceDocument;
  lines: readonly EntryLine[];
  reversesId?: string;
}

type DatedEntry = NewEntry & { entryDate: string };

/** Returns the entries with their dates in the organization's time zone. */
const withDates = (entries: readonly NewEntry[], timezone: string): DatedEntry[] =>
  entries.map((entry) => ({ ...entry, entryDate: entry.entryDate ?? localDateOf(entry.occurredAt, timezone) }));

/**
 * Returns the statements that post entries, to be sent in one statement of a pipeline, so that entries and lines see the same
 * first open day. Entries are dated in the organization's time zone.
 */
export function postingStatements(db: StatementRunner, timezone: string, entries: readonly NewEntry[]): RawBuilder<unknown>[] {
  const dated = withDates(entries, timezone);
  return [insertEntries(db, timezone, dated), insertLines(db, dated.flatMap(lineRows))];
}

/** Returns the rows of entries and of their lines, each with its organization, for a statement that posts for several organizations. */
export function postingRows(
  { organizationId, principal }: Pick<StatementRunner, "organizationId" | "principal">,
  timezone: string,
  entries: readonly NewEntry[],
) {
  const dated = withDates(entries, timezone);
  return {
    entries: dated.map(({ lines, document, ...entry }) => {
      const { debitCents, creditCents } = exactTotals(lines);
      const totals = { debitTotalCents: debitCents.toString(), creditTotalCents: creditCents.toString() };
      const source = { sourceType: document?.type ?? null, sourceId: document?.id ?? null };
      return { ...entry, ...source, ...totals, organizationId, createdByUserId: principal.userId };
    }),
    lines: dated.flatMap(({ id: entryId, entryDate, lines }) => {
      const ids = newSortedIds(lines.length);
      return lines.map((line, index) => ({ ...line, organizationId, id: ids[index]!, entryId, entryDate }));
    }),
  };
}

/** Relation `open` with the first open day of the organization. The inner query makes PostgreSQL call the function once, not for each row. */
export const firstOpenDay = (db: StatementRunner): RawBuilder<unknown> => sql`(select (select first_open_day(${db.organizationId})) as first_day) open`;

/** Inserts entries and returns their dates; those in a closed accounting period are moved to the first open day. */
function insertEntries(db: StatementRunner, timezone: string, entries: readonly DatedEntry[]): RawBuilder<{ id: string; entryDate: string }> {
  const rows = entries.map(entryRow);
  const isMoved = sql`not is_date_fixed and entry_date < first_day`;
  return sql`insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, moved_from, override_reason, status, source, source_type, source_id, debit_total_cents, credit_total_cents, reverses_id, created_by_user_id)
      select ${db.organizationId}, id, ${now()}, ${now()}, memo, case when ${isMoved} then first_day::timestamp at time zone ${timezone} else occurred_at end,
        case when ${isMoved} then first_day else entry_date end, case when ${isMoved} then entry_date end, override_reason,
        'posted', source, source_type, source_id, debit_total_cents, credit_total_cents, reverses_id, ${db.principal.userId}::uuid
      from ${firstOpenDay(db)}, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as input (id uuid, memo text, occurred_at timestamptz, entry_date date, is_date_fixed boolean, override_reason text, source text, source_type text, source_id uuid, debit_total_cents bigint, credit_total_cents bigint, reverses_id uuid)
      returning id, entry_date`;
}

function entryRow({ id, memo, occurredAt, entryDate, isDateFixed = false, overrideReason, source, document, lines, reversesId }: DatedEntry) {
  const { debitCents, creditCents } = exactTotals(lines);
  return {
    id,
    memo,
    occurred_at: occurredAt,
    entry_date: entryDate,
    is_date_fixed: isDateFixed,
    override_reason: overrideReason ?? null,
    source,
    source_type: document?.type ?? null,
    source_id: document?.id ?? null,
    debit_total_cents: debitCents.toString(),
    credit_total_cents: creditCents.toString(),
    reverses_id: reversesId ?? null,
  };
}

/** Returns the rows of an entry's lines, in the order of the lines by id. */
function lineRows({ id, entryDate, isDateFixed = false, lines }: DatedEntry) {
  const ids = newSortedIds(lines.length);
  return lines.map((line, index) => ({ ...lineRow(id, entryDate, { ...line, id: ids[index]! }), is_date_fixed: isDateFixed }));
}

type LineRow = ReturnType<typeof lineRow> & { is_date_fixed: boolean };

const lineRow = (entryId: string, entryDate: string, line: StoredLine) => ({
  id: line.id,
  entry_id: entryId,
  account_id: line.accountId,
  cash_account_id: line.cashAccountId,
  entry_date: entryDate,
  debit_cents: line.debitCents,
  credit_cents: line.creditCents,
  property_id: line.propertyId ?? null,
  unit_id: line.unitId ?? null,
  owner_id: line.ownerId ?? null,
  lease_id: line.leaseId ?? null,
  tenant_id: line.tenantId ?? null,
  vendor_id: line.vendorId ?? null,
  bank_account_id: line.bankAccountId ?? null,
  charge_id: line.chargeId ?? null,
  payment_id: line.paymentId ?? null,
  expense_id: line.expenseId ?? null,
  deposit_id: line.depositId ?? null,
  description: line.description ?? null,
});

/** Columns of the dimensions of a line, in the order of `journal_line`. */
const dimensionColumns = sql.raw(
  "property_id, unit_id, owner_id, lease_id, tenant_id, vendor_id, bank_account_id, charge_id, payment_id, expense_id, deposit_id, description",
);

const insertLines = (db: StatementRunner, rows: readonly LineRow[]): RawBuilder<unknown> => sql`
  insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, ${dimensionColumns})
  select ${db.organizationId}, id, entry_id, account_id, cash_account_id, case when is_date_fixed then entry_date else greatest(entry_date, first_day) end, debit_cents, credit_cents, ${dimensionColumns}
  from ${firstOpenDay(db)}, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as input (id uuid, entry_id uuid, account_id uuid, cash_account_id uuid, entry_date date, is_date_fixed boolean, debit_cents bigint, credit_cents bigint, property_id uuid, unit_id uuid, owner_id uuid, lease_id uuid, tenant_id uuid,
      vendor_id uuid, bank_account_id uuid, charge_id uuid, payment_id uuid, expense_id uuid, deposit_id uuid, description text)`;

/** Inserts posted entries with their lines. */
export async function postEntries(tx: StatementRunner, timezone: string, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const dated = withDates(entries, timezone);
  const inserted = await tx.all(insertEntries(tx, timezone, dated));
  const dates = new Map(inserted.map(({ id, entryDate }) => [id, entryDate]));
  // The lines keep the date of their entry. If the period was closed in between, the trigger rejects them and the transaction is retried.
  await tx.all(insertLines(tx, dated.map((entry) => ({ ...entry, entryDate: dates.get(entry.id)!, isDateFixed: true as const })).flatMap(lineRows)));
}

/** Inserts the lines of a draft whose status was changed to posted. */
export const postDraftLines = (tx: StatementRunner, entryId: string, entryDate: string, lines: readonly StoredLine[]): Promise<unknown> =>
  tx.all(
    insertLines(
      tx,
      lines.map((line) => ({ ...lineRow(entryId, entryDate, line), is_date_fixed: true })),
    ),
  );

/**
 * Returns the date on which an entry of the given date is posted: the same date, or the first open day if the accounting period
 * of the date is closed. Keeps periods from being closed until the commit.
 */
export async function lockOpenDate(tx: StatementRunner, date: string): Promise<string> {
  await tx.all(sql`select pg_advisory_xact_lock_shared(period_lock_key(${tx.organizationId}))`);
  const row = await tx.first(sql<{ date: string }>`select greatest(${date}::date, first_open_day(${tx.organizationId})) as date`);
  return row!.date;
}

interface ReversalDetails {
  occurredAt: Date;
  memo: string;
}

/**
 * Posts a reversal of each entry, with debits and credits exchanged, and links the two. An entry dated after `occurredAt` is
 * reversed at its own time, so that the accounts are right on every day. Callers pass posted entries, not drafts. Throws a 409
 * when an entry has been reversed meanwhile. Returns the id of each reversal by the id of its entry.
 */
export async function reverseEntries(
  tx: StatementRunner,
  timezone: string,
  entryIds: readonly string[],
  { occurredAt, memo }: ReversalDetails,
): Promise<Map<string, string>> {
  const lines = await tx.all(sql<
    EntryLine & { entryId: string; occurredAt: string; entryDate: string; sourceType: SourceDocument["type"] | null; sourceId: string }
  >`
    select entry_id, e.occurred_at, e.entry_date, e.source_type, e.source_id, account_id, cash_account_id, debit_cents, credit_cents, ${dimensionColumns}
    from journal_line l join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
    where l.organization_id = ${tx.organizationId} and l.entry_id = any(${[...entryIds]}::uuid[]) order by l.id`);
  const linesByEntry = Map.groupBy(lines, ({ entryId }) => entryId);
  const day = localDateOf(occurredAt, timezone);
  const datesOf = (entry: (typeof lines)[number]) =>
    entry.entryDate > day ? { occurredAt: new Date(entry.occurredAt), entryDate: entry.entryDate } : { occurredAt, entryDate: day };
  const documentOf = ({ sourceType, sourceId }: (typeof lines)[number]) => (sourceType ? { document: { type: sourceType, id: sourceId } } : {});
  const reversalIds = new Map(entryIds.map((entryId) => [entryId, newId()]));
  await postEntries(
    tx,
    timezone,
    entryIds.map((entryId) => {
      const entryLines = linesByEntry.get(entryId)!;
      const line = entryLines[0]!;
      return {
        id: reversalIds.get(entryId)!,
        memo,
        ...datesOf(line),
        source: "reversal",
        ...documentOf(line),
        reversesId: entryId,
        lines: reverseLines(entryLines),
      };
    }),
  );
  const links = JSON.stringify([...reversalIds].map(([id, reversalId]) => ({ id, reversal_id: reversalId })));
  const reversed =
    await tx.all(sql`update journal_entry set status = 'reversed', reversed_by_id = link.reversal_id, version = version + 1, updated_at = ${now()}
    from jsonb_to_recordset(${links}::jsonb) as link (id uuid, reversal_id uuid)
    where organization_id = ${tx.organizationId} and journal_entry.id = link.id and status = 'posted' returning journal_entry.id`);
  if (reversed.length !== entryIds.length) throw conflict("The entry has already been reversed.", "already_reversed");
  return reversalIds;
}
