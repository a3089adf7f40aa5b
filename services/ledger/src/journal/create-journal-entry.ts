/** Creation of manual journal entries and drafts. */
import type { JournalEntry as View, journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { localDateOf } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { requireOpenPeriod } from "../periods/require-open-period.ts";
import { JournalEntry } from "./journal-entry.entity.ts";
import { requireBalanced, sumLines } from "./journal.rules.ts";
import { lockLinesAtBanks } from "../trust/bank-accounts/manual-lines.ts";
import { getJournalEntry } from "./journal-entries.ts";
import { postEntries } from "./posting.ts";
import { requireKnownReferences } from "./references.ts";
import { propertiesOf, storedLines } from "./requested-lines.ts";
import { findOwnershipOf } from "../owners/owned-properties.ts";
import { requireMoneyOfManualEntry } from "../owners/money-of-manual-entry.ts";

type Operations = typeof journalEntries.operations;
const publish = eventPublisher("ledger");

/** Creates a manual entry: posted, if its debits equal its credits, or a draft, which need not balance. */
export async function createJournalEntry(
  db: OrgDb,
  clients: Clients,
  body: BodyOf<Operations["createJournalEntry"]>,
  overrideReason: string | undefined,
): Promise<{ journalEntry: View; warnings: string[] }> {
  const chart = await getChart(db);
  const lines = storedLines(body.lines, chart);
  const totals = sumLines(lines);
  if (body.status === "posted") requireBalanced(totals);
  await requireKnownReferences(db, clients.portfolio, lines);
  const properties = body.status === "posted" ? await findOwnershipOf(db, clients, propertiesOf(lines)) : [];
  const id = newId();
  return transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    const { timezone } = settings;
    if (body.status === "posted") {
      const entryDate = localDateOf(body.occurredAt, timezone);
      const banked = await lockLinesAtBanks(tx, chart, lines);
      await requireOpenPeriod(tx, entryDate, overrideReason);
      await postEntries(tx, timezone, [
        {
          id,
          memo: body.memo,
          occurredAt: new Date(body.occurredAt),
          source: "manual",
          isDateFixed: true,
          overrideReason,
          lines: banked.lines,
        },
      ]);
      await requireMoneyOfManualEntry(tx, settings, chart, banked.accounts, properties, id);
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
    return { journalEntry: await getJournalEntry(tx, id), warnings: tx.warnings };
  });
}
