/** Receipts of security deposits: payments that settle deposit charges, and receipts by the owner who holds the deposit. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { localDateOf } from "@freehold/kit/time/clock";
import { getChart, type Chart } from "../../../chart/categories.ts";
import type { Clients } from "../../../clients.ts";
import { readProjectedLeases, replicateTenants } from "../../../projections/projections.ts";
import { postAllocations } from "../../../receivables/allocations/post-allocations.ts";
import type { Charge } from "../../../receivables/charges/charge.entity.ts";
import { postUnsettledCharges } from "../../../receivables/charges/post-charges.ts";
import { requireNoneCancelled } from "../../../receivables/lease-billing/cancelled-leases.ts";
import { createDepositWithin } from "../../../receivables/deposits/deposits.ts";
import { Payment } from "../../../receivables/payments/payment.entity.ts";
import { lockCharges } from "../../../receivables/payments/payment.queries.ts";
import { requireReceived } from "../../../receivables/payments/payment.rules.ts";
import { readPaymentDays } from "../../../receivables/payments/payments.ts";
import { recordPaymentWithin } from "../../../receivables/payments/record-payment.ts";
import { getLedgerSettings, type LedgerSettings } from "../../../settings/ledger-settings.ts";
import { checkTrustAccount } from "../deposit-place.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import type { SecurityDeposit } from "../security-deposit.entity.ts";
import { requireAtMost, requireOpenDeposit } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { depositCharge, getSecurityDeposit } from "../security-deposits.ts";
import { addTransaction } from "./post-transaction.ts";
import { creditDepositCharges, lockDepositCharges } from "./settle-charges.ts";

type Body = BodyOf<typeof securityDeposits.operations.recordSecurityDepositReceipt>;
type NewReceipt = Body & { [Member in "amountCents" | "paymentMethod" | "receivedAt"]: NonNullable<Body[Member]> };

/** Context of a receipt: the locked deposit, and what it lacks of the required amount. */
interface Receipt {
  settings: LedgerSettings;
  chart: Chart;
  deposit: SecurityDeposit;
  missingCents: number;
}

const LOWER = "Lower amountCents, or raise requiredCents of the deposit first.";

/**
 * Records a receipt in one transaction. Throws a 400 for an unknown payment, tenant or bank account and for more than the deposit lacks, and
 * a 409 for a deposit whose disposition is finalized.
 */
export async function recordSecurityDepositReceipt(db: OrgDb, { portfolio }: Clients, id: string, body: Body): Promise<{ securityDeposit: View }> {
  if (body.tenantId) await replicateTenants(db, portfolio, [body.tenantId]);
  return transaction(db, async (tx) => {
    await receiveSecurityDeposit(tx, id, body);
    return { securityDeposit: await getSecurityDeposit(tx, id) };
  });
}

/** Records a receipt in the transaction of another operation. Throws as `recordSecurityDepositReceipt` does. */
export async function receiveSecurityDeposit(tx: OrgTx, id: string, body: Body): Promise<void> {
  const deposit = await lockSecurityDeposit(tx, id);
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const payment = body.paymentId ? await lockPayment(tx, body.paymentId) : undefined;
  await requireReferences(tx, chart, body);
  const { status, receivedCents } = await getSecurityDeposit(tx, id);
  requireOpenDeposit(status);
  const receipt = { settings, chart, deposit, missingCents: deposit.requiredCents - receivedCents };
  if (payment) await allocateToDeposit(tx, receipt, payment, body);
  else if (deposit.holder === "owner") await recordOwnerReceipt(tx, receipt, body as NewReceipt);
  else await recordNewPayment(tx, receipt, body as NewReceipt);
  // A receipt held by the owner may post no entry, so no other check refuses it.
  await requireNoneCancelled(tx, [deposit.leaseId]);
  await publishDepositEvent(tx, "security_deposit.received", deposit);
}

async function lockPayment(tx: OrgTx, id: string): Promise<Payment> {
  const [payment] = await tx.findAllForUpdate(Payment, [id]);
  if (!payment) throw unknownReference("paymentId", "payment");
  return payment;
}

async function requireReferences(tx: OrgTx, chart: Chart, { tenantId, bankAccountId }: Body): Promise<void> {
  await checkTrustAccount(tx, chart, bankAccountId);
  if (
    tenantId &&
    !(await tx.first(sql`select 1 as found from tenant_copy where organization_id = ${tx.organizationId} and id = ${tenantId} and not is_deleted`))
  )
    throw unknownReference("tenantId", "tenant");
}

