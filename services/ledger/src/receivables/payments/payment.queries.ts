/** Statements of payments. Each names the organization, so that a pipeline can send several together. */
import { openBefore } from "../late-fees/late-fee.queries.ts";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CreditHolder } from "../credit-holders/credit-holder.rules.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import type { AllocatableCharge, AppliedAllocation, Payer } from "./payment.rules.ts";
import type { PaymentRelations } from "./payment.view.ts";

const allocatableColumns = (
  db: StatementRunner,
  payer: Payer,
) => sql`id, lease_id, tenant_id, property_id, unit_id, charge_type, category_id, deposit_lease_id, due_date, reopened_on, open_before_reopening_cents,
  amount_cents, allocated_cents, credited_cents, balance_cents, status, name, ${isOfPayer(db, payer)} as is_of_payer`;

const isOfPayer = (db: StatementRunner, { leaseId, tenantId }: Payer) =>
  leaseId
    ? sql`lease_id = any(${leasesOfTenancies(db, [leaseId])})`
    : sql`tenant_id = ${tenantId} or exists (select from lease_copy l where l.organization_id = charge.organization_id and l.id = charge.lease_id and ${tenantId}::uuid = any(l.payer_ids))`;

/** Locks charges by id, in the order of their ids so that two transactions cannot deadlock. */
export const lockCharges = (db: StatementRunner, ids: readonly string[], payer: Payer) => sql<AllocatableCharge & { name: string }>`
  select ${allocatableColumns(db, payer)} from charge where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) order by id for no key update`;

/** Selects the rent charge for which an unpaid late fee was assessed, with its open amount at the start of the day of the fee. */
const rentOfLateFee = sql`case when late_fee_for_charge_id is not null and allocated_cents = 0 then (
  select json_build_object('chargeId', c.id, 'day', charge.late_fee_assessed_for, 'openCents', ${openBefore(sql`charge.late_fee_assessed_for`)})
    from charge c where c.organization_id = charge.organization_id and c.id = charge.late_fee_for_charge_id) end`;

/**
 * Selects the open charges of the tenancy of a lease, or without a lease those of the tenant and of the leases that the tenant is
 * on, in the order of their ids.
 */
export const selectOpenCharges = (db: StatementRunner, payer: Payer) => sql<AllocatableCharge & { name: string }>`
  select ${allocatableColumns(db, payer)}, ${rentOfLateFee} as late_fee_for from charge where organization_id = ${db.organizationId} and balance_cents > 0
    and id = any(array(select charge_id from open_charge where organization_id = ${db.organizationId} and ${payer.leaseId ? sql`lease_id = any(${leasesOfTenancies(db, [payer.leaseId])})` : ofTenant(db, payer.tenantId)}))
  order by id`;

/** Locks the charges that `selectOpenCharges` selects, in the order of their ids so that two transactions cannot deadlock. */
export const lockOpenCharges = (db: StatementRunner, payer: Payer) =>
  sql<AllocatableCharge & { name: string }>`${selectOpenCharges(db, payer)} for no key update`;

/** Locks those charges of `selectOpenCharges` that no other transaction has locked, without waiting. */
export const lockAvailableOpenCharges = (db: StatementRunner, payer: Payer) =>
  sql<AllocatableCharge & { name: string }>`${selectOpenCharges(db, payer)} for no key update skip locked`;

const ofTenant = (db: StatementRunner, tenantId: string) => sql`(tenant_id = ${tenantId}
  or lease_id = any(array(select id from lease_copy where organization_id = ${db.organizationId} and payer_ids @> array[${tenantId}]::uuid[])))`;

/** Returns those of the ids that are payments. */
export const findPayments = (db: StatementRunner, ids: readonly string[]): Promise<{ id: string }[]> =>
  db.all(sql<{ id: string }>`select id from payment where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`);

/** Selects the payment that was recorded with an idempotency key. */
export const selectPaymentByKey = (db: StatementRunner, idempotencyKey: string) => sql<{ requestHash: string; answer: string }>`
  select request_hash, answer from payment where organization_id = ${db.organizationId} and idempotency_key = ${idempotencyKey}`;

/** Projected tenant of a payment with its lease, if any. `leaseId` and `isPayer` are null when the lease is not projected. */
export type PaymentContext = PaymentRelations & {
  leaseId: string | null;
  isPayer: boolean | null;
  /** Tenants of the lease and of the renewals that have taken it over, who see the payment in the portal. */
  payerIds: string[];
  mergedIntoId: string | null;
  isDeleted: boolean;
  timezone: string;
  /** Renewals that have taken over the lease, in the order of the days from which they hold its credit. */
  takeovers: CreditHolder[];
};

/** Condition that a tenant lived in the lease `l` of the tenant `t` on the day of a receipt, and was released later. */
const isFormerPayer = (
  tenantId: string,
  receivedAt: string,
) => sql`exists (select from jsonb_to_recordset(l.former_payers) as former ("tenantId" uuid, "from" date, "until" date)
    where former."tenantId" = ${tenantId} and (${receivedAt}::timestamptz at time zone (select b.timezone from book b where b.organization_id = t.organization_id))::date
      between former."from" and former."until" - 1)`;

