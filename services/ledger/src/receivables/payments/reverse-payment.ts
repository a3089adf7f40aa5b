import type { BodyOf, Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { localDateOf } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE, BANK_FEES } from "../../chart/chart.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { lockOpenDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { lockFeesOfPayment, takeFeesBack } from "../../payables/management-fees/returns/take-fees-back.ts";
import { findOwnersOfPayment, reportShortages } from "../../trust/diagnostics/posted-shortages.ts";
import { returnFromBank, selectUndepositedDays } from "../deposits/deposit-transfers.ts";
import { chargeRefunds } from "./charge-refunds.ts";
import { Payment, PaymentReversal } from "./payment.entity.ts";
import { paymentStateMachine } from "./payment.rules.ts";
import { getPayment, readPaymentDays, resolveTimeNotBefore } from "./payments.ts";
import { releaseAllocations, reopenCharges } from "../allocations/release-allocations.ts";
import { paymentAudience } from "../../projections/tenant-audience.ts";

type Operation = typeof payments.operations.reversePayment;
type Body = BodyOf<Operation>;
const publish = eventPublisher("ledger");

/**
 * Reverses a payment: reverses its journal entries, takes the money out of the bank if it was deposited, releases its
 * allocations, so that the charges are open again with their original due dates, charges the refunded amount to the lease, and
 * charges an NSF fee when the request or the organization's policy names one. Takes back the management fees of the money. Throws 409
 * for a refunded payment of a tenant without a lease. Warns about money of the payment that was used.
 */
export async function reversePayment(db: OrgDb, clients: Clients, id: string, body: Body): Promise<Output<Operation>> {
  const chart = await getChart(db);
  const settings = await getLedgerSettings(db);
  const { leaseId, receivedAt } = await getPayment(db, id);
  const reversedAt = resolveTimeNotBefore(receivedAt, body.reversedAt, "reversedAt", "receivedAt of the payment");
  if (!leaseId && body.nsfFeeCents)
    throw invalid([{ path: "nsfFeeCents", code: "not_allowed", message: "The payment names no lease to charge the fee to. Leave nsfFeeCents out." }]);
  const lease = leaseId ? (await findProjectedLeases(db, clients.portfolio, [leaseId])).get(leaseId) : undefined;
  if (lease?.isTenantDeleted && body.nsfFeeCents)
    throw invalid([{ path: "nsfFeeCents", code: "not_found", message: "The tenant of the lease was deleted and cannot be charged. Leave nsfFeeCents out." }]);
  const owners = await findOwnersOfPayment(db, clients, id);
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    if (payment.status === "reversed") throw conflict("The payment has already been reversed.", "already_reversed");
    const status = paymentStateMachine.transition(payment.status, "reversed");
    const memo = body.memo ?? `Payment reversed: ${body.reason}`;
    const requestedOn = maxDate(localDateOf(reversedAt, settings.timezone), (await readPaymentDays(tx, id)).receivedOn);
    const reversedOn = await lockOpenDate(tx, requestedOn);
    await requireAfterVoidedRefunds(tx, id, reversedOn);
    await requireAfterVoidedDeposits(tx, id, reversedOn);
    const reopened = await reopenCharges(tx, await releaseAllocations(tx, { paymentId: id }, reversedOn), reversedOn);
    const fees = await lockFeesOfPayment(tx, id);
    const reversalIds = await reverseEntries(tx, settings.timezone, await findEntryIds(tx, payment), { occurredAt: reversedAt, memo });
    await returnFromBank(tx, settings.timezone, chart, payment, reversedOn, memo);
    await takeFeesBack(tx, settings, chart, fees, id, reversedOn);
    const reversal = tx.create(PaymentReversal, {
      id: newId(),
      paymentId: id,
      entryId: reversalIds.get(payment.entryId)!,
      reason: body.reason,
      memo: body.memo ?? null,
      reversedAt,
    });
    tx.assign(payment, { status, unallocatedCents: 0 as Payment["unallocatedCents"] });
    const refundCharges = await chargeRefunds(tx, settings, chart, payment, reversedOn);
    const feeChargeIds = await chargeNsfFee(tx, settings, chart, lease, body, reversedOn);
    if (body.bankFeeCents) await postBankFee(tx, settings.timezone, chart, id, body.bankFeeCents, { occurredAt: reversedAt, entryDate: requestedOn });
    const propertyIds = [payment, ...reopened, ...refundCharges].flatMap(({ propertyId }) => propertyId ?? []);
    await reportShortages(tx, settings, chart, [id], propertyIds, owners);
    const { tenantId } = payment;
    await publish(tx, "payment.reversed", {
      entityId: id,
      data: { tenantId, leaseId: payment.leaseId ?? null, reason: body.reason },
      audience: await paymentAudience(tx, payment),
    });
    return {
      payment: await getPayment(tx, id),
      reversal: { id: reversal.id, journalEntryId: reversal.entryId, reversedAt: reversedAt.toISOString(), reason: body.reason },
      charges: await findChargeViews(tx, settings.timezone, [...[...reopened, ...refundCharges].map((charge) => charge.id), ...feeChargeIds]),
      warnings: tx.warnings,
    };
  });
}

