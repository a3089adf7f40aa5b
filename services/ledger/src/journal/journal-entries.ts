/** Manual journal entries: create and reverse. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { requireOpenPeriod } from "../periods/require-open-period.ts";
import { lockEntry, storedLines } from "./draft-entries.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { journalEntryStateMachine, requireBalanced, sumLines } from "./journal.rules.ts";
import { getJournalEntry } from "./list-journal-entries.ts";
import { postEntries, reverseEntries } from "./posting.ts";
import { requireKnownReferences } from "./references.ts";

type Operations = typeof journalEntries.operations;
const publish = eventPublisher("ledger");

/** Creates a manual entry: posted, if its debits equal its credits, or a draft, which need not balance. */
export async function createJournalEntry(
  db: OrgDb,
  clients: Clients,
  body: BodyOf<Operations["createJournalEntry"]>,
  overrideReason: string | undefined,
): Promise<{ journalEntry: View }> {
  const lines = storedLines(body.lines, await getChart(db));
  const totals = sumLines(lines);
  if (body.status === "posted") requireBalanced(totals);
  await requireKnownReferences(db, clients.portfolio, lines);
  const id = newId();
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    if (body.status === "posted") {
      await requireOpenPeriod(tx, localDateOf(body.occurredAt, timezone), overrideReason);
      await postEntries(tx, timezone, [
        { id, memo: body.memo, occurredAt: new Date(body.occurredAt), source: "manual", isDateFixed: true, overrideReason, lines },
      ]);
      await publish(tx, "journal_entry.posted", { entityId: id, data: {} });
    } else {
      tx.create(JournalEntry, {
        id,
        memo: body.memo,
        occurredAt: new Date(body.occurredAt),
        entryDate: localDateOf(body.occurredAt, timezone),
        status: "draft",
        source: "manual",
        debitTotalCents: totals.debitCents,
        creditTotalCents: totals.creditCents,
        draftLines: lines,
        createdByUserId: db.principal.userId,
        reversesId: null,
        reversedById: null,
        movedFrom: null,
        overrideReason: null,
        deletedAt: null,
      });
    }
    return { journalEntry: await getJournalEntry(tx, id) };
  });
}

/**
 * Reverses a manual entry, or the bank's fee for a returned payment, on its own date at the earliest. Other entries of operations
 * are undone by the operation that voids or reverses their charge, payment, refund or deposit.
 */
export function reverseJournalEntry(
  db: OrgDb,
  id: string,
  { occurredAt, memo }: BodyOf<Operations["reverseJournalEntry"]>,
): Promise<{ journalEntry: View; reversal: View }> {
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const entry = await lockEntry(tx, id);
    requireReversible(entry);
    if (occurredAt && localDateOf(occurredAt, timezone) < entry.entryDate)
      throw invalid([{ path: "occurredAt", code: "before_start", message: `occurredAt cannot be before the date of the entry, ${entry.entryDate}.` }]);
    const reversalIds = await reverseEntries(tx, timezone, [id], {
      occurredAt: occurredAt ? new Date(occurredAt) : now(),
      memo: memo ?? `Reversal: ${entry.memo}`.slice(0, 500),
    });
    const reversalId = reversalIds.get(id)!;
    await publish(tx, "journal_entry.reversed", { entityId: id, data: { reversedById: reversalId } });
    return { journalEntry: await getJournalEntry(tx, id), reversal: await getJournalEntry(tx, reversalId) };
  });
}

const REVERSIBLE_SOURCES: readonly string[] = ["manual", "bank_fee"];

function requireReversible(entry: JournalEntry): void {
  if (entry.status === "reversed") throw conflict("The entry has already been reversed.", "already_reversed");
  if (!REVERSIBLE_SOURCES.includes(entry.source))
    throw conflict(
      entry.source === "reversal"
        ? "A reversal cannot be reversed. Create a new entry instead."
        : "This entry belongs to another record. Undo that instead: void the charge, refund or deposit, remove the allocation, or reverse the payment or credit.",
      "resource_in_use",
    );
  journalEntryStateMachine.transition(entry.status, "reversed");
}
