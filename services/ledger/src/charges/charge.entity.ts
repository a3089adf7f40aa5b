import type { Charge as View } from "@freehold/contract/charges";
import { cents, defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/entity";

const ChargeSchema = defineEntity({
  name: "Charge",
  tableName: "charge",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "recurringChargeRuleId", "periodStart"], name: "charge_period_posted_once" }],
  indexes: [
    { properties: ["organizationId", "leaseId", "dueDate"], name: "charge_by_lease" },
    { properties: ["organizationId", "tenantId"], name: "charge_by_tenant" },
    { properties: ["organizationId", "propertyId"], name: "charge_by_property" },
    { properties: ["organizationId", "dueDate"], name: "charge_by_due_date" },
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
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
    overdueAnnouncedAt: p.datetime(3).nullable(),
  },
});
/** What a tenant owes. Its balance is kept with it and can never fall below zero. */
export class Charge extends ChargeSchema.class {}
ChargeSchema.setClass(Charge);