/** Selects the context of a payment; no row when the tenant is not projected. */
export const selectPaymentContext = (db: StatementRunner, { tenantId, leaseId }: Payer, receivedAt: string) => sql<PaymentContext>`
  select t.full_name as tenant_name, t.merged_into_id, t.is_deleted, (select b.timezone from book b where b.organization_id = t.organization_id) as timezone, l.id as lease_id, l.start_date, l.end_date, l.status as lease_status, ${tenantId}::uuid = any(l.payer_ids) or ${isFormerPayer(tenantId, receivedAt)} as is_payer,
    array(select distinct unnest(p.payer_ids) from lease_copy p where p.organization_id = l.organization_id and p.tenancy_id = l.tenancy_id
      and (p.id = l.id or (p.start_date > l.start_date and p.took_over_at is not null))) as payer_ids,
    l.property_id, pr.name as property_name, pr.city, pr.state, l.unit_id, u.unit_number,
    (select coalesce(json_agg(json_build_object('leaseId', r.id, 'since', r.start_date) order by r.start_date), '[]') from lease_copy r
      where r.organization_id = l.organization_id and r.tenancy_id = l.tenancy_id and r.start_date > l.start_date and r.took_over_at is not null) as takeovers
  from tenant_copy t
    left join lease_copy l on l.organization_id = t.organization_id and l.id = ${leaseId}::uuid
    left join property_copy pr on pr.organization_id = t.organization_id and pr.id = l.property_id
    left join unit_copy u on u.organization_id = t.organization_id and u.id = l.unit_id
  where t.organization_id = ${db.organizationId} and t.id = ${tenantId}`;

/** Payment to insert. */
export interface NewPayment {
  id: string;
  tenantId: string;
  leaseId: string | null;
  /** Renewal that holds the credit of the payment instead of its lease. */
  creditLeaseId: string | null;
  propertyId: string | null;
  unitId: string | null;
  amountCents: number;
  unallocatedCents: number;
  paymentMethod: string;
  checkNumber: string | null;
  receivedAt: string;
  createdAt: string;
  idempotencyKey: string;
  requestHash: string;
  /** Response to replay for the idempotency key, as JSON. */
  answer: string;
  entryId: string;
}

export const insertPayment = (db: StatementRunner, payment: NewPayment) => sql`
  insert into payment (organization_id, id, created_at, updated_at, tenant_id, lease_id, credit_lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number,
    received_at, status, idempotency_key, request_hash, answer, entry_id)
  values (${db.organizationId}, ${payment.id}, ${payment.createdAt}, ${payment.createdAt}, ${payment.tenantId}, ${payment.leaseId}, ${payment.creditLeaseId}, ${payment.propertyId}, ${payment.unitId},
    ${payment.amountCents}, ${payment.unallocatedCents}, ${payment.paymentMethod}, ${payment.checkNumber}, ${payment.receivedAt}, 'received', ${payment.idempotencyKey},
    ${payment.requestHash}, ${payment.answer}, ${payment.entryId})`;

/** Allocation to insert, with the journal entry that settles its charge and the date of the entry. */
export type NewAllocation<C extends AllocatableCharge = AllocatableCharge> = AppliedAllocation<C> & { id: string; entryId: string; settledOn: string };

/**
 * Returns the two writes of allocations: the update of the charges and the insert of the allocations. The input is passed as
 * arrays, for which the planner estimates few rows and reads each charge by its key.
 */
export function allocationWrites(db: StatementRunner, paymentId: string, at: string, allocations: readonly NewAllocation[]): RawBuilder<unknown>[] {
  const column = <T>(valueOf: (allocation: NewAllocation) => T): T[] => allocations.map(valueOf);
  const chargeIds = column(({ charge }) => charge.id);
  return [
    sql`update charge set allocated_cents = input.allocated, balance_cents = input.balance, status = input.status, updated_at = ${at}, version = version + 1,
        open_before_reopening_cents = open_before_reopening_cents - case when input.settled_on < reopened_on then input.amount else 0 end
      from unnest(${chargeIds}::uuid[], ${column(({ chargeAfter }) => chargeAfter.allocatedCents)}::bigint[],
        ${column(({ chargeAfter }) => chargeAfter.balanceCents)}::bigint[], ${column(({ chargeAfter }) => chargeAfter.status)}::text[],
        ${column(({ amountCents }) => amountCents)}::bigint[], ${column(({ settledOn }) => settledOn)}::date[])
        as input (charge_id, allocated, balance, status, amount, settled_on)
      where charge.organization_id = ${db.organizationId} and charge.id = any(${chargeIds}::uuid[]) and charge.id = input.charge_id`,
    sql`insert into payment_allocation (organization_id, id, created_at, updated_at, payment_id, charge_id, amount_cents, entry_id)
      select ${db.organizationId}, id, ${at}, ${at}, ${paymentId}, charge_id, amount, entry_id
      from unnest(${column(({ id }) => id)}::uuid[], ${chargeIds}::uuid[], ${column(({ amountCents }) => amountCents)}::bigint[],
        ${column(({ entryId }) => entryId)}::uuid[]) as input (id, charge_id, amount, entry_id)`,
  ];
}
