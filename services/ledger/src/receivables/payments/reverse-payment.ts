import type { BodyOf, Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { localDateOf, now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, invalid } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { maxDate } from "@freehold/kit/time/plain-date";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getChart, type Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE, BANK_FEES } from "../../chart/chart.ts";
import { Charge } from "../charges/charge.entity.ts";
import { releaseAllocation } from "../charges/charge.rules.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { postEntries, reverseEntries } from "../../journal/posting.ts";
import { Payment, PaymentReversal } from "./payment.entity.ts";
import { paymentStateMachine } from "./payment.rules.ts";
import { getPayment } from "./payments.ts";

type Operation = typeof payments.operations.reversePayment;
type Body = BodyOf<Operation>;
const publish = eventPublisher("ledger");

/**
 * Reverses a payment: reverses its journal entries, releases its allocations, so that the charges are open again with their
 * original due dates, and charges an NSF fee when the request or the organization's policy names one.
 */
export async function reversePayment(db: OrgDb, clients: Clients, id: string, body: Body): Promise<Output<Operation>> {
  const chart = await getChart(db);
  const settings = await getLedgerSettings(db);
  const { leaseId, receivedAt } = await getPayment(db, id);
  const reversedAt = reversalTime(receivedAt, body.reversedAt);
  if (!leaseId && body.nsfFeeCents)
    throw invalid([{ path: "nsfFeeCents", code: "not_allowed", message: "The payment names no lease to charge the fee to. Leave nsfFeeCents out." }]);
  const lease = leaseId ? (await findProjectedLeases(db, clients.portfolio, [leaseId])).get(leaseId) : undefined;
  if (lease?.isTenantDeleted && body.nsfFeeCents)
    throw invalid([{ path: "nsfFeeCents", code: "not_found", message: "The tenant of the lease was deleted and cannot be charged. Leave nsfFeeCents out." }]);
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    if (payment.status === "reversed") throw conflict("The payment has already been reversed.", "already_reversed");
    const status = paymentStateMachine.transition(payment.status, "reversed");
    const memo = body.memo ?? `Payment reversed: ${body.reason}`;
    const released = await releaseAllocations(tx, id, localDateOf(reversedAt, settings.timezone));
    const reversalIds = await reverseEntries(tx, settings.timezone, [...new Set([payment.entryId, ...released.entryIds])], { occurredAt: reversedAt, memo });
    const reversal = tx.create(PaymentReversal, {
      id: newId(),
      paymentId: id,
      entryId: reversalIds.get(payment.entryId)!,
      reason: body.reason,
      memo: body.memo ?? null,
      reversedAt,
    });
    tx.assign(payment, { status, unallocatedCents: 0 as Payment["unallocatedCents"] });
    const feeChargeIds = await chargeNsfFee(tx, settings, chart, lease, body);
    if (body.bankFeeCents) await postBankFee(tx, settings.timezone, chart, id, body.bankFeeCents, reversedAt);
    const { tenantId } = payment;
    await publish(tx, "payment.reversed", {
      entityId: id,
      data: { tenantId, leaseId: payment.leaseId ?? null, reason: body.reason },
      audience: { tenantIds: [tenantId] },
    });
    return {
      payment: await getPayment(tx, id),
      reversal: { id: reversal.id, journalEntryId: reversal.entryId, reversedAt: reversedAt.toISOString(), reason: body.reason },
      charges: await findChargeViews(tx, [...released.chargeIds, ...feeChargeIds]),
    };
  });
}

/** Returns the time of the reversal: the given one, else now, or the receipt of a payment that is dated ahead. Throws a 400 for a time before the receipt. */
function reversalTime(receivedAt: string, reversedAt: string | undefined): Date {
  const receipt = new Date(receivedAt);
  if (reversedAt === undefined) return receipt > now() ? receipt : now();
  if (new Date(reversedAt) < receipt)
    throw invalid([{ path: "reversedAt", code: "before_start", message: "reversedAt cannot be before receivedAt of the payment." }]);
  return new Date(reversedAt);
}

/**
 * Releases the payment's live allocations and reopens its charges on the day of the reversal. Returns the ids of the charges and of
 * the journal entries of the allocations.
 */
