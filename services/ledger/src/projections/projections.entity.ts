/** Projections of portfolio's records: the columns by which the ledger sorts, filters and labels, replicated by events and on demand. */
import type { FormerPayer } from "@freehold/proto/portfolio/v1/portfolio";
import { defineEntity, inOrganization, orgColumns, p, plainDate, inPortalReachBatches } from "@freehold/kit/db/entity";
import type { LateFeeTerms } from "../receivables/late-fees/late-fee.rules.ts";

/** Names of tenants. `mergedIntoId` of a merged duplicate is the surviving tenant. */
export const TenantProjection = defineEntity({
  name: "TenantProjection",
  tableName: "tenant_copy",
  ...inPortalReachBatches,
  indexes: [
    {
      name: "tenant_copy_merged",
      expression: "create index tenant_copy_merged on tenant_copy (organization_id, updated_at) where merged_into_id is not null",
    },
  ],
  properties: { ...orgColumns, fullName: p.text(), mergedIntoId: p.uuid().nullable(), isDeleted: p.boolean().default(false) },
});

/** Names, cities and states of properties, and their own deadlines for the disposition of security deposits. */
export const PropertyProjection = defineEntity({
  name: "PropertyProjection",
  tableName: "property_copy",
  ...inPortalReachBatches,
  properties: { ...orgColumns, name: p.text(), city: p.text(), state: p.text(), depositDeadlineDays: p.integer().nullable() },
});

/** Names of vendors. */
export const VendorProjection = defineEntity({
  name: "VendorProjection",
  tableName: "vendor_copy",
  ...inOrganization,
  properties: { ...orgColumns, name: p.text(), isDeleted: p.boolean().default(false) },
});

/** Numbers of units. */
export const UnitProjection = defineEntity({
  name: "UnitProjection",
  tableName: "unit_copy",
  ...inPortalReachBatches,
  properties: { ...orgColumns, propertyId: p.uuid(), unitNumber: p.text().nullable() },
});

/** Leases with their term and payers, and the state of their billing. */
export const LeaseProjection = defineEntity({
  name: "LeaseProjection",
  tableName: "lease_copy",
  ...inPortalReachBatches,
  indexes: [
    { properties: ["organizationId", "propertyId"], name: "lease_copy_by_property" },
    { properties: ["organizationId", "tenancyId"], name: "lease_copy_by_tenancy" },
    { name: "lease_copy_by_payer", expression: "create index lease_copy_by_payer on lease_copy using gin (organization_id, payer_ids)" },
  ],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    unitId: p.uuid(),
    tenantId: p.uuid(),
    payerIds: p.array().columnType("uuid[]"),
    /** Co-tenants who were released. A payment that names the lease may be theirs if it was received on a day on which they lived there. */
    formerPayers: p.json().$type<FormerPayer[]>().defaultRaw("'[]'"),
    /** Day on which the tenants of an ended lease have moved out: as recorded for them, or the last day of the lease. */
    movedOutOn: plainDate().nullable(),
    /** First lease of the tenancy: a lease and its renewals share their credit. */
    tenancyId: p.uuid(),
    status: p.text(),
    startDate: plainDate(),
    endDate: plainDate().nullable(),
    /** Null for a lease that was projected before late-fee terms were added; it is replicated again when it is charged. */
    lateFeeTerms: p.json().$type<LateFeeTerms>().nullable(),
    /** Portfolio's version of the lease; null for a lease that was projected before versions were added. */
    sourceVersion: p.integer().nullable(),
    /** Times at which the ledger started and ended the billing of the lease; null until then. */
    billingStartedAt: p.datetime(3).nullable(),
    billingEndedAt: p.datetime(3).nullable(),
    /** Status of the lease when its billing was last started: a pending lease is started again when it becomes active. */
    billingStartedAs: p.text().nullable(),
    /** Time at which this renewal took over the credit and the deposits of the lease before it; null until then. */
    tookOverAt: p.datetime(3).nullable(),
    /** Latest version of the lease that was applied to its billing. */
    appliedVersion: p.integer().name("heard_version").nullable(),
  },
});
