/** Tables of payments, their allocations and their reversals. */
import type { Payment as View, reversalReasons } from "@freehold/contract/ledger/payments";
import { cents, defineEntity, inOrganization, orgColumns, p, plainDate, inPortalReachBatches } from "@freehold/kit/db/entity";

const PaymentSchema = defineEntity({
  name: "Payment",
  tableName: "payment",
  ...inPortalReachBatches,
  uniques: [{ properties: ["organizationId", "idempotencyKey"], name: "payment_idempotency_key_once" }],
  indexes: [
    { properties: ["organizationId", "receivedAt", "id"], name: "payment_by_receipt" },
    { properties: ["organizationId", "amountCents", "receivedAt", "id"], name: "payment_by_amount" },
    { properties: ["organizationId", "tenantId"], name: "payment_by_tenant" },
    { properties: ["organizationId", "leaseId"], name: "payment_by_lease" },
    { name: "payment_with_credit", expression: "create index payment_with_credit on payment (organization_id, received_at) where unallocated_cents > 0" },
    { name: "payment_pending", expression: "create index payment_pending on payment (organization_id) where status = 'pending'" },
    {
      name: "payment_credit_by_tenant",
      expression: "create index payment_credit_by_tenant on payment (organization_id, tenant_id) where unallocated_cents > 0",
    },
    {
      name: "payment_credit_by_lease",
      expression: "create index payment_credit_by_lease on payment (organization_id, lease_id) where unallocated_cents > 0",
    },
    {
      name: "payment_credit_by_holder",
      expression: "create index payment_credit_by_holder on payment (organization_id, credit_lease_id) where credit_lease_id is not null",
    },
    { name: "payment_by_check", expression: "create index payment_by_check on payment (organization_id, check_number) where check_number is not null" },
  ],
  properties: {
    ...orgColumns,
    tenantId: p.uuid(),
    leaseId: p.uuid().nullable(),
    /** Renewal that holds the credit of the payment since it took over the lease; null for credit of the payment's own lease. */
    creditLeaseId: p.uuid().nullable(),
    propertyId: p.uuid().nullable(),
    unitId: p.uuid().nullable(),
    amountCents: cents(),
    unallocatedCents: cents(),
    /** Day from which the whole credit is available: that of the latest removal of an allocation or void of a refund. */
    creditReleasedOn: plainDate().nullable(),
    /** Unallocated amount that was available on every day before `creditReleasedOn`, and can still be used on such a day. */
    creditBeforeReleaseCents: cents().nullable(),
    refundedCents: cents().defaultRaw("0"),
    /** Bank deposit of the payment; null when there is none or it was voided. */
    bankDepositId: p.uuid().nullable(),
    paymentMethod: p.text().$type<View["paymentMethod"]>(),
    checkNumber: p.text().nullable(),
    receivedAt: p.datetime(3),
    status: p.text().$type<View["status"]>(),
    idempotencyKey: p.text(),
    requestHash: p.text(),
    answer: p.text(),
    entryId: p.uuid(),
  },
});
/** Money received from a tenant. Its idempotency key is permanent; `answer` is the response replayed for the key. */
export class Payment extends PaymentSchema.class {}
PaymentSchema.setClass(Payment);

const PaymentAllocationSchema = defineEntity({
  name: "PaymentAllocation",
  tableName: "payment_allocation",
  ...inPortalReachBatches,
  indexes: [
    { properties: ["organizationId", "paymentId"], name: "payment_allocation_by_payment" },
    { properties: ["organizationId", "chargeId"], name: "payment_allocation_by_charge" },
    {
      name: "payment_allocation_carryable",
      expression: "create index payment_allocation_carryable on payment_allocation (organization_id, charge_id) where carryable_cents > 0",
    },
  ],
  properties: {
    ...orgColumns,
    paymentId: p.uuid(),
    chargeId: p.uuid(),
    amountCents: cents(),
    /** Journal entry that settles the charge. */
    entryId: p.uuid(),
    /** Day from which the allocation no longer settles the charge. Null for a live allocation. */
    releasedOn: plainDate().nullable(),
    releasedAt: p.datetime(3).nullable(),
    /** Journal entry that took the allocation back. Null when the reversal of the payment released it. */
    releaseEntryId: p.uuid().nullable(),
    /** Amount of an allocation that was released with its superseded charge and does not settle the replacing charge yet. */
    carryableCents: cents().defaultRaw("0"),
  },
});
/** Amount of a payment allocated to a charge. Live until it is released, and kept afterwards. */
export class PaymentAllocation extends PaymentAllocationSchema.class {}
PaymentAllocationSchema.setClass(PaymentAllocation);

const PaymentRefundSchema = defineEntity({
  name: "PaymentRefund",
  tableName: "payment_refund",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "paymentId"], name: "payment_refund_by_payment" }],
  properties: {
    ...orgColumns,
    paymentId: p.uuid(),
    amountCents: cents(),
    method: p.text().$type<View["paymentMethod"]>(),
    /** Account of the chart. */
    accountId: p.uuid().name("bank_account_id"),
    /** Null for a refund from an account of the chart that had no bank account. */
    bankAccountId: p.uuid().name("trust_bank_account_id").nullable(),
    referenceNumber: p.text().nullable(),
    memo: p.text().nullable(),
    refundedAt: p.datetime(3),
    /** Day of the journal entry. */
    refundedOn: plainDate(),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    /** Day of the entry that reverses that of the refund. */
    voidedOn: plainDate().nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Credit of a payment that was paid back to the payer. */
export class PaymentRefund extends PaymentRefundSchema.class {}
PaymentRefundSchema.setClass(PaymentRefund);

const PaymentReversalSchema = defineEntity({
  name: "PaymentReversal",
  tableName: "payment_reversal",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "paymentId"], name: "payment_reversed_once" }],
  properties: {
    ...orgColumns,
    paymentId: p.uuid(),
    entryId: p.uuid(),
    reason: p.text().$type<(typeof reversalReasons)[number]>(),
    memo: p.text().nullable(),
    reversedAt: p.datetime(3),
  },
});
/** Reversal of a payment, at most one per payment. */
export class PaymentReversal extends PaymentReversalSchema.class {}
PaymentReversalSchema.setClass(PaymentReversal);
