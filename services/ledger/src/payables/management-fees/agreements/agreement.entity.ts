import { managementFeeTypes, type LeaseFee, type ManagementFeeAgreement as View } from "@freehold/contract/payables/management-fees";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p, plainDate, textArray } from "@freehold/kit/db/entity";

const ManagementFeeAgreementSchema = defineEntity({
  name: "ManagementFeeAgreement",
  tableName: "management_fee_agreement",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "propertyId", "effectiveFrom"], name: "management_fee_agreement_by_property" }],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    effectiveFrom: plainDate(),
    effectiveTo: plainDate().nullable(),
    feeType: enumText(managementFeeTypes),
    percentBps: p.integer().nullable(),
    flatCents: cents().nullable(),
    minimumCents: cents().nullable(),
    maximumCents: cents().nullable(),
    waiveWhenVacant: p.boolean(),
    includedChargeTypes: textArray().$type<View["includedChargeTypes"]>(),
    managerKeepsChargeTypes: textArray().$type<View["managerKeepsChargeTypes"]>(),
    leasingFee: p.json().$type<LeaseFee>().nullable(),
    renewalFee: p.json().$type<LeaseFee>().nullable(),
    categoryId: p.uuid(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Fees of the management company for a property, from a day on. */
export class ManagementFeeAgreement extends ManagementFeeAgreementSchema.class {}
ManagementFeeAgreementSchema.setClass(ManagementFeeAgreement);
