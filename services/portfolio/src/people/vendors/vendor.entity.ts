import { defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";
import { normalizedSql } from "../../db/normalized.ts";
import { portalStatuses } from "../owners/owner.entity.ts";
import { taxIdTypes } from "../tax-ids/tax-id.rules.ts";

const VendorSchema = defineEntity({
  name: "Vendor",
  tableName: "vendor",
  ...inPortalReach,
  indexes: [
    { name: "vendor_by_name", properties: ["organizationId", "name"] },
    { name: "vendor_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "vendor_by_user", properties: ["organizationId", "userId"] },
    { name: "vendor_by_match_name", expression: `create index vendor_by_match_name on vendor (organization_id, match_name) where deleted_at is null` },
    { name: "vendor_by_same_email", expression: `create index vendor_by_same_email on vendor (organization_id, same_email) where deleted_at is null` },
  ],
  properties: {
    ...orgColumns,
    name: p.text(),
    email: p.text().nullable(),
    phone: p.text().nullable(),
    isEmailSelfReported: p.boolean(),
    isPhoneSelfReported: p.boolean(),
    trade: p.text().nullable(),
    notes: p.text().nullable(),
    isActive: p.boolean(),
    companyName: p.text().nullable(),
    contactName: p.text().nullable(),
    address: p.text().nullable(),
    categoryId: p.uuid().nullable(),
    include1099: p.boolean().name("include1099"),
    w9ReceivedOn: plainDate().name("w9_received_on").nullable(),
    licenseExpiresOn: plainDate().nullable(),
    paymentTermsDays: p.integer().nullable(),
    taxIdType: enumText(taxIdTypes).nullable(),
    taxIdLast4: p.text().name("tax_id_last4").nullable(),
    taxIdSealed: p.blob().nullable(),
    userId: p.uuid().nullable(),
    portalStatus: enumText(portalStatuses),
    /** Keys by which imports find the record. */
    matchName: p
      .text()
      .nullable()
      .generated(`${normalizedSql("name")} stored`),
    sameEmail: p.text().nullable().generated("lower(email) stored"),
    deletedAt: p.datetime(3).nullable(),
  },
});
/**
 * Vendor who is assigned work orders. The tax id is stored encrypted. An address is self-reported when the vendor entered it in the portal and the office
 * has not saved it since.
 */
export class Vendor extends VendorSchema.class {}
VendorSchema.setClass(Vendor);

const VendorInsuranceSchema = defineEntity({
  name: "VendorInsurance",
  tableName: "vendor_insurance",
  ...inPortalReach,
  indexes: [{ name: "vendor_insurance_by_expiry", properties: ["organizationId", "expiresOn"] }],
  properties: {
    organizationId: p.uuid().primary(),
    vendorId: p.uuid().primary(),
    position: p.integer().primary(),
    kind: enumText(["liability", "workers_comp", "auto", "other"]),
    provider: p.text(),
    policyNumber: p.text(),
    expiresOn: plainDate(),
    documentId: p.uuid().nullable(),
  },
});
/** Insurance policy of a vendor, in the order of the request. The list is replaced as a whole. */
export class VendorInsurance extends VendorInsuranceSchema.class {}
VendorInsuranceSchema.setClass(VendorInsurance);
