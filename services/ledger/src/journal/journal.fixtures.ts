/** Manual journal entries for tests. Lines are account codes with signed amounts: debits are positive, credits negative. */
import type { JournalEntry } from "@freehold/contract/ledger/journal-entries";
import type { Colleague } from "../../../../test/support/office.ts";

export type SignedLine = [accountCode: string, cents: number];

/** Returns the ids of an organization's accounts by code. */
export async function accountIdsByCode(office: Colleague): Promise<Record<string, string>> {
  const { categories } = await office.call("listCategories");
  return Object.fromEntries(categories.map(({ code, id }) => [code, id]));
}

interface EntryOptions {
  memo?: string;
  occurredAt?: string;
  status?: "draft" | "posted";
  /** Property of every line. */
  propertyId?: string;
}

/** Returns the request body of `createJournalEntry`. */
export const entryBody = (accountIds: Record<string, string>, lines: readonly SignedLine[], { propertyId, ...options }: EntryOptions = {}) => ({
  memo: "Manual entry",
  occurredAt: "2026-02-01T12:00:00Z",
  lines: lines.map(([code, cents]) => ({
    accountId: accountIds[code]!,
    ...(cents > 0 ? { debitCents: cents } : { creditCents: -cents }),
    ...(propertyId && { propertyId }),
  })),
  ...options,
});

/** Creates a manual entry, by default posted, through the API. */
export async function createEntry(
  office: Colleague,
  accountIds: Record<string, string>,
  lines: readonly SignedLine[],
  options: EntryOptions = {},
): Promise<JournalEntry> {
  return (await office.call("createJournalEntry", { body: entryBody(accountIds, lines, options) })).journalEntry;
}
