/** What the ledger keeps of portfolio's records to answer and sort by: small, fed by events, asked for when missing. */
import { defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

export const TenantCopy = defineEntity({
  name: "TenantCopy",
  tableName: "tenant_copy",
  ...inOrganization,
  indexes: [
    {
      name: "tenant_copy_merged",
      expression: "create index tenant_copy_merged on tenant_copy (organization_id, updated_at) where merged_into_id is not null",
    },
  ],
  /** A duplicate says whom all of it went to. */
  properties: { ...orgColumns, fullName: p.text(), mergedIntoId: p.uuid().nullable() },
});

export const PropertyCopy = defineEntity({
  name: "PropertyCopy",
  tableName: "property_copy",
  ...inOrganization,
  properties: { ...orgColumns, name: p.text(), city: p.text(), state: p.text() },
});

export const UnitCopy = defineEntity({
  name: "UnitCopy",
  tableName: "unit_copy",
  ...inOrganization,
  properties: { ...orgColumns, propertyId: p.uuid(), unitNumber: p.text().nullable() },
});

export const LeaseCopy = defineEntity({
  name: "LeaseCopy",
  tableName: "lease_copy",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "propertyId"], name: "lease_copy_by_property" }],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    unitId: p.uuid(),
    tenantId: p.uuid(),
    payerIds: p.array().columnType("uuid[]"),
    status: p.text(),
    startDate: plainDate(),
    endDate: plainDate().nullable(),
    /** When the ledger settled the end of the lease: it does so once. */
    billingStartedAt: p.datetime(3).nullable(),
    billingEndedAt: p.datetime(3).nullable(),
    /** The latest version of the lease that its billing follows. */
    heardVersion: p.integer().nullable(),
  },
});
