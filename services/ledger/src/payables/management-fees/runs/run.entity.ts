/** Tables of runs of management fees and of their fees. */
import { managementFeeKinds, managementFeeRunStatuses } from "@freehold/contract/payables/management-fees";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";
import type { Rate } from "../calculation/fee.rules.ts";

const ManagementFeeRunSchema = defineEntity({
  name: "ManagementFeeRun",
  tableName: "management_fee_run",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "periodStart", "id"], name: "management_fee_run_by_period" },
    {
      name: "management_fee_run_by_payment",
      expression: "create index management_fee_run_by_payment on management_fee_run (organization_id, expense_payment_id) where expense_payment_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    periodStart: plainDate(),
    periodEnd: plainDate(),
    status: enumText(managementFeeRunStatuses),
    bankAccountId: p.uuid().nullable(),
    expensePaymentId: p.uuid().nullable(),
    totalCents: cents(),
    collectedCents: cents(),
    reversedAt: p.datetime(3).nullable(),
    reverseReason: p.text().nullable(),
  },
});
/** Run that charged the management fees of a period. */
export class ManagementFeeRun extends ManagementFeeRunSchema.class {}
ManagementFeeRunSchema.setClass(ManagementFeeRun);

const ManagementFeeSchema = defineEntity({
  name: "ManagementFee",
  tableName: "management_fee",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "runId"], name: "management_fee_by_run" },
    { properties: ["organizationId", "propertyId", "month"], name: "management_fee_by_property" },
    {
      name: "management_fee_by_expense",
      expression: "create index management_fee_by_expense on management_fee (organization_id, expense_id) where expense_id is not null",
    },
    {
      name: "management_fee_by_lease",
      expression: "create index management_fee_by_lease on management_fee (organization_id, lease_id) where lease_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    runId: p.uuid(),
    propertyId: p.uuid(),
    agreementId: p.uuid(),
    kind: enumText(managementFeeKinds),
    month: plainDate(),
    leaseId: p.uuid().nullable(),
    baseCents: cents(),
    computedCents: cents(),
    minimumApplied: p.boolean(),
    maximumApplied: p.boolean(),
    isWaived: p.boolean(),
    /** Fee less what was taken back. */
    amountCents: cents(),
    reversedCents: cents().defaultRaw("0"),
    /** Rate of a fee in percent, by which the fee is computed again when its base shrinks; null for other fees. */
    rate: p.json().$type<Rate>().nullable(),
    expenseId: p.uuid().nullable(),
  },
});
/** Fee of a property that a run has charged. */
export class ManagementFee extends ManagementFeeSchema.class {}
ManagementFeeSchema.setClass(ManagementFee);

const ManagementFeeBaseSchema = defineEntity({
  name: "ManagementFeeBase",
  tableName: "management_fee_base",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "feeId"], name: "management_fee_base_by_fee" },
    { properties: ["organizationId", "chargeId"], name: "management_fee_base_by_charge" },
    {
      name: "management_fee_base_by_payment",
      expression: "create index management_fee_base_by_payment on management_fee_base (organization_id, payment_id) where payment_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    feeId: p.uuid(),
    chargeId: p.uuid(),
    paymentId: p.uuid().nullable(),
    allocationId: p.uuid().nullable(),
    /** Credit of the charge that a security deposit has paid. */
    creditId: p.uuid().nullable(),
    amountCents: cents(),
    /** True for the negative amount of a payment that was reversed after the run. */
    isTakenBack: p.boolean().default(false),
  },
});
/** Amount that a fee counts. What no longer counts is a negative amount of the same allocation, credit or charge. */
export class ManagementFeeBase extends ManagementFeeBaseSchema.class {}
ManagementFeeBaseSchema.setClass(ManagementFeeBase);
