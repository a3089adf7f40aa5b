/** Journal entries that take a fee back, by what has become of its expense. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now, startOfDay } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../../chart/categories.ts";
import { reverseLines, type EntryLine } from "../../../journal/journal.rules.ts";
import { postEntries, type SourceDocument } from "../../../journal/posting.ts";
import type { LedgerSettings } from "../../../settings/ledger-settings.ts";
import type { LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import { expenseLines } from "../../expenses/expense.rules.ts";
import { readManagerCents } from "../manager-money.ts";
import { collectedReturnLines, owedReturnLines, type PropertyFee } from "../runs/fee-posting.rules.ts";
import type { ReturnEffect } from "./return.entity.ts";

/** Fee of a run that is taken back, with its locked expense and the locked trust account in which the run collected fees. */
export interface FeeToTakeBack extends PropertyFee {
  runId: string;
  expense: Expense | null;
  expensePaymentId: string | null;
  account: LockedAccount | null;
}

/** Part of a fee that was taken back, with its entry. */
export interface PostedReturn {
  effect: ReturnEffect;
  amountCents: number;
  entryId: string;
}

/**
 * Takes a fee back: lowers what is unpaid of its expense; gives what the run has collected back to the owners, if the management company
 * still has it in the trust account; and records the rest as owed to the property (1150).
 */
export async function postReturn(tx: OrgTx, settings: LedgerSettings, chart: Chart, fee: FeeToTakeBack, reversedOn: string): Promise<PostedReturn[]> {
  const { expense, amountCents } = fee;
  const unpaidCents = Math.min(expense?.outstandingCents ?? 0, amountCents);
  const post = poster(tx, settings, fee.runId, expense?.incurredOn ?? reversedOn);
  const returns: PostedReturn[] = [];
  if (expense && unpaidCents > 0) returns.push(await lowerExpense(tx, chart, expense, unpaidCents, reversedOn, post));
  if (amountCents > unpaidCents) returns.push(await returnPaid(tx, chart, { ...fee, amountCents: amountCents - unpaidCents }, reversedOn, post));
  return returns;
}

type Post = (lines: readonly EntryLine[], day: string, document?: SourceDocument) => Promise<string>;

/** Returns a function that posts an entry on a day, not before that of the fee, and returns its id. Without a document, it is one of the run. */
const poster =
  (tx: OrgTx, { timezone }: LedgerSettings, runId: string, chargedOn: string): Post =>
  async (lines, day, document = { type: "management_fee_run", id: runId }) => {
    const [id, entryDate] = [newId(), maxDate(day, chargedOn)];
    const memo = "Management fee of a reversed payment";
    await postEntries(tx, timezone, [{ id, memo, occurredAt: startOfDay(entryDate, timezone), entryDate, source: "management_fee", document, lines }]);
    return id;
  };

/** Lowers an expense by an unpaid amount. One of which nothing is left is voided. */
async function lowerExpense(tx: OrgTx, chart: Chart, expense: Expense, amountCents: number, day: string, post: Post): Promise<PostedReturn> {
  type Cents = Expense["amountCents"];
  const { id, propertyId, categoryId } = expense;
  const lines = reverseLines(expenseLines(chart, { id, propertyId, categoryId, amountCents: amountCents as Cents }));
  const entryId = await post(lines, day, { type: "expense", id });
  const restCents = (expense.amountCents - amountCents) as Cents;
  const none = { status: "voided" as const, outstandingCents: 0 as Cents, voidedAt: now(), voidReason: "The payments of its fees were reversed" };
  tx.assign(expense, restCents === 0 ? none : { amountCents: restCents, outstandingCents: (restCents - expense.paidCents) as Cents });
  return { effect: "unpaid", amountCents, entryId };
}

/** Gives a paid fee back in the trust account, not before the day of its collection there, or records it as owed to the property. */
async function returnPaid(tx: OrgTx, chart: Chart, fee: FeeToTakeBack, reversedOn: string, post: Post): Promise<PostedReturn> {
  const { account, amountCents } = fee;
  const expenseId = fee.expense?.id;
  const collectedOn = account?.isActive ? await findCollectionDay(tx, fee) : undefined;
  const day = maxDate(reversedOn, collectedOn ?? reversedOn);
  if (!account || !collectedOn || (await readManagerCents(tx, chart, account, day)) < amountCents)
    return { effect: "owed", amountCents, entryId: await post(owedReturnLines(chart, { ...fee, expenseId }), reversedOn) };
  const bank = { accountId: account.categoryId, bankAccountId: account.id };
  return { effect: "collected", amountCents, entryId: await post(collectedReturnLines(chart, bank, { ...fee, expenseId }), day) };
}

/** Returns the day on which the run itself has paid the expense of the fee in the trust account; undefined when it has not. */
async function findCollectionDay(tx: OrgTx, { expense, expensePaymentId }: FeeToTakeBack): Promise<string | undefined> {
  if (!expense || !expensePaymentId) return undefined;
  const row = await tx.first(sql<{ paidOn: string }>`select p.paid_on from expense_allocation a
      join expense_payment p on p.organization_id = a.organization_id and p.id = a.expense_payment_id
    where a.organization_id = ${tx.organizationId} and a.expense_id = ${expense.id} and p.id = ${expensePaymentId} and a.released_at is null`);
  return row?.paidOn;
}
