/**
 * Default memos of reversals: "Reversal: " (10 code units) and the memo of the entry, truncated to 500 code units. A memo of 489 letters
 * and an emoji has 491 code units, which the contract accepts, and truncation at its unit 490 would split the emoji.
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
