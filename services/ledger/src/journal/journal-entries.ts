/** Manual journal entries: list, create, post and reverse. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { localDateOf, now, startOfDay } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import { and, isUnfiltered, listAllOrPage, unfilteredTotal } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { getChart, requireAccount, type Chart } from "../chart/categories.ts";
import { newSortedIds } from "../ids.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { entryColumns, journalEntryView, type EntryRow } from "./journal-entry.view.ts";
import { journalEntryStateMachine, requireBalanced, sumLines, type StoredLine } from "./journal.rules.ts";
import { postEntries, postDraftLines, reverseEntries } from "./posting.ts";
import { requireKnownReferences } from "./references.ts";
import type { Clients } from "../clients.ts";

type Operations = typeof journalEntries.operations;
const publish = eventPublisher("ledger");

export async function getJournalEntry(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<EntryRow>`select ${entryColumns} from journal_entry e where e.organization_id = ${db.organizationId} and e.id = ${id}`);
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
    + (select count(*) from journal_entry where organization_id = ${db.organizationId} and status = 'draft') as total`;

function filterConditions(db: OrgDb, query: QueryOf<Operations["listJournalEntries"]>) {
  const { accountId, propertyId, unitId, ownerId, status, source, occurredAfter, occurredBefore, search, minCents, maxCents, updatedAfter } = query;
  const zone = db.principal.timezone;
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
    sql`e.organization_id = ${db.organizationId}`,
    lineConditions.length > 0 &&
      sql`e.id in (select l.entry_id from journal_line l where l.organization_id = ${db.organizationId} and ${and([...lineConditions, ...lineDateConditions])}
        union all select id from journal_entry where organization_id = ${db.organizationId} and status = 'draft' and draft_lines @> ${JSON.stringify([draftLineFilter])}::jsonb)`,
    status && sql`e.status = any(${status})`,
    // The planner uses the partial index on manual entries only when the statement contains the literal.
    source && (source.every((value) => value === "manual") ? sql`e.source = 'manual'` : sql`e.source = any(${source})`),
    occurredAfter !== undefined && sql`e.occurred_at >= ${startOfDay(occurredAfter, zone)}`,
    occurredBefore !== undefined && sql`e.occurred_at < ${startOfDay(addDays(occurredBefore, 1), zone)}`,
    search !== undefined && sql`e.memo ilike ${containsPattern(search)}`,
    minCents !== undefined && sql`e.debit_total_cents >= ${minCents}`,
    maxCents !== undefined && sql`e.debit_total_cents <= ${maxCents}`,
    updatedAfter !== undefined && sql`e.updated_at > ${updatedAfter}::timestamptz`,
  ];
}

/** Creates a manual entry: posted, if its debits equal its credits, or a draft, which need not balance. */
export async function createJournalEntry(db: OrgDb, clients: Clients, body: BodyOf<Operations["createJournalEntry"]>): Promise<{ journalEntry: View }> {
  const chart = await getChart(db);
  const ids = newSortedIds(body.lines.length);
  const lines = body.lines.map((line, index) => draftLine(line, ids[index]!, index, chart));
  const totals = sumLines(lines);
  if (body.status === "posted") requireBalanced(totals);
  await requireKnownReferences(db, clients.portfolio, lines);
  const id = newId();
  return transaction(db, async (tx) => {
    if (body.status === "posted") {
      await postEntries(tx, db.principal.timezone, [{ id, memo: body.memo, occurredAt: new Date(body.occurredAt), source: "manual", lines }]);
      await publish(tx, "journal_entry.posted", { entityId: id, data: {} });
    } else {
      tx.create(JournalEntry, {
        id,
        memo: body.memo,
        occurredAt: new Date(body.occurredAt),
        entryDate: localDateOf(body.occurredAt, db.principal.timezone),
        status: "draft",
        source: "manual",
        debitTotalCents: totals.debitCents,
        creditTotalCents: totals.creditCents,
        draftLines: lines,
        createdByUserId: db.principal.userId,
        reversesId: null,
        reversedById: null,
      });
    }
    return { journalEntry: await getJournalEntry(tx, id) };
  });
}

function draftLine(line: BodyOf<Operations["createJournalEntry"]>["lines"][number], id: string, index: number, chart: Chart): StoredLine {
  const accountId = requireAccount(chart, line.accountId, `lines.${index}.accountId`);
  const { propertyId = null, unitId = null, ownerId = null, description = null } = line;
  return {
    id,
    accountId,
    cashAccountId: accountId,
    debitCents: line.debitCents ?? 0,
    creditCents: line.creditCents ?? 0,
    propertyId,
    unitId,
    ownerId,
    description,
  };
}

/** Posts a draft, on its own date or at `occurredAt`. Throws a 400 when it does not balance. */
export function postJournalEntry(db: OrgDb, id: string, occurredAt: string | undefined): Promise<{ journalEntry: View }> {
  return transaction(db, async (tx) => {
    const entry = await tx.getForUpdate(JournalEntry, id, "Journal entry");
    const status = journalEntryStateMachine.transition(entry.status, "posted");
    requireBalanced({ debitCents: entry.debitTotalCents, creditCents: entry.creditTotalCents });
    const lines = entry.draftLines!;
    const effectiveAt = occurredAt ? new Date(occurredAt) : entry.occurredAt;
    const entryDate = localDateOf(effectiveAt, db.principal.timezone);
    tx.assign(entry, { status, draftLines: null, occurredAt: effectiveAt, entryDate });
    await tx.flush();
    await postDraftLines(tx, id, entryDate, lines);
    await publish(tx, "journal_entry.posted", { entityId: id, data: {} });
    return { journalEntry: await getJournalEntry(tx, id) };
  });
}

/** Reverses a manual entry, on its own date at the earliest. Entries of charges and payments are reversed by voiding the charge or reversing the payment. */
export function reverseJournalEntry(
  db: OrgDb,
  id: string,
  { occurredAt, memo }: BodyOf<Operations["reverseJournalEntry"]>,
): Promise<{ journalEntry: View; reversal: View }> {
  return transaction(db, async (tx) => {
    const entry = await tx.getForUpdate(JournalEntry, id, "Journal entry");
    requireReversible(entry);
    if (occurredAt && localDateOf(occurredAt, db.principal.timezone) < entry.entryDate)
      throw invalid([{ path: "occurredAt", code: "before_start", message: `occurredAt cannot be before the date of the entry, ${entry.entryDate}.` }]);
    const reversalIds = await reverseEntries(tx, db.principal.timezone, [id], {
      occurredAt: occurredAt ? new Date(occurredAt) : now(),
      memo: memo ?? `Reversal: ${entry.memo}`.slice(0, 500),
    });
    const reversalId = reversalIds.get(id)!;
    await publish(tx, "journal_entry.reversed", { entityId: id, data: { reversedById: reversalId } });
    return { journalEntry: await getJournalEntry(tx, id), reversal: await getJournalEntry(tx, reversalId) };
  });
}

function requireReversible(entry: JournalEntry): void {
  if (entry.status === "reversed") throw conflict("The entry has already been reversed.", "already_reversed");
  if (entry.source !== "manual") throw conflict(`This entry belongs to a ${entry.source}. Void the charge or reverse the payment instead.`, "resource_in_use");
  journalEntryStateMachine.transition(entry.status, "reversed");
}
