/** Journal entries: read and list. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { QueryOf } from "@freehold/contract/operation";
import { addDays } from "@freehold/kit/time/plain-date";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { and, isUnfiltered, listAllOrPage, listConditions, unfilteredTotal } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { getChart } from "../chart/categories.ts";
import { entryColumns, journalEntryView, type EntryRow } from "./journal-entry.view.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { onLedgerDays } from "../settings/ledger-settings.ts";

type Operations = typeof journalEntries.operations;

/** Locks an entry until the commit. Throws a 404 for an unknown entry or a deleted draft. */
export const lockEntry = (tx: OrgTx, id: string): Promise<JournalEntry> => tx.getForUpdate(JournalEntry, id, "Journal entry", { deletedAt: null });

/** Returns a journal entry. Throws a 404 for an unknown or deleted one; with `includeDeleted` also returns a deleted draft. */
export async function getJournalEntry(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<View> {
  const row = await db.first(sql<EntryRow>`select ${entryColumns} from journal_entry e
    where e.organization_id = ${db.organizationId} and e.id = ${id} and (${includeDeleted} or e.deleted_at is null)`);
  if (!row) throw notFound("Journal entry");
  return journalEntryView(row, await getChart(db));
}

/** Returns the matching entries: all of them, or one page when the query has `page` or `pageSize`. */
export async function listJournalEntries(db: OrgDb, query: QueryOf<Operations["listJournalEntries"]>) {
  const { rows, paging } = await listAllOrPage<EntryRow>(db, query, {
    table: "e",
    select: entryColumns,
    from: sql`journal_entry e`,
    aggregates: isUnfiltered(query) ? unfilteredEntryCount(db) : undefined,
    where: filterConditions(db, query),
    sorts: { occurredAt: sql`e.occurred_at`, createdAt: sql`e.created_at`, debitTotalCents: sql`e.debit_total_cents` },
  });
  const chart = await getChart(db);
  return { journalEntries: rows.map((row) => journalEntryView(row, chart)), ...paging };
}

/** Returns the query of the unfiltered total: the maintained total of posted entries plus a count of the few drafts. */
const unfilteredEntryCount = (db: OrgDb) =>
  sql<{ total: number }>`select (select total from (${unfilteredTotal(db, "journal_entry")}) posted)
    + (select count(*) from journal_entry where organization_id = ${db.organizationId} and status = 'draft' and deleted_at is null) as total`;

function filterConditions(db: OrgDb, query: QueryOf<Operations["listJournalEntries"]>) {
  const { accountId, propertyId, unitId, ownerId, status, source, occurredAfter, occurredBefore, search, minCents, maxCents } = query;
  const lineConditions = [
    accountId && sql`l.account_id = ${accountId}`,
    propertyId && sql`l.property_id = ${propertyId}`,
    unitId && sql`l.unit_id = ${unitId}`,
    ownerId && sql`l.owner_id = ${ownerId}`,
  ].filter((condition) => condition !== undefined && condition !== "");
  // Narrows the index scan of the lines. One day wider on either side, because the organization's time zone may have changed since a line was dated.
  const lineDateConditions = [
    occurredAfter !== undefined && sql`l.entry_date >= ${addDays(occurredAfter, -1)}`,
    occurredBefore !== undefined && sql`l.entry_date <= ${addDays(occurredBefore, 1)}`,
  ];
  const draftLineFilter = { accountId, propertyId, unitId, ownerId };
  return [
    ...listConditions(db, "e", query),
    lineConditions.length > 0 &&
      sql`e.id in (select l.entry_id from journal_line l where l.organization_id = ${db.organizationId} and ${and([...lineConditions, ...lineDateConditions])}
        union all select id from journal_entry where organization_id = ${db.organizationId} and status = 'draft' and draft_lines @> ${JSON.stringify([draftLineFilter])}::jsonb)`,
    status && sql`e.status = any(${status})`,
    // The planner uses the partial index on manual entries only when the statement contains the literal.
    source && (source.every((value) => value === "manual") ? sql`e.source = 'manual'` : sql`e.source = any(${source})`),
    ...onLedgerDays(db, sql`e.occurred_at`, occurredAfter, occurredBefore),
    search !== undefined && sql`e.memo ilike ${containsPattern(search)}`,
    minCents !== undefined && sql`e.debit_total_cents >= ${minCents}`,
    maxCents !== undefined && sql`e.debit_total_cents <= ${maxCents}`,
  ];
}
