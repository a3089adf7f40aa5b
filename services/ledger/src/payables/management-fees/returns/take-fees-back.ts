/** Management fees of a reversed payment: taken back in the transaction of the reversal. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Chart } from "../../../chart/categories.ts";
import type { LedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockBankAccounts, type LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import { lockExpenses } from "../../expense-payments/post-expense-allocations.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import { chargedPart, lowerFees } from "../calculation/month-limits.rules.ts";
import { lockFeesOfProperties } from "../lock-fees.ts";
import { ManagementFee, ManagementFeeBase, ManagementFeeRun } from "../runs/run.entity.ts";
import { selectCountedAmounts, selectFeesOfMonths, type CountedAmount, type FeeOfMonth } from "./fees-of-payment.queries.ts";
import { postReturn } from "./post-return.ts";
import { ManagementFeeReturn } from "./return.entity.ts";

const publish = eventPublisher("ledger");

/** Amounts of a payment that fees count, and the locked fees of their months. */
export interface FeesOfPayment {
  amounts: readonly CountedAmount[];
  found: readonly FeeOfMonth[];
  fees: ReadonlyMap<string, ManagementFee>;
  expenses: ReadonlyMap<string, Expense>;
  accounts: ReadonlyMap<string, LockedAccount>;
}

const none: FeesOfPayment = { amounts: [], found: [], fees: new Map(), expenses: new Map(), accounts: new Map() };

/**
 * Locks the fees of the months in which the money of a locked payment counts, with their expenses and the trust accounts in which they
 * were collected.
 */
export async function lockFeesOfPayment(tx: OrgTx, paymentId: string): Promise<FeesOfPayment> {
  const counted = await tx.all(selectCountedAmounts(tx, paymentId));
  if (counted.length === 0) return none;
  await lockFeesOfProperties(
    tx,
    counted.map(({ propertyId }) => propertyId),
  );
  // A run may have been reversed until its fees were locked.
  const amounts = await tx.all(selectCountedAmounts(tx, paymentId));
  const found = await tx.all(
    selectFeesOfMonths(
      tx,
      amounts.map(({ feeId }) => feeId),
    ),
  );
  const fees = await tx.findAllForUpdate(
    ManagementFee,
    found.map(({ feeId }) => feeId),
  );
  const expenses = await lockExpenses(
    tx,
    found.flatMap(({ expenseId }) => (expenseId ? [{ expenseId }] : [])),
  );
  const accounts = await lockBankAccounts(
    tx,
    found.flatMap(({ bankAccountId }) => bankAccountId ?? []),
  );
  return { amounts, found, fees: new Map(fees.map((fee) => [fee.id, fee])), expenses, accounts };
}

/** Takes the fees of a reversed payment back, on the day of its reversal or, if later, of the fees. */
export async function takeFeesBack(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  { amounts, found, fees, expenses, accounts }: FeesOfPayment,
  paymentId: string,
  reversedOn: string,
): Promise<void> {
  const lowered = lowerAll(tx, amounts, [...fees.values()], paymentId);
  for (const group of Map.groupBy(found, ({ runId, expenseId, propertyId, categoryId }) => `${runId} ${expenseId} ${propertyId} ${categoryId}`).values()) {
    const { runId, propertyId, categoryId, expenseId, expensePaymentId, bankAccountId } = group[0]!;
    const amountCents = group.reduce((sum, { feeId }) => sum + (lowered.get(feeId) ?? 0), 0);
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

/** Lowers the fees by what the payment no longer contributes to their months, and returns by how much, by fee. */
function lowerAll(tx: OrgTx, amounts: readonly CountedAmount[], fees: readonly ManagementFee[], paymentId: string): Map<string, number> {
  type Cents = ManagementFee["amountCents"];
  const months = [...Map.groupBy(fees, ({ propertyId, month, kind }) => `${propertyId} ${month} ${kind}`).values()];
  const lowered = new Map<string, number>();
  for (const { feeId, chargeId, allocationId, amountCents: counted } of amounts) {
    const month = months.find((group) => group.some(({ id }) => id === feeId))!;
    const index = month.findIndex(({ id }) => id === feeId);
    const parts = month.map(({ agreementId, month: day, baseCents, computedCents, amountCents, isWaived, rate = null }) =>
      chargedPart({ agreementId, month: day, baseCents, computedCents, amountCents, isWaived, rate }),
    );
    for (const [each, cents] of lowerFees(parts, index, counted).entries()) {
      const fee = month[each]!;
      const baseCents = (each === index ? fee.baseCents - counted : fee.baseCents) as Cents;
      tx.assign(fee, { baseCents, amountCents: (fee.amountCents - cents) as Cents, reversedCents: (fee.reversedCents + cents) as Cents });
      lowered.set(fee.id, (lowered.get(fee.id) ?? 0) + cents);
    }
    tx.create(ManagementFeeBase, { feeId, chargeId, paymentId, allocationId, creditId: null, amountCents: (0 - counted) as Cents, isTakenBack: true });
  }
  return lowered;
}

async function publishTakenBack(tx: OrgTx, runId: string, paymentId: string): Promise<void> {
  const { periodStart, periodEnd } = (await tx.findOne(ManagementFeeRun, { id: runId }))!;
  await publish(tx, "management_fee.fees_taken_back", { entityId: runId, data: { periodStart, periodEnd, paymentId } });
}
