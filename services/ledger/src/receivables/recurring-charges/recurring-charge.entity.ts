import type { RecurringChargeRule as View } from "@freehold/contract/ledger/recurring-charges";
import { cents, defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const RecurringChargeRuleSchema = defineEntity({
  name: "RecurringChargeRule",
  tableName: "recurring_charge_rule",
  ...inOrganization,
  indexes: [
    {
      name: "recurring_charge_one_rule_a_rent",
      expression:
        "create unique index recurring_charge_one_rule_a_rent on recurring_charge_rule (organization_id, lease_id, rent_change_id) nulls not distinct where is_lease_rent",
    },
    { properties: ["organizationId", "leaseId"], name: "recurring_charge_by_lease" },
    { properties: ["organizationId", "unitId"], name: "recurring_charge_by_unit" },
    { properties: ["organizationId", "tenantId"], name: "recurring_charge_by_tenant" },
    { properties: ["organizationId", "status"], name: "recurring_charge_by_status" },
    {
      name: "recurring_charge_by_follower",
      expression:
        "create index recurring_charge_by_follower on recurring_charge_rule (organization_id, followed_by_lease_id) where followed_by_lease_id is not null",
    },
    {
      name: "recurring_charge_by_continued_rule",
      expression:
        "create index recurring_charge_by_continued_rule on recurring_charge_rule (organization_id, continues_rule_id) where continues_rule_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    leaseId: p.uuid().nullable(),
    unitId: p.uuid().nullable(),
    propertyId: p.uuid().nullable(),
    tenantId: p.uuid().nullable(),
    amountCents: cents(),
    categoryId: p.uuid(),
    dayOfMonth: p.smallint(),
    startDate: plainDate(),
    endDate: plainDate().nullable(),
    /** Agreed start date of a fee that starts later than its lease; null for a fee that starts with its lease. */
    agreedFrom: plainDate().nullable(),
    postFrom: plainDate(),
    kind: p.text().$type<View["kind"]>(),
    label: p.text(),
    status: p.text().$type<View["status"]>(),
    isLeaseRent: p.boolean(),
    /** True for a part of the rent of a lease without a rent of its own, which is prorated like one. */
    isRentPart: p.boolean().default(false),
    /** End date that a part of the rent has from its lease, with which it moves; another end date is its own. Null without one. */
    leaseEnd: plainDate().nullable(),
    proratesFirstMonth: p.boolean(),
    /** Rent change whose rent this rule charges; null for the initial rent of the lease and for fees. An ended rule keeps the id of a deleted rent change. */
    rentChangeId: p.uuid().nullable(),
    /** Fee of the renewed lease that this fee of its renewal continues; null for any other rule. */
    continuesRuleId: p.uuid().nullable(),
    /** Renewal whose start ends this rule, or null. */
    followedByLeaseId: p.uuid().nullable(),
    /**
     * End date of the rule before the renewal `followedByLeaseId` changed it, restored if the renewal is cancelled or deleted.
     * Null for a rule without an end date or without a renewal.
     */
    ownEndDate: plainDate().nullable(),
    /** Time at which the rule was deleted, as a draft; null unless deleted. */
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Monthly recurring charge of a lease or unit. Periods due before `postFrom` are not charged. */
export class RecurringChargeRule extends RecurringChargeRuleSchema.class {}
RecurringChargeRuleSchema.setClass(RecurringChargeRule);
