/** Reversal of journal entries. */
import { truncate } from "@freehold/kit/truncate";
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict, invalid } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../chart/categories.ts";
import { lockAccountsOfEntries } from "../trust/bank-accounts/trust-funds.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import type { Clients } from "../clients.ts";
import { findOwnershipOf } from "../owners/owned-properties.ts";
import { requireMoneyOfManualEntry } from "../owners/money-of-manual-entry.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { journalEntryStateMachine } from "./journal.rules.ts";
import { lockEntry, getJournalEntry } from "./journal-entries.ts";
import { reverseEntries } from "./posting.ts";
import { propertiesOf } from "./requested-lines.ts";

type Operations = typeof journalEntries.operations;
const publish = eventPublisher("ledger");

/**
 * Reverses a manual entry, the opening balance of a bank account, or the bank's fee for a returned payment, on its own date at the earliest. Other entries of operations
 * are undone by the operation that voids or reverses their charge, payment, refund or deposit.
 */
export async function reverseJournalEntry(
  db: OrgDb,
  clients: Clients,
  id: string,
  { occurredAt, memo }: BodyOf<Operations["reverseJournalEntry"]>,
): Promise<{ journalEntry: View; reversal: View; warnings: string[] }> {
  const properties = await findOwnershipOf(db, clients, propertiesOf((await getJournalEntry(db, id)).lines));
  return transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    const { timezone } = settings;
    const entry = await lockEntry(tx, id);
    requireReversible(entry);
    if (occurredAt && localDateOf(occurredAt, timezone) < entry.entryDate)
      throw invalid([{ path: "occurredAt", code: "before_start", message: `occurredAt cannot be before the date of the entry, ${entry.entryDate}.` }]);
    const accounts = await lockAccountsOfEntries(tx, [id]);
    const reversalIds = await reverseEntries(tx, timezone, [id], {
      occurredAt: occurredAt ? new Date(occurredAt) : now(),
      memo: memo ?? truncate(`Reversal: ${entry.memo}`, 500),
    });
    const reversalId = reversalIds.get(id)!;
    const chart = await getChart(tx);
    await requireMoneyOfManualEntry(tx, settings, chart, accounts, properties, reversalId);
    await publish(tx, "journal_entry.reversed", { entityId: id, data: { reversedById: reversalId } });
    return { journalEntry: await getJournalEntry(tx, id), reversal: await getJournalEntry(tx, reversalId), warnings: tx.warnings };
  });
}

const REVERSIBLE_SOURCES: readonly string[] = ["manual", "bank_fee", "opening_balance"];

function requireReversible(entry: JournalEntry): void {
  if (entry.status === "reversed") throw conflict("The entry has already been reversed.", "already_reversed");
  if (!REVERSIBLE_SOURCES.includes(entry.source))
    throw conflict(
      entry.source === "reversal"
        ? "A reversal cannot be reversed. Create a new entry instead."
        : "This entry belongs to another record. Undo that instead: void the charge, refund, deposit, transfer, expense, expense payment or bank adjustment, remove the allocation, or reverse the payment or credit.",
      "resource_in_use",
    );
  journalEntryStateMachine.transition(entry.status, "reversed");
}
