import { defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";
import { normalizedSql } from "../../db/normalized.ts";
import { portalStatuses } from "../owners/owner.entity.ts";

interface EmergencyContact {
  name: string;
  phone: string;
  relationship?: string | null | undefined;
}

const TenantSchema = defineEntity({
  name: "Tenant",
  tableName: "tenant",
  ...inPortalReach,
  indexes: [
    { name: "tenant_by_name", properties: ["organizationId", "fullName"] },
    { name: "tenant_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "tenant_by_user", properties: ["organizationId", "userId"] },
    { name: "tenant_by_phone", properties: ["organizationId", "phone"] },
    {
      name: "tenant_merged_into",
      expression: `create index tenant_merged_into on tenant (organization_id, merged_into_id) where merged_into_id is not null`,
    },
    { name: "tenant_by_same_name", expression: `create index tenant_by_same_name on tenant (organization_id, same_name) where deleted_at is null` },
    { name: "tenant_by_match_name", expression: `create index tenant_by_match_name on tenant (organization_id, match_name) where deleted_at is null` },
    { name: "tenant_by_same_email", expression: `create index tenant_by_same_email on tenant (organization_id, same_email) where deleted_at is null` },
  ],
  properties: {
    ...orgColumns,
    fullName: p.text(),
    firstName: p.text().nullable(),
    lastName: p.text().nullable(),
    companyName: p.text().nullable(),
    email: p.text().nullable(),
    phone: p.text().nullable(),
    alternatePhone: p.text().nullable(),
    dateOfBirth: plainDate().nullable(),
    preferredLanguage: p.text(),
    emergencyContact: p.json<EmergencyContact>().nullable(),
    mailingAddress: p.text().nullable(),
    userId: p.uuid().nullable(),
    portalStatus: enumText(portalStatuses),
    smsConsentGranted: p.boolean().default(false),
    smsConsentAt: p.datetime(3).nullable(),
    smsConsentSource: p.text().nullable(),
    /** Lower-case copies for the search of possible duplicates. */
    sameName: p.text().nullable().generated("lower(full_name) stored"),
    sameEmail: p.text().nullable().generated("lower(email) stored"),
    /** Name by which imports find the tenant. */
    matchName: p
      .text()
      .nullable()
      .generated(`${normalizedSql("full_name")} stored`),
    /** Tenant that a deleted duplicate was merged into. Updated when that tenant is merged in turn, so never a chain. */
    mergedIntoId: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Tenant or occupant. Phone numbers are stored in E.164. */
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant);
