/** The statements of the hot path. Each bears the organization; a pipeline sends several together. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Allocation, Application, OpenCharge } from "./payment.rules.ts";
import type { Surroundings } from "./payment.view.ts";

const openChargeColumns = sql`id, lease_id, tenant_id, charge_type, category_id, due_date, amount_cents, allocated_cents, credited_cents, balance_cents, status, name`;

/** Charges by id, locked in the order of their ids: two who want the same ones cannot block each other for ever. */
export const lockCharges = (db: StatementRunner, ids: readonly string[]) => sql<OpenCharge & { name: string }>`
  select ${openChargeColumns} from charge where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) order by id for no key update`;

/** The open charges of a lease, or of a tenant when the payment names no lease, locked likewise. */
export const lockOpenCharges = (db: StatementRunner, leaseId: string | null, tenantId: string) => sql<OpenCharge & { name: string }>`
  select ${openChargeColumns} from charge where organization_id = ${db.organizationId} and balance_cents > 0
    and case when ${leaseId}::uuid is null then tenant_id = ${tenantId} else lease_id = ${leaseId}::uuid end order by id for no key update`;

/** The payments among these ids, for other services. */
export const paymentsFor = (db: StatementRunner, ids: readonly string[]): Promise<{ id: string }[]> =>
  db.all(sql<{ id: string }>`select id from payment where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])`);

export const earlierPayment = (db: StatementRunner, idempotencyKey: string) => sql<{ requestHash: string; answer: string }>`
  select request_hash, answer from payment where organization_id = ${db.organizationId} and idempotency_key = ${idempotencyKey}`;

export type PayerFacts = Surroundings & { leaseId: string | null; isPayer: boolean | null; mergedIntoId: string | null };

/** A tenant and, when one is named, a lease with its place; no row when the tenant is not known here. */
export const payerFacts = (db: StatementRunner, tenantId: string, leaseId: string | null) => sql<PayerFacts>`
  select t.full_name as tenant_name, t.merged_into_id, l.id as lease_id, l.start_date, l.end_date, l.status as lease_status, ${tenantId}::uuid = any(l.payer_ids) as is_payer,
    l.property_id, pr.name as property_name, pr.city, pr.state, l.unit_id, u.unit_number
  from tenant_copy t
    left join lease_copy l on l.organization_id = t.organization_id and l.id = ${leaseId}::uuid
    left join property_copy pr on pr.organization_id = t.organization_id and pr.id = l.property_id
    left join unit_copy u on u.organization_id = t.organization_id and u.id = l.unit_id
  where t.organization_id = ${db.organizationId} and t.id = ${tenantId}`;

export interface NewPayment {
  id: string;
  tenantId: string;
  leaseId: string | null;
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
  answer: string;
  entryId: string;
}

export const insertPayment = (db: StatementRunner, payment: NewPayment) => sql`
  insert into payment (organization_id, id, created_at, updated_at, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number,
    received_at, status, idempotency_key, request_hash, answer, entry_id)
  values (${db.organizationId}, ${payment.id}, ${payment.createdAt}, ${payment.createdAt}, ${payment.tenantId}, ${payment.leaseId}, ${payment.propertyId}, ${payment.unitId},
    ${payment.amountCents}, ${payment.unallocatedCents}, ${payment.paymentMethod}, ${payment.checkNumber}, ${payment.receivedAt}, 'received', ${payment.idempotencyKey},
    ${payment.requestHash}, ${payment.answer}, ${payment.entryId})`;

export type NewAllocation = Allocation & { id: string };

type NewApplication = Application & { id: string };
const column = <T>(applications: readonly NewApplication[], pick: (application: NewApplication) => T): T[] => applications.map(pick);

/**
 * The two writes that apply money to charges: what it leaves of each, and the allocations. Arrays, since the planner
 * expects few rows of them and finds each charge by its key.
 */
export function applyToCharges(
  db: StatementRunner,
  paymentId: string,
  entryId: string,
  at: string,
  applications: readonly NewApplication[],
): RawBuilder<unknown>[] {
  const chargeIds = column(applications, ({ charge }) => charge.id);
  return [
    sql`update charge set allocated_cents = given.allocated, balance_cents = given.balance, status = given.status, updated_at = ${at}, version = version + 1
      from unnest(${chargeIds}::uuid[], ${column(applications, ({ settled }) => settled.allocatedCents)}::bigint[],
        ${column(applications, ({ settled }) => settled.balanceCents)}::bigint[], ${column(applications, ({ settled }) => settled.status)}::text[])
        as given (charge_id, allocated, balance, status)
      where charge.organization_id = ${db.organizationId} and charge.id = any(${chargeIds}::uuid[]) and charge.id = given.charge_id`,
    sql`insert into payment_allocation (organization_id, id, created_at, updated_at, payment_id, charge_id, amount_cents, entry_id)
      select ${db.organizationId}, id, ${at}, ${at}, ${paymentId}, charge_id, amount, ${entryId}
      from unnest(${column(applications, ({ id }) => id)}::uuid[], ${chargeIds}::uuid[], ${column(applications, ({ amountCents }) => amountCents)}::bigint[]) as given (id, charge_id, amount)`,
  ];
}
