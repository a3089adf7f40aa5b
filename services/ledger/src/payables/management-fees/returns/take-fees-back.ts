/** Management fees of a reversed payment: taken back in the transaction of the reversal. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Chart } from "../../../chart/categories.ts";
import type { LedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockBankAccounts, type LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import { lockExpenses } from "../../expense-payments/post-expense-allocations.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import { feeWithout } from "../calculation/fee.rules.ts";
import { lockFeesOfProperties } from "../lock-fees.ts";
import { ManagementFee, ManagementFeeBase, ManagementFeeRun } from "../runs/run.entity.ts";
import { selectCountedAmounts, type CountedAmount } from "./fees-of-payment.queries.ts";
import { postReturn } from "./post-return.ts";
import { ManagementFeeReturn } from "./return.entity.ts";

const publish = eventPublisher("ledger");

/** Locked fees that count the money of a payment. */
export interface FeesOfPayment {
  amounts: readonly CountedAmount[];
  fees: ReadonlyMap<string, ManagementFee>;
  expenses: ReadonlyMap<string, Expense>;
  accounts: ReadonlyMap<string, LockedAccount>;
}

/** Locks the fees that count the money of a locked payment, with their expenses and the trust accounts in which they were collected. */
export async function lockFeesOfPayment(tx: OrgTx, paymentId: string): Promise<FeesOfPayment> {
  const found = await tx.all(selectCountedAmounts(tx, paymentId));
  if (found.length === 0) return { amounts: [], fees: new Map(), expenses: new Map(), accounts: new Map() };
  await lockFeesOfProperties(
    tx,
    found.map(({ propertyId }) => propertyId),
  );
  // A run may have been reversed until its fees were locked.
  const amounts = await tx.all(selectCountedAmounts(tx, paymentId));
  const fees = await tx.findAllForUpdate(
    ManagementFee,
    amounts.map(({ feeId }) => feeId),
  );
  const expenses = await lockExpenses(
    tx,
    amounts.flatMap(({ expenseId }) => (expenseId ? [{ expenseId }] : [])),
  );
  const accounts = await lockBankAccounts(
    tx,
    amounts.flatMap(({ bankAccountId }) => bankAccountId ?? []),
  );
  return { amounts, fees: new Map(fees.map((fee) => [fee.id, fee])), expenses, accounts };
}

/** Takes the fees of a reversed payment back, on the day of its reversal or, if later, of the fees. */
export async function takeFeesBack(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  { amounts, fees, expenses, accounts }: FeesOfPayment,
  paymentId: string,
  reversedOn: string,
): Promise<void> {
  for (const group of Map.groupBy(amounts, ({ runId, expenseId, propertyId, categoryId }) => `${runId} ${expenseId} ${propertyId} ${categoryId}`).values()) {
    const { runId, propertyId, categoryId, expenseId, expensePaymentId, bankAccountId } = group[0]!;
    const amountCents = lowerFees(tx, fees, group, paymentId);
    if (amountCents === 0) continue;
    const expense = expenseId ? expenses.get(expenseId)! : null;
    const account = bankAccountId ? accounts.get(bankAccountId)! : null;
    const taken = { runId, propertyId, categoryId, amountCents, expense, expensePaymentId, account };
    for (const returned of await postReturn(tx, settings, chart, taken, reversedOn)) {
      const cents = returned.amountCents as ManagementFee["amountCents"];
      tx.create(ManagementFeeReturn, { id: newId(), runId, expenseId, propertyId, paymentId, ...returned, amountCents: cents, offsetByRunId: null });
    }
    await tx.flush();
    await publishTakenBack(tx, runId, paymentId);
  }
}

/** Lowers the fees by what the payment no longer contributes to them, and returns by how much. */
function lowerFees(tx: OrgTx, fees: ReadonlyMap<string, ManagementFee>, amounts: readonly CountedAmount[], paymentId: string): number {
  type Cents = ManagementFee["amountCents"];
  let sum = 0;
  for (const { feeId, chargeId, allocationId, amountCents: counted } of amounts) {
    const fee = fees.get(feeId)!;
    const { baseCents, amountCents, loweredCents } = feeWithout({ baseCents: fee.baseCents, amountCents: fee.amountCents, rate: fee.rate ?? null }, counted);
    tx.assign(fee, { baseCents: baseCents as Cents, amountCents: amountCents as Cents, reversedCents: (fee.reversedCents + loweredCents) as Cents });
    tx.create(ManagementFeeBase, { feeId, chargeId, paymentId, allocationId, amountCents: (0 - counted) as Cents, isTakenBack: true });
    sum += loweredCents;
  }
  return sum;
}

async function publishTakenBack(tx: OrgTx, runId: string, paymentId: string): Promise<void> {
  const { periodStart, periodEnd } = (await tx.findOne(ManagementFeeRun, { id: runId }))!;
  await publish(tx, "management_fee_run.fees_taken_back", { entityId: runId, data: { periodStart, periodEnd, paymentId } });
}
