/** Commands of random histories on journal entries. */
import { expect } from "@jest/globals";
import { attemptExpecting, expectedOutcome, randomDate, type Command } from "./command-context.ts";
import { entryBody } from "../../src/journal/journal.fixtures.ts";

/** Creates an entry of one cent of utilities paid from the bank; some are unbalanced or name an account of another organization. */
export const createJournalEntry: Command = async (context) => {
  const { office, accountIds, foreign, model, random } = context;
  const isForeign = random.chance(0.05);
  const isBalanced = random.chance(0.8);
  const status = random.pick(["draft", "posted"] as const)!;
  const date = randomDate(random);
  const isAllowed = !isForeign && (status === "draft" || (isBalanced && model.isOpen(date)));
  const lines: [string, number][] = [
    ["5010", 1],
    ["1000", isBalanced ? -1 : -2],
  ];
  const body = entryBody(isForeign ? { ...accountIds, "1000": foreign.accountId } : accountIds, lines, { status, occurredAt: `${date}T12:00:00Z` });
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("createJournalEntry", { body }));
  if (!isAllowed) return "refused";
  const { id } = response.body.journalEntry;
  model.entries.set(id, { id, date, isBalanced, status });
  model.entryCount++;
  return "accepted";
};

export const postJournalEntry: Command = async (context) => {
  const { office, model, random } = context;
  const entry = random.pick(model.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "draft" && entry.isBalanced && model.isOpen(entry.date);
  await attemptExpecting(context, isAllowed, () => office.attempt("postJournalEntry", { params: { id: entry.id }, body: {} }));
  if (isAllowed) entry.status = "posted";
  return expectedOutcome(isAllowed);
};

export const reverseJournalEntry: Command = async (context) => {
  const { office, model, random } = context;
  const entry = random.pick(model.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "posted";
  await attemptExpecting(context, isAllowed, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  if (!isAllowed) return "refused";
  entry.status = "reversed";
  model.entryCount++;
  return "accepted";
};

/** Attempts to reverse the entry of a charge or payment, which is always refused. */
export const reverseOperationEntry: Command = async (context) => {
  const { office, model, random } = context;
  const source = random.pick(["charge", "payment"] as const)!;
  if ((source === "charge" ? model.charges : model.payments).size === 0) return undefined;
  const { journalEntries } = await office.call("listJournalEntries", { query: { source, status: "posted", page: 1, pageSize: 5 } });
  const entry = random.pick(journalEntries);
  if (!entry) return undefined;
  const { body } = await attemptExpecting(context, false, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  expect(["resource_in_use", "already_reversed"]).toContain(body.code);
  return "refused";
};
