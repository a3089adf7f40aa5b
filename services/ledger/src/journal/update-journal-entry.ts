/** Change and deletion of draft journal entries. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { getChart } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { requireDraft, sumLines } from "./journal.rules.ts";
import { lockEntry, getJournalEntry } from "./journal-entries.ts";
import { requireKnownReferences } from "./references.ts";
import { storedLines } from "./requested-lines.ts";

type Operations = typeof journalEntries.operations;

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
