/** Entries by hand, for tests: accounts by their codes, a debit above zero and a credit below. */
import type { JournalEntry } from "@freehold/contract/journal-entries";
import type { Colleague } from "../../../../test/office.ts";

export type Side = [accountCode: string, cents: number];

/** The ids of an organization's accounts by their codes. */
export async function chartBy(office: Colleague): Promise<Record<string, string>> {
  const { categories } = await office.call("listCategories");
  return Object.fromEntries(categories.map(({ code, id }) => [code, id]));
}

interface Change {
  memo?: string;
  occurredAt?: string;
  status?: "draft" | "posted";
  propertyId?: string;
}

/** What to send to write an entry. */
export const anEntry = (chart: Record<string, string>, sides: readonly Side[], { propertyId, ...change }: Change = {}) => ({
  memo: "By hand",
  occurredAt: "2026-02-01T12:00:00Z",
  lines: sides.map(([code, cents]) => ({
    accountId: chart[code]!,
    ...(cents > 0 ? { debitCents: cents } : { creditCents: -cents }),
    ...(propertyId && { propertyId }),
  })),
  ...change,
});

export async function writeEntry(office: Colleague, chart: Record<string, string>, sides: readonly Side[], change: Change = {}): Promise<JournalEntry> {
  return (await office.call("createJournalEntry", { body: anEntry(chart, sides, change) })).journalEntry;
}
