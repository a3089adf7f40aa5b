/** Rules of double-entry bookkeeping. */
import type { Cents } from "@freehold/contract/values";
import { stateMachine } from "@freehold/kit/state-machine";
import { conflict, invalid } from "@freehold/kit/errors";

export const journalEntryStateMachine = stateMachine("journal entry", { draft: ["posted"], posted: ["reversed"], reversed: [] });

/** Throws a 409 unless the entry is a draft, naming the remedy for a posted one. */
export function requireDraft(status: keyof typeof journalEntryStateMachine.table, change: "changed" | "deleted"): void {
  if (status === "draft") return;
  const remedy = status === "posted" ? "Reverse it and create a new entry instead." : "Create a new entry instead.";
  throw conflict(`The journal entry is ${status}. Only drafts can be ${change}. ${remedy}`, "invalid_transition");
}

/** Dimensions of a line besides its account, for reports by property, owner, lease or tenant, and for the trail of a charge or payment. */
export interface Dimensions {
  propertyId?: string | null;
  unitId?: string | null;
  ownerId?: string | null;
  leaseId?: string | null;
  tenantId?: string | null;
  vendorId?: string | null;
  bankAccountId?: string | null;
  chargeId?: string | null;
  paymentId?: string | null;
  expenseId?: string | null;
  /** Security deposit, not the deposit of payments at a bank. */
  depositId?: string | null;
  description?: string | null;
}

/** Line of a journal entry: a debit or a credit of one account. */
export interface EntryLine extends Dimensions {
  accountId: string;
  debitCents: number;
  creditCents: number;
  /** Account on the cash basis: the same account, that of the settled charge, or null for amounts earned but not received. */
  cashAccountId: string | null;
}

/** Line with the id of its row. */
export interface StoredLine extends EntryLine {
  id: string;
}

/** Returns a line that debits the account. */
export const debit = (accountId: string, amountCents: number, dimensions: Dimensions = {}, cashAccountId: string | null = accountId): EntryLine => ({
  ...dimensions,
  accountId,
  cashAccountId,
  debitCents: amountCents,
  creditCents: 0,
});
/** Returns a line that credits the account. */
export const credit = (accountId: string, amountCents: number, dimensions: Dimensions = {}, cashAccountId: string | null = accountId): EntryLine => ({
  ...dimensions,
  accountId,
  cashAccountId,
  debitCents: 0,
  creditCents: amountCents,
});

type Amounts = Pick<EntryLine, "debitCents" | "creditCents">;

/** Total debits and credits of a journal entry. */
export interface EntryTotals {
  debitCents: Cents;
  creditCents: Cents;
}

/** Returns the exact total debits and credits. Totals of operations may exceed the largest safe integer, because one amount passes through several accounts. */
export function exactTotals(lines: readonly Amounts[]): { debitCents: bigint; creditCents: bigint } {
  const sum = (side: keyof Amounts) => lines.reduce((total, line) => total + BigInt(line[side]), 0n);
  return { debitCents: sum("debitCents"), creditCents: sum("creditCents") };
}

/** Returns the total debits and credits of a manual entry, or throws a 400 when either exceeds the largest safe integer. */
export function sumLines(lines: readonly Amounts[]): EntryTotals {
  const { debitCents, creditCents } = exactTotals(lines);
  if (debitCents > Number.MAX_SAFE_INTEGER || creditCents > Number.MAX_SAFE_INTEGER) {
    throw invalid([{ path: "lines", code: "max", message: "The lines add up to more than the largest supported amount. Split the entry." }]);
  }
  return { debitCents: Number(debitCents), creditCents: Number(creditCents) } as EntryTotals;
}

/** Throws a 400 unless debits equal credits. */
export function requireBalanced({ debitCents, creditCents }: EntryTotals): void {
  if (debitCents === creditCents) return;
  throw invalid([
    { path: "lines", code: "mismatch", message: `Debits are ${debitCents} and credits ${creditCents} cents. Make them equal, or keep the entry as a draft.` },
  ]);
}

/** Returns the lines with debits and credits exchanged. */
export const reverseLines = (lines: readonly EntryLine[]): EntryLine[] =>
  lines.map((line) => ({ ...line, debitCents: line.creditCents, creditCents: line.debitCents }));
