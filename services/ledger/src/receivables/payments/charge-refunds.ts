/** Charges for refunds of payments that were reversed later. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { startOfDay } from "@freehold/kit/time/clock";
import type { Chart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { credit, debit, type EntryLine } from "../../journal/journal.rules.ts";
import { postEntries } from "../../journal/posting.ts";
import { readProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { ChargeRow } from "../charges/charge.view.ts";
import { postCharges } from "../charges/post-charges.ts";
import type { Payment } from "./payment.entity.ts";

/** Refunds of a payment from an account that are due on a day, of the credit of a lease or, for a payment that names none, of no lease. */
interface Refunded {
  dueDate: string;
  leaseId: string | null;
  accountId: string;
  bankAccountId: string | null;
  amountCents: number;
}

/**
 * Charges the refunds of a reversed payment to the leases whose credit was refunded, because the payer owes them, and those of credit
 * without a lease to the lease that the payment was allocated to last, or else the latest one of the payer. The charges credit prepaid rent, which
 * the refunds debited, and are due on the later of the days of reversal and refund. Throws a 409 when the payer has no lease.
 */
export async function chargeRefunds(tx: OrgTx, settings: LedgerSettings, chart: Chart, payment: Payment, reversedOn: string): Promise<ChargeRow[]> {
  const refunds = await findRefunds(tx, chart, payment, reversedOn);
  const ownLeaseId = refunds.some(({ leaseId }) => !leaseId) ? await findLeaseOfPayer(tx, payment) : undefined;
  const leaseIds = refunds.flatMap(({ leaseId }) => leaseId ?? ownLeaseId ?? []);
  // Read after the payment was locked, since until then a renewal may take over its credit. A lease that held credit is projected.
  const leases = await readProjectedLeases(tx, leaseIds);
  const charged = refunds.map((refund) => ({ ...refund, lease: requireLease(leases, refund.leaseId ?? ownLeaseId) }));
  const moved = charged.filter(({ leaseId }) => !leaseId);
  await postEntries(
    tx,
    settings.timezone,
    moved.map((refund) => ({
      id: newId(),
      memo: "Refund of a returned payment",
      occurredAt: startOfDay(refund.dueDate, settings.timezone),
      entryDate: refund.dueDate,
      source: "refund" as const,
      document: { type: "payment" as const, id: payment.id },
      lines: linesToLease(payment, refund, refund.lease, chart),
    })),
  );
  const byCharge = [...Map.groupBy(charged, ({ lease, dueDate }) => `${lease.id} ${dueDate}`).values()];
  const newCharges = byCharge.map((group) => ({
    lease: { ...group[0]!.lease, tenantId: payment.tenantId },
    dueDate: group[0]!.dueDate,
    amountCents: group.reduce((sum, { amountCents }) => sum + amountCents, 0),
    chargeType: "other" as const,
    categoryId: chart.accountId(PREPAID_RENT),
    name: "Refund of a returned payment",
  }));
  return postCharges(tx, settings, chart, newCharges);
}

const findRefunds = (tx: OrgTx, chart: Chart, { id }: Payment, reversedOn: string): Promise<Refunded[]> =>
  tx.all(sql<Refunded>`select greatest(r.refunded_on, ${reversedOn}::date) as due_date, l.lease_id, r.bank_account_id as account_id, r.trust_bank_account_id as bank_account_id, sum(r.amount_cents)::bigint as amount_cents
    from payment_refund r join journal_line l on l.organization_id = r.organization_id and l.entry_id = r.entry_id and l.account_id = ${chart.accountId(PREPAID_RENT)}
    where r.organization_id = ${tx.organizationId} and r.payment_id = ${id} and r.voided_at is null group by 1, 2, 3, 4 order by 1, 2, 3, 4`);

/** Returns the lease of the latest allocation of a payment, or else the latest lease that its tenant is or was on. */
async function findLeaseOfPayer(tx: OrgTx, { id, tenantId }: Payment): Promise<string | undefined> {
  const row = await tx.first(sql<{ id: string }>`select l.id from lease_copy l
      left join (select c.lease_id, max(a.created_at) as allocated_at from payment_allocation a
        join charge c on c.organization_id = a.organization_id and c.id = a.charge_id
        where a.organization_id = ${tx.organizationId} and a.payment_id = ${id} group by 1) own on own.lease_id = l.id
    where l.organization_id = ${tx.organizationId} and l.status not in ('draft', 'cancelled')
      and (own.lease_id is not null or l.tenant_id = ${tenantId} or ${tenantId}::uuid = any(l.payer_ids)
        or l.former_payers @> ${JSON.stringify([{ tenantId }])}::jsonb)
    order by own.allocated_at desc nulls last, l.start_date desc, l.id desc limit 1`);
  return row?.id;
}

function requireLease(leases: ReadonlyMap<string, ProjectedLease>, id: string | undefined): ProjectedLease {
  const lease = leases.get(id ?? "");
  if (lease) return lease;
  const message = "The payment was refunded, and its tenant has no lease to charge the refund to. Create the lease first.";
  throw conflict(message, "invalid_transition");
}

/**
 * Returns the lines that move what is missing after a refund of credit without a lease to a lease: the negative credit, and the money that its property
 * then lacks in the account from which the refund was paid.
 */
function linesToLease({ id, tenantId }: Payment, { accountId, bankAccountId, amountCents }: Refunded, lease: ProjectedLease, chart: Chart): EntryLine[] {
  const payer = { paymentId: id, tenantId, leaseId: null, propertyId: null, unitId: null, description: "Refund of a returned payment" };
  const atLease = { ...payer, leaseId: lease.id, propertyId: lease.propertyId, unitId: lease.unitId };
  const prepaidRent = chart.accountId(PREPAID_RENT);
  return [
    debit(prepaidRent, amountCents, atLease),
    credit(prepaidRent, amountCents, payer),
    debit(accountId, amountCents, { ...payer, bankAccountId }),
    credit(accountId, amountCents, { ...atLease, bankAccountId }),
  ];
}
