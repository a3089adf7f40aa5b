/** Lines of a requested manual entry. */
import type { journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { BodyOf } from "@freehold/contract/operation";
import { requireAccount, requireNoControlAccounts, type Chart } from "../chart/categories.ts";
import { invalid } from "@freehold/kit/errors";
import { newSortedIds } from "../ids.ts";
import type { StoredLine } from "./journal.rules.ts";

type Operations = typeof journalEntries.operations;
type RequestedLine = BodyOf<Operations["createJournalEntry"]>["lines"][number];

/** Returns the lines of a request as they are stored, in order. Throws a 400 that names a line on an unknown or control account. */
export function storedLines(lines: readonly RequestedLine[], chart: Chart): StoredLine[] {
  const ids = newSortedIds(lines.length);
  const stored = lines.map((line, index) => storedLine(line, ids[index]!, index, chart));
  requireNoControlAccounts(chart, stored);
  return stored;
}

function storedLine(line: RequestedLine, id: string, index: number, chart: Chart): StoredLine {
  const accountId = requireAccount(chart, line.accountId, `lines.${index}.accountId`);
  const { propertyId = null, unitId = null, ownerId = null, bankAccountId = null, description = null } = line;
  if (bankAccountId && !chart.findAccount(accountId)!.isBank) {
    const message = "Only a line on a bank account of the chart names a bank account. Leave bankAccountId out.";
    throw invalid([{ path: `lines.${index}.bankAccountId`, code: "not_allowed", message }]);
  }
  return {
    id,
    accountId,
    cashAccountId: accountId,
    debitCents: line.debitCents ?? 0,
    creditCents: line.creditCents ?? 0,
    propertyId,
    unitId,
    ownerId,
    bankAccountId,
    description,
  };
}

/** Returns the properties of lines, each once. */
export const propertiesOf = (lines: readonly { propertyId?: string | null | undefined }[]): string[] => [
  ...new Set(lines.flatMap(({ propertyId }) => propertyId ?? [])),
];
