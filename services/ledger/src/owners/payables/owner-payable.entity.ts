import { ownerPayableStatuses, payoutMethods, type PayoutTerm } from "@freehold/contract/trust/owner-payables";
import { cents, defineEntity, enumText, orgColumns, p, plainDate, inPortalReach } from "@freehold/kit/db/entity";

const OwnerPayableSchema = defineEntity({
  name: "OwnerPayable",
  tableName: "owner_payable",
  ...inPortalReach,
  indexes: [
    { properties: ["organizationId", "periodEnd", "id"], name: "owner_payable_by_period" },
    { properties: ["organizationId", "ownerId", "propertyId"], name: "owner_payable_by_owner" },
    {
      name: "owner_payable_open_once",
      expression: `create unique index owner_payable_open_once on owner_payable (organization_id, owner_id, property_id, bank_account_id) where status in ('draft', 'approved')`,
    },
  ],
  properties: {
    ...orgColumns,
    ownerId: p.uuid(),
    propertyId: p.uuid(),
    bankAccountId: p.uuid(),
    periodStart: plainDate(),
    periodEnd: plainDate(),
    status: enumText(ownerPayableStatuses),
    grossCents: cents(),
    amountCents: cents(),
    calculation: p.json().$type<PayoutTerm[]>(),
    method: enumText(payoutMethods),
    referenceNumber: p.text().nullable(),
    reductionReason: p.text().nullable(),
    paidAt: p.datetime(3).nullable(),
    entryId: p.uuid().nullable(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Payout of the money of a property to one of its owners. */
export class OwnerPayable extends OwnerPayableSchema.class {}
OwnerPayableSchema.setClass(OwnerPayable);
