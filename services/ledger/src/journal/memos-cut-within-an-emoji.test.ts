/**
 * Memos of reversals: without a memo of its own a reversal has "Reversal: " (10 code units) with the memo of the entry, cut to 500. A memo
 * of 489 letters and an emoji, 491 units, is within the 500 that the contract accepts, and its emoji is cut in half at unit 490.
 */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";

test.each([
  ["control: letters", "a".repeat(491)],
  ["an emoji where the memo of the reversal ends", `${"a".repeat(489)}🏠`],
])("an entry with a long memo is reversed: %s", async (_name, memo) => {
  const office = await anOffice();
  const { categories } = await office.call("listCategories");
  const idOf = (code: string) => categories.find((category) => category.code === code)!.id;
  const lines = [
    { accountId: idOf("1000"), debitCents: 100 },
    { accountId: idOf("3000"), creditCents: 100 },
  ];
  const { journalEntry } = await office.call("createJournalEntry", { body: { memo, occurredAt: "2026-01-05T15:00:00.000Z", lines } });
  const reversal = await office.attempt("reverseJournalEntry", { params: { id: journalEntry.id }, body: {} });
  expect(reversal.status).toBe(200);
});
