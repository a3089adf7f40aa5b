import { paymentMethods } from "@freehold/contract/ledger/payments";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const OwnerContributionSchema = defineEntity({
  name: "OwnerContribution",
  tableName: "owner_contribution",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "ownerId", "receivedAt", "id"], name: "owner_contribution_by_owner" }],
  properties: {
    ...orgColumns,
    ownerId: p.uuid(),
    propertyId: p.uuid(),
    bankAccountId: p.uuid(),
    amountCents: cents(),
    receivedAt: p.datetime(3),
    paymentMethod: enumText(paymentMethods),
    memo: p.text().nullable(),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Money that an owner paid in for a property. */
export class OwnerContribution extends OwnerContributionSchema.class {}
OwnerContributionSchema.setClass(OwnerContribution);
