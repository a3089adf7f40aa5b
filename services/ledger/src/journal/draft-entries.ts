/** Draft journal entries: change, delete and post. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart, requireAccount, requireNoControlAccounts, type Chart } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { newSortedIds } from "../ids.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { requireOpenPeriod } from "../periods/require-open-period.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { journalEntryStateMachine, requireBalanced, requireDraft, sumLines, type StoredLine } from "./journal.rules.ts";
import { getJournalEntry } from "./list-journal-entries.ts";
import { postDraftLines } from "./posting.ts";
import { requireKnownReferences } from "./references.ts";

type Operations = typeof journalEntries.operations;
const publish = eventPublisher("ledger");

/** Locks an entry until the commit. Throws a 404 for an unknown entry or a deleted draft. */
export const lockEntry = (tx: OrgTx, id: string): Promise<JournalEntry> => tx.getForUpdate(JournalEntry, id, "Journal entry", { deletedAt: null });

type RequestedLine = BodyOf<Operations["createJournalEntry"]>["lines"][number];

/** Returns the lines of a request as they are stored, in order. Throws a 400 that names a line on an unknown or control account. */
export function storedLines(lines: readonly RequestedLine[], chart: Chart): StoredLine[] {
  const ids = newSortedIds(lines.length);
  const stored = lines.map((line, index) => storedLine(line, ids[index]!, index, chart));
  requireNoControlAccounts(chart, stored);
  return stored;
}

function storedLine(line: RequestedLine, id: string, index: number, chart: Chart): StoredLine {
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

/** Changes the members of a draft that are sent; the lines are replaced as a whole. Throws a 409 for an entry that is not a draft. */
export async function updateJournalEntry(
  db: OrgDb,
  clients: Clients,
  id: string,
  { lines, memo, occurredAt }: BodyOf<Operations["updateJournalEntry"]>,
): Promise<{ journalEntry: View }> {
  const newLines = lines && storedLines(lines, await getChart(db));
  const totals = newLines && sumLines(newLines);
  if (newLines) await requireKnownReferences(db, clients.portfolio, newLines);
  return transaction(db, async (tx) => {
    const entry = await lockEntry(tx, id);
    requireDraft(entry.status, "changed");
    const { timezone } = await getLedgerSettings(tx);
    tx.assign(entry, {
      updatedAt: now(),
      ...(memo !== undefined && { memo }),
      ...(occurredAt !== undefined && { occurredAt: new Date(occurredAt), entryDate: localDateOf(occurredAt, timezone) }),
      ...(totals && { draftLines: newLines, debitTotalCents: totals.debitCents, creditTotalCents: totals.creditCents }),
    });
    return { journalEntry: await getJournalEntry(tx, id) };
  });
}

/** Soft-deletes a draft. Throws a 409 for an entry that is not a draft. */
export const deleteJournalEntry = (db: OrgDb, id: string): Promise<{ journalEntry: View }> =>
  transaction(db, async (tx) => {
    const entry = await lockEntry(tx, id);
    requireDraft(entry.status, "deleted");
    tx.assign(entry, { deletedAt: now() });
    return { journalEntry: await getJournalEntry(tx, id, { includeDeleted: true }) };
  });

/** Posts a draft, on its own date or at `occurredAt`. Throws a 400 when it does not balance. */
export function postJournalEntry(db: OrgDb, id: string, occurredAt: string | undefined, overrideReason: string | undefined): Promise<{ journalEntry: View }> {
  return transaction(db, async (tx) => {
    const entry = await lockEntry(tx, id);
    const status = journalEntryStateMachine.transition(entry.status, "posted");
    requireBalanced({ debitCents: entry.debitTotalCents, creditCents: entry.creditTotalCents });
    const lines = entry.draftLines!;
    // A draft may be older than the rule.
    requireNoControlAccounts(await getChart(tx), lines);
    const { timezone } = await getLedgerSettings(tx);
    const effectiveAt = occurredAt ? new Date(occurredAt) : entry.occurredAt;
    const entryDate = localDateOf(effectiveAt, timezone);
    await requireOpenPeriod(tx, entryDate, overrideReason);
    tx.assign(entry, { status, draftLines: null, occurredAt: effectiveAt, entryDate, overrideReason: overrideReason ?? null });
    await tx.flush();
    await postDraftLines(tx, id, entryDate, lines);
    await publish(tx, "journal_entry.posted", { entityId: id, data: {} });
    return { journalEntry: await getJournalEntry(tx, id) };
  });
}
