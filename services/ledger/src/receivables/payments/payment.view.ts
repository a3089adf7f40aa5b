/** Select list and API representation of a payment. */
import type { Payment as View } from "@freehold/contract/ledger/payments";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";

type Allocation = View["allocations"][number];

export type PaymentRow = Pick<
  View,
  | "id"
  | "organizationId"
  | "tenantId"
  | "leaseId"
  | "amountCents"
  | "unallocatedCents"
  | "refundedCents"
  | "depositId"
  | "checkNumber"
  | "idempotencyKey"
  | "paymentMethod"
  | "receivedAt"
  | "status"
  | "createdAt"
  | "updatedAt"
> & {
  version: number;
  allocations: Omit<Allocation, "paymentId" | "paymentReceivedAt">[] | null;
  refunds: Omit<View["refunds"][number], "paymentId">[] | null;
} & PaymentRelations;

/** Columns of the payment's tenant, lease, property and unit, from the projections. */
export interface PaymentRelations {
  tenantName: string;
  startDate: string | null;
  endDate: string | null;
  leaseStatus: NonNullable<View["lease"]>["status"] | null;
  propertyId: string | null;
  propertyName: string | null;
  city: string | null;
  state: string | null;
  unitId: string | null;
  unitNumber: string | null;
}

export const paymentColumns = sql`p.id, p.organization_id, p.tenant_id, p.lease_id, p.amount_cents, p.unallocated_cents, p.refunded_cents, p.bank_deposit_id as deposit_id, p.check_number, p.idempotency_key, p.payment_method, p.received_at,
  p.status, p.created_at, p.updated_at, p.version, t.full_name as tenant_name, l.start_date, l.end_date, l.status as lease_status,
  p.property_id, pr.name as property_name, pr.city, pr.state, p.unit_id, u.unit_number,
  (select json_agg(json_build_object('id', a.id, 'chargeId', a.charge_id, 'amountCents', a.amount_cents, 'charge', json_build_object('id', c.id, 'name', c.name, 'chargeType', c.charge_type,
      'status', c.status, 'amountCents', c.amount_cents, 'balanceCents', c.balance_cents, 'dueDate', c.due_date)) order by a.id)
    from payment_allocation a join charge c on c.organization_id = a.organization_id and c.id = a.charge_id
    where a.organization_id = p.organization_id and a.payment_id = p.id and a.released_at is null) as allocations,
  (select json_agg(json_build_object('id', r.id, 'amountCents', r.amount_cents, 'method', r.method, 'bankAccountId', coalesce(r.trust_bank_account_id, r.bank_account_id), 'referenceNumber', r.reference_number, 'memo', r.memo,
      'refundedAt', to_char(r.refunded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'journalEntryId', r.entry_id,
      'voidedAt', to_char(r.voided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'voidReason', r.void_reason) order by r.refunded_at, r.id)
    from payment_refund r where r.organization_id = p.organization_id and r.payment_id = p.id) as refunds`;

/** From clause of `paymentColumns`. */
export const paymentTables = sql`payment p
  left join tenant_copy t on t.organization_id = p.organization_id and t.id = p.tenant_id
  left join lease_copy l on l.organization_id = p.organization_id and l.id = p.lease_id
  left join property_copy pr on pr.organization_id = p.organization_id and pr.id = p.property_id
  left join unit_copy u on u.organization_id = p.organization_id and u.id = p.unit_id`;

/** Returns the API representation of a payment, with its allocations, refunds, tenant, lease, property and unit. */
export function paymentView({
  version,
  allocations,
  refunds,
  tenantName,
  startDate,
  endDate,
  leaseStatus,
  propertyId,
  propertyName,
  city,
  state,
  unitId,
  unitNumber,
  ...row
}: PaymentRow): View {
  const view: View = {
    ...row,
    allocations: (allocations ?? []).map((allocation) => ({ ...allocation, paymentId: row.id, paymentReceivedAt: row.receivedAt })),
    refunds: (refunds ?? []).map((refund) => ({ ...refund, paymentId: row.id })),
    lease: row.leaseId && startDate && leaseStatus ? { id: row.leaseId, startDate, endDate, status: leaseStatus } : null,
    property: propertyId && propertyName !== null ? { id: propertyId, name: propertyName, city: city ?? "", state: state ?? "" } : null,
    tenant: { id: row.tenantId, fullName: tenantName },
    unit: unitId ? { id: unitId, unitNumber } : null,
  };
  return withVersion(view, version);
}
