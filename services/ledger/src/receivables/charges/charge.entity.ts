/** Tables of charges and of open charges. */
import type { Charge as View } from "@freehold/contract/ledger/charges";
import type { ChargeLateFeeTerms } from "../late-fees/late-fee.rules.ts";
import { cents, defineEntity, inOrganizationBatches, orgColumns, p, plainDate, inPortalReachBatches } from "@freehold/kit/db/entity";

const ChargeSchema = defineEntity({
  name: "Charge",
  tableName: "charge",
  ...inPortalReachBatches,
  indexes: [
    { properties: ["organizationId", "leaseId", "dueDate"], name: "charge_by_lease" },
    { properties: ["organizationId", "tenantId"], name: "charge_by_tenant" },
    { properties: ["organizationId", "propertyId"], name: "charge_by_property" },
    { properties: ["organizationId", "dueDate", "id"], name: "charge_by_due_date" },
    { properties: ["organizationId", "amountCents", "dueDate", "id"], name: "charge_by_amount" },
    {
      name: "charge_period_posted_once",
      expression:
        "create unique index charge_period_posted_once on charge (organization_id, recurring_charge_rule_id, period_start) where recurring_charge_rule_id is not null and not is_superseded",
    },
    {
      name: "charge_superseded_by_rule",
      expression: "create index charge_superseded_by_rule on charge (organization_id, recurring_charge_rule_id) where is_superseded",
    },
    {
      name: "charge_by_work_order",
      expression: "create index charge_by_work_order on charge (organization_id, work_order_id) where work_order_id is not null",
    },
    {
      name: "charge_expense_billed_once",
      expression: "create unique index charge_expense_billed_once on charge (organization_id, expense_id) where expense_id is not null and status <> 'voided'",
    },
    {
      name: "charge_late_fee_once",
      expression:
        "create unique index charge_late_fee_once on charge (organization_id, late_fee_for_charge_id, late_fee_kind, late_fee_day_index) where late_fee_for_charge_id is not null and not is_superseded",
    },
    {
      name: "charge_by_late_fee_day",
      expression: "create index charge_by_late_fee_day on charge (organization_id, late_fee_due_on) where late_fee_due_on is not null",
    },
    {
      name: "charge_deposit_by_lease",
      expression: "create index charge_deposit_by_lease on charge (organization_id, lease_id) where charge_type = 'deposit'",
    },
    {
      name: "charge_deposit_by_holder",
      expression: "create index charge_deposit_by_holder on charge (organization_id, deposit_lease_id) where deposit_lease_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    leaseId: p.uuid(),
    tenantId: p.uuid(),
    propertyId: p.uuid(),
    unitId: p.uuid(),
    recurringChargeRuleId: p.uuid().nullable(),
    name: p.text(),
    chargeType: p.text().$type<View["chargeType"]>(),
    categoryId: p.uuid(),
    amountCents: cents(),
    allocatedCents: cents(),
    creditedCents: cents(),
    balanceCents: cents(),
    dueDate: plainDate(),
    postedAt: p.datetime(3),
    periodStart: plainDate().nullable(),
    periodEnd: plainDate().nullable(),
    status: p.text().$type<View["status"]>(),
    memo: p.text().nullable(),
    workOrderId: p.uuid().nullable(),
    expenseId: p.uuid().nullable(),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
    /** True for a voided charge of a recurring charge whose days can be charged again, because the terms changed. */
    isSuperseded: p.boolean().default(false),
    overdueAnnouncedAt: p.datetime(3).nullable(),
    /** Day from which the whole balance is open: the latest day of a released allocation, reversed credit or entry moved from a closed period. */
    reopenedOn: plainDate().nullable(),
    /** Amount that was open on every day from the due date to `reopenedOn`, and can still be settled on one of those days. */
    openBeforeReopeningCents: cents().nullable(),
    /** Renewal that took over the lease and for which the paid part of a deposit is held; null for the charge's own lease. */
    depositLeaseId: p.uuid().nullable(),
    /** Late-fee terms of a rent charge, fixed when it was posted; null for a charge that bears no late fee. */
    lateFeeTerms: p.json().$type<ChargeLateFeeTerms>().nullable(),
    /** Day of the next late fee to assess; null for none. */
    lateFeeDueOn: plainDate().nullable(),
    /** Charge, kind and day that a late fee is for, and the number of that day from 0; null for other charges. */
    lateFeeForChargeId: p.uuid().nullable(),
    lateFeeKind: p.text().nullable(),
    lateFeeDayIndex: p.integer().nullable(),
    lateFeeAssessedFor: plainDate().nullable(),
  },
});
/** Amount that a tenant owes on a lease. A check constraint keeps its balance from falling below zero. */
export class Charge extends ChargeSchema.class {}
ChargeSchema.setClass(Charge);

const OpenChargeSchema = defineEntity({
  name: "OpenCharge",
  tableName: "open_charge",
  ...inOrganizationBatches,
  indexes: [
    { properties: ["organizationId", "dueDate"], name: "open_charge_by_due_date" },
    { properties: ["organizationId", "leaseId"], name: "open_charge_by_lease" },
    { properties: ["organizationId", "tenantId"], name: "open_charge_by_tenant" },
    { properties: ["organizationId", "propertyId"], name: "open_charge_by_property" },
  ],
  properties: {
    organizationId: p.uuid().primary(),
    chargeId: p.uuid().primary(),
    leaseId: p.uuid(),
    tenantId: p.uuid(),
    propertyId: p.uuid(),
    chargeType: p.text().$type<View["chargeType"]>(),
    dueDate: plainDate(),
    amountCents: cents(),
    balanceCents: cents(),
  },
});
/** Charge with a balance above zero. Triggers maintain the table, so that sums of open balances do not read settled charges. */
export class OpenCharge extends OpenChargeSchema.class {}
OpenChargeSchema.setClass(OpenCharge);
