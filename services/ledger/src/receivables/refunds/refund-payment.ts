/** Refunds: credit of a payment is paid back to the payer from a bank account. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { refunds } from "@freehold/contract/ledger/refunds";
import { localDateOf } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { usableOn } from "../allocations/open-amount.rules.ts";
import { payerDimensionsOn } from "../credit-holders/credit-holder.rules.ts";
import { transferCreditToHolders, readCreditHolders } from "../credit-holders/credit-holders.ts";
import { Payment, PaymentRefund } from "../payments/payment.entity.ts";
import { paymentStateMachine, requireReceived } from "../payments/payment.rules.ts";
import { lockMoneyAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { requireTrustFunds } from "../../trust/bank-accounts/trust-funds.ts";
import type { Beneficiary } from "../../trust/bank-accounts/sub-ledgers.queries.ts";
import { getPayment, readPaymentDays, resolveTimeNotBefore } from "../payments/payments.ts";
import { creditOf } from "../allocations/release-allocations.ts";
import { paymentAudience } from "../../projections/tenant-audience.ts";

type Operation = typeof refunds.operations.refundPayment;
type Body = BodyOf<Operation>;
const publish = eventPublisher("ledger");

/**
 * Pays unallocated credit of a received payment back to the payer: debits prepaid rent and credits the bank account. The payment
 * is `refunded` once its whole amount was paid back. Throws a 400 for more than the credit, and for a day on which it was not yet available.
 */
export function refundPayment(db: OrgDb, id: string, body: Body): Promise<Output<Operation>> {
  return transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    const { timezone } = settings;
    const chart = await getChart(tx);
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    const { accountId, bankAccountId, account } = await lockMoneyAccount(tx, chart, body.bankAccountId, "bankAccountId");
    requireReceived(payment.status, "refunded");
    requireCredit(payment, body.amountCents);
    const refundedAt = resolveTimeNotBefore(payment.receivedAt, body.refundedAt, "refundedAt", "receivedAt of the payment");
    const { postedOn } = await readPaymentDays(tx, id);
    const requestedOn = refundDate(payment, body, maxDate(localDateOf(refundedAt, timezone), postedOn));
    const refundedOn = await lockOpenDate(tx, requestedOn);
    const entryId = newId();
    const dimensions = { ...payerDimensionsOn(payment, await readCreditHolders(tx, payment), refundedOn), description: "Refund" };
    await postEntries(tx, timezone, [
      {
        id: entryId,
        memo: body.memo ?? "Refund of a payment",
        occurredAt: refundedAt,
        entryDate: requestedOn,
        source: "refund",
        document: { type: "payment", id },
        lines: [debit(chart.accountId(PREPAID_RENT), body.amountCents, dimensions), credit(accountId, body.amountCents, { ...dimensions, bankAccountId })],
      },
    ]);
    await transferCreditToHolders(tx, timezone, chart, payment);
    if (account) await requireTrustFunds(tx, settings, chart, account, refundedMoney(payment), refundedOn);
    const { amountCents, method, referenceNumber = null, memo = null } = body;
    const refund = tx.create(PaymentRefund, {
      id: newId(),
      paymentId: id,
      amountCents,
      method,
      accountId,
      bankAccountId,
      referenceNumber,
      memo,
      refundedAt,
      refundedOn,
      entryId,
      voidedAt: null,
      voidedOn: null,
      voidReason: null,
    });
    spendCredit(payment, amountCents, refundedOn);
    await publish(tx, "payment.refunded", {
      entityId: id,
      data: { tenantId: payment.tenantId, leaseId: payment.leaseId ?? null, status: payment.status as "received" | "refunded" },
      audience: await paymentAudience(tx, payment),
    });
    const view = await getPayment(tx, id);
    return { payment: view, refund: view.refunds.find((each) => each.id === refund.id)!, warnings: tx.warnings };
  });
}

/** Returns the beneficiaries whose money a refund takes: the prepaid rent of a deposited payment, otherwise what else is in the account for its property. */
const refundedMoney = ({ tenantId, propertyId = null }: Payment): Beneficiary[] => [{ kind: "prepaid", propertyId, tenantId }, beneficiaryAt(propertyId)];

function requireCredit({ unallocatedCents }: Payment, amountCents: number): void {
  if (amountCents <= unallocatedCents) return;
  const message = `Only ${unallocatedCents} cents of the payment are unallocated. Lower amountCents, or remove allocations of the payment first.`;
  throw invalid([{ path: "amountCents", code: "sum_exceeded", message }]);
}

/** Returns the day of a refund. Credit that settled a charge until a day is refunded on that day at the earliest. */
function refundDate(payment: Payment, { amountCents, refundedAt }: Body, date: string): string {
  const usableDate = usableOn(creditOf(payment), amountCents, date);
  if (refundedAt === undefined || usableDate === date) return usableDate;
  const message = `Before ${usableDate} only ${payment.creditBeforeReleaseCents ?? 0} cents of the payment were unallocated. Set refundedAt to that day or later.`;
  throw invalid([{ path: "refundedAt", code: "before_start", message }]);
}

function spendCredit(payment: Payment, amountCents: number, refundedOn: string): void {
  const { creditReleasedOn, creditBeforeReleaseCents } = payment;
  if (creditReleasedOn && refundedOn < creditReleasedOn)
    payment.creditBeforeReleaseCents = ((creditBeforeReleaseCents ?? 0) - amountCents) as Payment["amountCents"];
  payment.unallocatedCents = (payment.unallocatedCents - amountCents) as Payment["amountCents"];
  payment.refundedCents = (payment.refundedCents + amountCents) as Payment["amountCents"];
  if (payment.refundedCents === payment.amountCents) payment.status = paymentStateMachine.transition(payment.status, "refunded");
}
