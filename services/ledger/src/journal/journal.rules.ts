/** The arithmetic of double entry. */
import type { Cents } from "@freehold/contract/values";
import { stateMachine } from "@freehold/kit/state-machine";
import { invalid } from "@freehold/kit/errors";

export const journalEntryFlow = stateMachine("journal entry", { draft: ["posted"], posted: ["reversed"], reversed: [] });

/** What a line is about, besides its account. */
export interface Subject {
  propertyId?: string | null;
  unitId?: string | null;
  ownerId?: string | null;
  leaseId?: string | null;
  tenantId?: string | null;
  description?: string | null;
}

export interface Line extends Subject {
  accountId: string;
  debitCents: number;
  creditCents: number;
  /** The account in the cash view: itself, what it settled, or null for what is only earned, not received. */
  cashAccountId: string | null;
}

export interface DraftLine extends Line {
  id: string;
}

export const debit = (accountId: string, amountCents: number, subject: Subject = {}, cashAccountId: string | null = accountId): Line => ({
  ...subject,
  accountId,
  cashAccountId,
  debitCents: amountCents,
  creditCents: 0,
});
export const credit = (accountId: string, amountCents: number, subject: Subject = {}, cashAccountId: string | null = accountId): Line => ({
  ...subject,
  accountId,
  cashAccountId,
  debitCents: 0,
  creditCents: amountCents,
});

export interface Totals {
  debitCents: Cents;
  creditCents: Cents;
}

/** The two sums of an entry; more than can be counted exactly is refused. */
export function totals(lines: readonly { debitCents: number; creditCents: number }[]): Totals {
  const sum = (pick: (line: { debitCents: number; creditCents: number }) => number) => lines.reduce((total, line) => total + pick(line), 0);
  const both = { debitCents: sum((line) => line.debitCents), creditCents: sum((line) => line.creditCents) };
  if (!Number.isSafeInteger(both.debitCents) || !Number.isSafeInteger(both.creditCents)) {
    throw invalid([{ path: "lines", code: "max", message: "The lines add up to more than can be counted exactly. Split the entry." }]);
  }
  return both as Totals;
}

/** An entry can be posted only when its debits equal its credits. */
export function requireBalance({ debitCents, creditCents }: Totals): void {
  if (debitCents === creditCents) return;
  throw invalid([
    { path: "lines", code: "mismatch", message: `Debits are ${debitCents} and credits ${creditCents} cents. Make them equal, or keep the entry as a draft.` },
  ]);
}

/** The exact opposite of lines: every debit a credit, and all else the same. */
export const opposite = (lines: readonly Line[]): Line[] => lines.map((line) => ({ ...line, debitCents: line.creditCents, creditCents: line.debitCents }));
