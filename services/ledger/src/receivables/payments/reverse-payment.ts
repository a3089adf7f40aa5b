import type { BodyOf, Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/payments";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { rulesOf, type BookRules } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE, BANK_FEES } from "../../chart/chart.ts";
import { Charge } from "../charges/charge.entity.ts";
import { unsettle } from "../charges/charge.rules.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../charges/charge.view.ts";
import { chargeLeases } from "../charges/charging.ts";
import type { Clients } from "../../clients.ts";
import { findLeases, type LeaseFacts } from "../../projections/copies.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { post, reverseEntries } from "../../journal/posting.ts";
import { Payment, PaymentReversal } from "./payment.entity.ts";
import { paymentFlow } from "./payment.rules.ts";
import { getPayment } from "./payments.ts";

type Operation = typeof payments.operations.reversePayment;
type Body = BodyOf<Operation>;
const announce = eventPublisher("ledger");

/**
 * Takes a payment back: its entries are reversed, its charges are open again with their original due dates, and the fee
 * for a bounced payment is charged when asked for or when the organization's policy says so.
 */
export async function reversePayment(db: OrgDb, clients: Clients, id: string, body: Body): Promise<Output<Operation>> {
  const chart = await chartOf(db);
  const rules = await rulesOf(db);
  const { leaseId } = await getPayment(db, id);
  const lease = leaseId ? (await findLeases(db, clients.portfolio, [leaseId])).get(leaseId) : undefined;
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    if (payment.status === "reversed") throw conflict("The payment has already been reversed.", "already_reversed");
    const status = paymentFlow.transition(payment.status, "reversed");
    const reversedAt = body.reversedAt ? new Date(body.reversedAt) : now();
    const memo = body.memo ?? `Payment reversed: ${body.reason}`;
    const reopened = await giveBack(tx, id);
    const entries = await reverseEntries(tx, rules.timezone, [...new Set([payment.entryId, ...reopened.entryIds])], { occurredAt: reversedAt, memo });
    const reversal = tx.create(PaymentReversal, {
      id: newId(),
      paymentId: id,
      entryId: entries.get(payment.entryId)!,
      reason: body.reason,
      memo: body.memo ?? null,
      reversedAt,
    });
    tx.assign(payment, { status, unallocatedCents: 0 as Payment["unallocatedCents"] });
    const fee = await chargeReturnFee(tx, rules, chart, lease, body);
    if (body.bankFeeCents) await postBankFee(tx, rules.timezone, chart, payment, body.bankFeeCents, reversedAt);
    const { tenantId } = payment;
    await announce(tx, "payment.reversed", {
      entityId: id,
      data: { tenantId, leaseId: payment.leaseId ?? null, reason: body.reason },
      audience: { tenantIds: [tenantId] },
    });
    return {
      payment: await getPayment(tx, id),
      reversal: { id: reversal.id, journalEntryId: reversal.entryId, reversedAt: reversedAt.toISOString(), reason: body.reason },
      charges: await readCharges(tx, [...reopened.chargeIds, ...fee]),
    };
  });
}

/** Removes the payment's allocations and opens its charges by as much; answers which, and the entries that applied them later. */
async function giveBack(tx: OrgTx, paymentId: string): Promise<{ chargeIds: string[]; entryIds: string[] }> {
  const removed = await tx.all(sql<{ chargeId: string; amountCents: number; entryId: string }>`
    delete from payment_allocation where organization_id = ${tx.organizationId} and payment_id = ${paymentId} returning charge_id, amount_cents, entry_id`);
  const charges = await tx.findAllForUpdate(Charge, [...new Set(removed.map(({ chargeId }) => chargeId))]);
  for (const charge of charges) {
    const amountCents = removed.filter(({ chargeId }) => chargeId === charge.id).reduce((sum, allocation) => sum + allocation.amountCents, 0);
    tx.assign(charge, unsettle(charge, amountCents) as Partial<Charge>);
  }
  return { chargeIds: charges.map(({ id }) => id), entryIds: removed.map(({ entryId }) => entryId) };
}

async function chargeReturnFee(tx: OrgTx, rules: BookRules, chart: Chart, lease: LeaseFacts | undefined, { reason, nsfFeeCents }: Body): Promise<string[]> {
  const { timezone, policies } = rules;
  const byPolicy = reason === "nsf" && policies.autoChargeNsfFee ? policies.nsfFeeCents : 0;
  const amountCents = nsfFeeCents ?? byPolicy;
  if (!lease || amountCents === 0) return [];
  const charged = await chargeLeases(tx, rules, chart, [{ lease, amountCents, dueDate: today(timezone), chargeType: "nsf_fee", name: "NSF fee" }]);
  return charged.map(({ id }) => id);
}

/** The bank's fee is the company's to pay, never out of trust money: it is owed, not taken from the trust bank. */
const postBankFee = (tx: OrgTx, timezone: string, chart: Chart, { propertyId, unitId }: Payment, amountCents: number, occurredAt: Date): Promise<void> => {
  const subject = { propertyId: propertyId ?? null, unitId: unitId ?? null, description: "Bank fee for a returned payment" };
  return post(tx, timezone, [
    {
      id: newId(),
      memo: "Bank fee for a returned payment",
      occurredAt,
      source: "payment",
      lines: [debit(chart.idOf(BANK_FEES), amountCents, subject), credit(chart.idOf(ACCOUNTS_PAYABLE), amountCents, subject)],
    },
  ]);
};

async function readCharges(tx: OrgTx, ids: readonly string[]) {
  const rows = await tx.all(
    sql<ChargeRow>`select ${chargeColumns} from charge c where c.organization_id = ${tx.organizationId} and c.id = any(${[...ids]}::uuid[]) order by c.due_date, c.id`,
  );
  return rows.map((row) => chargeView(row, tx.principal.timezone));
}
