/** Fees that count the money of a payment. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Fee of a completed run, with its expense and collection. */
export interface FeeOfMonth {
  feeId: string;
  runId: string;
  propertyId: string;
  expenseId: string | null;
  /** Account that the fee was debited to. */
  categoryId: string;
  expensePaymentId: string | null;
  bankAccountId: string | null;
}

/** Selects the fees of the properties, months and kinds of given fees, which the same minimum and maximum limit, in the order of their ids. */
export const selectFeesOfMonths = (db: StatementRunner, feeIds: readonly string[]): RawBuilder<FeeOfMonth> => sql<FeeOfMonth>`
  select f.id as fee_id, r.id as run_id, f.property_id, f.expense_id, coalesce(x.category_id, a.category_id) as category_id, r.expense_payment_id, r.bank_account_id
  from management_fee f join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    join management_fee_agreement a on a.organization_id = f.organization_id and a.id = f.agreement_id
    left join expense x on x.organization_id = f.organization_id and x.id = f.expense_id
  where f.organization_id = ${db.organizationId} and (f.property_id, f.month, f.kind) in (select property_id, month, kind from management_fee
    where organization_id = ${db.organizationId} and id = any(${[...feeIds]}::uuid[])) order by f.id`;

/** Amount of an allocation that a fee of a completed run counts. */
export interface CountedAmount {
  feeId: string;
  propertyId: string;
  chargeId: string;
  allocationId: string;
  amountCents: number;
}

/** Selects the amounts of a payment that fees of completed runs count, without those that a later run has taken out again. */
export const selectCountedAmounts = (db: StatementRunner, paymentId: string): RawBuilder<CountedAmount> => sql<CountedAmount>`
  select fee_id, property_id, charge_id, allocation_id, amount_cents from (
    select f.id as fee_id, f.property_id, b.charge_id, b.allocation_id, sum(b.amount_cents)::bigint as amount_cents,
      sum(sum(b.amount_cents)) over (partition by b.allocation_id) as net_cents
    from management_fee_base b join management_fee f on f.organization_id = b.organization_id and f.id = b.fee_id
      join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id and r.status = 'completed'
    where b.organization_id = ${db.organizationId} and b.payment_id = ${paymentId} group by f.organization_id, f.id, f.property_id, b.charge_id, b.allocation_id) counted
  where net_cents > 0 and amount_cents > 0 order by fee_id, allocation_id`;