async function releaseAllocations(tx: OrgTx, paymentId: string, reversedOn: string): Promise<{ chargeIds: string[]; entryIds: string[] }> {
  const updated = await tx.all(sql<{ chargeId: string; amountCents: number; entryId: string; settledOn: string }>`
    update payment_allocation a set released_on = greatest(e.entry_date, ${reversedOn}::date), released_at = ${now()}, updated_at = ${now()}, version = a.version + 1
    from journal_entry e where a.organization_id = ${tx.organizationId} and a.payment_id = ${paymentId} and a.released_at is null
      and e.organization_id = a.organization_id and e.id = a.entry_id
    returning a.charge_id, a.amount_cents, a.entry_id, e.entry_date as settled_on`);
  const charges = await tx.findAllForUpdate(Charge, [...new Set(updated.map(({ chargeId }) => chargeId))]);
  for (const charge of charges) {
    const released = updated.filter(({ chargeId }) => chargeId === charge.id);
    tx.assign(charge, { ...(releaseAllocation(charge, sumCents(released)) as Partial<Charge>), ...reopening(charge, released, reversedOn) });
  }
  return { chargeIds: charges.map(({ id }) => id), entryIds: updated.map(({ entryId }) => entryId) };
}

interface ReleasedAllocation {
  amountCents: number;
  settledOn: string;
}

const sumCents = (allocations: readonly ReleasedAllocation[]): number => allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);

/**
 * Returns the day on which the release reopens a charge, and the amount that was open before. An allocation that is released on
 * the day of its settlement left the charge open at the end of every day.
 */
function reopening(charge: Charge, released: readonly ReleasedAllocation[], reversedOn: string): Partial<Charge> {
  const { reopenedOn, openBeforeReopeningCents } = charge;
  const withoutEffect = released.filter(({ settledOn }) => settledOn >= reversedOn);
  const restoredCents = sumCents(withoutEffect.filter(({ settledOn }) => reopenedOn && settledOn < reopenedOn));
  const balanceBeforeCents = charge.balanceCents + sumCents(withoutEffect);
  if (withoutEffect.length === released.length && restoredCents === 0) return {};
  return {
    reopenedOn: withoutEffect.length === released.length ? reopenedOn! : maxDate(reversedOn, reopenedOn ?? reversedOn),
    openBeforeReopeningCents: Math.min((openBeforeReopeningCents ?? balanceBeforeCents) + restoredCents, balanceBeforeCents) as Charge["balanceCents"],
  };
}

/** Charges the requested fee, or the policy's fee for a payment returned for insufficient funds. Returns the ids of the posted charges. */
async function chargeNsfFee(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  lease: ProjectedLease | undefined,
  { reason, nsfFeeCents }: Body,
): Promise<string[]> {
  const { timezone, policies } = settings;
  const policyFeeCents = reason === "nsf" && policies.autoChargeNsfFee && !lease?.isTenantDeleted ? policies.nsfFeeCents : 0;
  const amountCents = nsfFeeCents ?? policyFeeCents;
  if (!lease || amountCents === 0) return [];
  const charges = await postCharges(tx, settings, chart, [{ lease, amountCents, dueDate: today(timezone), chargeType: "nsf_fee", name: "NSF fee" }]);
  return charges.map(({ id }) => id);
}

/** Posts the bank's fee as an expense and an account payable of the management company, without a property, because trust money must not pay for it. */
const postBankFee = (tx: OrgTx, timezone: string, chart: Chart, paymentId: string, amountCents: number, occurredAt: Date): Promise<void> => {
  const dimensions = { paymentId, description: "Bank fee for a returned payment" };
  return postEntries(tx, timezone, [
    {
      id: newId(),
      memo: "Bank fee for a returned payment",
      occurredAt,
      source: "payment",
      document: { type: "payment", id: paymentId },
      lines: [debit(chart.accountId(BANK_FEES), amountCents, dimensions), credit(chart.accountId(ACCOUNTS_PAYABLE), amountCents, dimensions)],
    },
  ]);
};

async function findChargeViews(tx: OrgTx, ids: readonly string[]) {
  const rows = await tx.all(
    sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${tx.organizationId} and c.id = any(${[...ids]}::uuid[]) order by c.due_date, c.id`,
  );
  return rows.map((row) => chargeView(row, tx.principal.timezone));
}
