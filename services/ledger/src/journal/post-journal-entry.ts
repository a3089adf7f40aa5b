/** Posting of draft journal entries. */
import type { JournalEntry as View } from "@freehold/contract/ledger/journal-entries";
import { localDateOf } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Clients } from "../clients.ts";
import { getChart, requireNoControlAccounts } from "../chart/categories.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { requireOpenPeriod } from "../periods/require-open-period.ts";
import { journalEntryStateMachine, requireBalanced } from "./journal.rules.ts";
import { lockLinesAtBanks } from "../trust/bank-accounts/manual-lines.ts";
import { lockEntry, getJournalEntry } from "./journal-entries.ts";
import { postDraftLines } from "./posting.ts";
import { findOwnershipOf } from "../owners/owned-properties.ts";
import { requireMoneyOfManualEntry } from "../owners/money-of-manual-entry.ts";
import { requireKnownReferences } from "./references.ts";
import { propertiesOf } from "./requested-lines.ts";

const publish = eventPublisher("ledger");

/**
 * Posts a draft, on its own date or at `occurredAt`. Throws a 400 when it does not balance, and for a property, unit or owner that was deleted
 * since it was saved.
 */
export async function postJournalEntry(
  db: OrgDb,
  clients: Clients,
  id: string,
  occurredAt: string | undefined,
  overrideReason: string | undefined,
): Promise<{ journalEntry: View; warnings: string[] }> {
  const { lines } = await getJournalEntry(db, id);
  await requireKnownReferences(db, clients.portfolio, lines);
  const properties = await findOwnershipOf(db, clients, propertiesOf(lines));
  return transaction(db, async (tx) => {
    const entry = await lockEntry(tx, id);
    const status = journalEntryStateMachine.transition(entry.status, "posted");
    requireBalanced({ debitCents: entry.debitTotalCents, creditCents: entry.creditTotalCents });
    const chart = await getChart(tx);
    // The draft may have been saved before manual lines on control accounts were refused.
    requireNoControlAccounts(chart, entry.draftLines!);
    const banked = await lockLinesAtBanks(tx, chart, entry.draftLines!);
    const settings = await getLedgerSettings(tx);
    const { timezone } = settings;
    const effectiveAt = occurredAt ? new Date(occurredAt) : entry.occurredAt;
    const entryDate = localDateOf(effectiveAt, timezone);
    await requireOpenPeriod(tx, entryDate, overrideReason);
    tx.assign(entry, { status, draftLines: null, occurredAt: effectiveAt, entryDate, overrideReason: overrideReason ?? null });
    await tx.flush();
    await postDraftLines(tx, id, entryDate, banked.lines);
    await requireMoneyOfManualEntry(tx, settings, chart, banked.accounts, properties, id);
    await publish(tx, "journal_entry.posted", { entityId: id, data: {} });
    return { journalEntry: await getJournalEntry(tx, id), warnings: tx.warnings };
  });
}