/** Throws a 400 for a day on which a refund that was voided later was still paid out. */
async function requireAfterVoidedRefunds(tx: OrgTx, paymentId: string, reversedOn: string): Promise<void> {
  const row = await tx.first(sql<{ voidedOn: string | null }>`select max(voided_on) as voided_on from payment_refund
    where organization_id = ${tx.organizationId} and payment_id = ${paymentId}`);
  const voidedOn = row?.voidedOn;
  if (!voidedOn || reversedOn >= voidedOn) return;
  const message = `A refund of the payment is void from ${voidedOn} on. Set reversedAt to that day or later.`;
  throw invalid([{ path: "reversedAt", code: "before_start", message }]);
}

/** Throws a 400 for a day on which the money was still in a deposit that was voided later. */
async function requireAfterVoidedDeposits(tx: OrgTx, id: string, reversedOn: string): Promise<void> {
  const [days] = await tx.all(selectUndepositedDays(tx, [id]));
  const voidedOn = days?.voidedOn;
  if (!voidedOn || reversedOn >= voidedOn) return;
  const message = `A deposit of the payment is void from ${voidedOn} on. Set reversedAt to that day or later.`;
  throw invalid([{ path: "reversedAt", code: "before_start", message }]);
}

/** Returns the ids of the entries of a payment: of its receipt, of its allocations, of their removal, and of its transfers to renewals. */
async function findEntryIds(tx: OrgTx, { id }: Payment): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`select id from journal_entry
    where organization_id = ${tx.organizationId} and source_type = 'payment' and source_id = ${id} and source in ('payment', 'allocation')`);
  return rows.map((row) => row.id);
}

/**
 * Charges the requested fee, or the policy's fee for a payment returned for insufficient funds, due on the day of the return.
 * Returns the ids of the posted charges.
 */
async function chargeNsfFee(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  lease: ProjectedLease | undefined,
  { reason, nsfFeeCents }: Body,
  dueDate: string,
): Promise<string[]> {
  const { policies } = settings;
  const policyFeeCents = reason === "nsf" && policies.autoChargeNsfFee && !lease?.isTenantDeleted ? policies.nsfFeeCents : 0;
  const amountCents = nsfFeeCents ?? policyFeeCents;
  if (!lease || amountCents === 0) return [];
  const charges = await postCharges(tx, settings, chart, [{ lease, amountCents, dueDate, chargeType: "nsf_fee", name: "NSF fee" }]);
  return charges.map(({ id }) => id);
}

/**
 * Posts the bank's fee as an expense and an account payable of the management company, without a property, because trust money must
 * not pay for it. Nothing is posted on the cash basis until the fee is paid.
 */
const postBankFee = (
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  paymentId: string,
  amountCents: number,
  time: { occurredAt: Date; entryDate: string },
): Promise<void> => {
  const dimensions = { paymentId, description: "Bank fee for a returned payment" };
  return postEntries(tx, timezone, [
    {
      id: newId(),
      memo: "Bank fee for a returned payment",
      ...time,
      source: "bank_fee",
      document: { type: "payment", id: paymentId },
      lines: [debit(chart.accountId(BANK_FEES), amountCents, dimensions, null), credit(chart.accountId(ACCOUNTS_PAYABLE), amountCents, dimensions, null)],
    },
  ]);
};

async function findChargeViews(tx: OrgTx, timezone: string, ids: readonly string[]) {
  const rows = await tx.all(
    sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${tx.organizationId} and c.id = any(${[...ids]}::uuid[]) order by c.due_date, c.id`,
  );
  return rows.map((row) => chargeView(row, timezone));
}