/** Allocates credit of a payment to the deposit. Throws a 409 for a payment without credit. */
async function allocateToDeposit(tx: OrgTx, { settings, chart, deposit, missingCents }: Receipt, payment: Payment, body: Body): Promise<void> {
  const { paymentId: _, amountCents: requestedCents, ...others } = body;
  const [member] = Object.keys(others);
  if (member) throw invalid([{ path: member, code: "not_allowed", message: `The payment is recorded already. Leave ${member} out.` }]);
  if (deposit.holder === "owner")
    throw invalid([
      { path: "paymentId", code: "not_allowed", message: "The owner holds this deposit. Record what the owner received by amountCents instead." },
    ]);
  requireReceived(payment.status);
  if (payment.unallocatedCents === 0)
    throw conflict("The whole payment is allocated. Remove an allocation first, or name another payment.", "already_allocated");
  const amountCents = requestedCents ?? Math.min(payment.unallocatedCents, missingCents);
  requireAtMost(Math.max(amountCents, 1), missingCents, "amountCents", LOWER);
  if (amountCents > payment.unallocatedCents)
    throw invalid([
      { path: "amountCents", code: "sum_exceeded", message: `Only ${payment.unallocatedCents} cents of the payment are unallocated. Lower amountCents.` },
    ]);
  const { postedOn } = await readPaymentDays(tx, payment.id);
  const allocations = await chargeAndAllocate(tx, settings, chart, deposit, amountCents, postedOn);
  const charges = await tx.all(
    lockCharges(
      tx,
      allocations.map(({ chargeId }) => chargeId),
      payment,
    ),
  );
  if (charges.some(({ isOfPayer }) => !isOfPayer))
    throw invalid([
      { path: "paymentId", code: "mismatch", message: "The payment is of another tenancy or tenant. Name a payment of the deposit's own tenancy." },
    ]);
  await postAllocations(tx, settings.timezone, chart, payment, allocations, charges);
}

/** Records a payment that settles the deposit and, if requested, deposits it at a bank on the same day. */
async function recordNewPayment(tx: OrgTx, { settings, chart, deposit, missingCents }: Receipt, body: NewReceipt): Promise<void> {
  const { amountCents, receivedAt, paymentMethod, checkNumber, bankAccountId, tenantId = deposit.tenantId } = body;
  requireAtMost(amountCents, missingCents, "amountCents", LOWER);
  const receivedOn = localDateOf(receivedAt, settings.timezone);
  const allocations = await chargeAndAllocate(tx, settings, chart, deposit, amountCents, receivedOn);
  const payment = { tenantId, leaseId: deposit.leaseId, amountCents, paymentMethod, receivedAt, checkNumber, idempotencyKey: newId(), autoAllocate: false };
  const recorded = await recordPaymentWithin(tx, chart, { ...payment, allocations } as never);
  if (bankAccountId) await createDepositWithin(tx, { bankAccountId, depositedOn: receivedOn, paymentIds: [recorded.payment.id] });
}

/** Records what the owner who holds the deposit received: the deposit charges are settled without money of the organization. */
async function recordOwnerReceipt(tx: OrgTx, { settings, chart, deposit, missingCents }: Receipt, body: NewReceipt): Promise<void> {
  for (const member of ["tenantId", "bankAccountId"] as const)
    if (body[member]) throw invalid([{ path: member, code: "not_allowed", message: `The owner holds this deposit. Leave ${member} out.` }]);
  const { amountCents, receivedAt, paymentMethod: method, checkNumber: referenceNumber = null } = body;
  requireAtMost(amountCents, missingCents, "amountCents", LOWER);
  const occurredOn = localDateOf(receivedAt, settings.timezone);
  const charges = await lockDepositCharges(tx, deposit.id);
  const creditIds = await creditDepositCharges(tx, settings.timezone, chart, deposit.id, charges, {
    amountCents,
    date: occurredOn,
    memo: "Security deposit received by the owner",
  });
  addTransaction(tx, deposit, "receipt", { amountCents, occurredOn, method, referenceNumber, creditIds });
  await tx.flush();
}

/** Returns allocations of an amount to the deposit charges, oldest first. What exceeds the open charges is charged on the given day. */
async function chargeAndAllocate(tx: OrgTx, settings: LedgerSettings, chart: Chart, deposit: SecurityDeposit, amountCents: number, date: string) {
  const open = (await lockDepositCharges(tx, deposit.id)).filter(({ balanceCents }) => balanceCents > 0);
  const openCents = open.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
  const charges: Pick<Charge, "id" | "balanceCents" | "dueDate">[] = [...open];
  if (openCents < amountCents) {
    const lease = (await readProjectedLeases(tx, [deposit.leaseId])).get(deposit.leaseId)!;
    charges.push(...(await postUnsettledCharges(tx, settings, chart, [depositCharge(lease, amountCents - openCents, date)])));
  }
  let leftCents = amountCents;
  return charges
    .toSorted((one, other) => (one.dueDate < other.dueDate ? -1 : 1))
    .flatMap(({ id: chargeId, balanceCents }) => {
      const cents = Math.min(leftCents, balanceCents);
      leftCents -= cents;
      return cents > 0 ? [{ chargeId, amountCents: cents as Charge["amountCents"] }] : [];
    });
}
