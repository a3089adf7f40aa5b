import { OccupantRole } from "@freehold/contract/leases/lease-occupants";
import { LeaseKind, TermType } from "@freehold/contract/leases/lease.schema";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import { cents, defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const LeaseSchema = defineEntity({
  name: "Lease",
  tableName: "lease",
  ...inPortalReach,
  indexes: [
    { name: "lease_by_property", properties: ["organizationId", "propertyId"] },
    { name: "lease_by_unit", properties: ["organizationId", "unitId"] },
    { name: "lease_by_tenant", properties: ["organizationId", "tenantId"] },
    { name: "lease_by_start", properties: ["organizationId", "startDate"] },
    { name: "lease_by_end", properties: ["organizationId", "endDate"] },
    { name: "lease_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "lease_by_status", expression: `create index lease_by_status on lease (organization_id, status) where deleted_at is null` },
    {
      name: "lease_running_out",
      expression: `create index lease_running_out on lease (organization_id, end_date) where status = 'active' and term_type <> 'month_to_month' and deleted_at is null`,
    },
    {
      name: "lease_renewed_once",
      expression: `create unique index lease_renewed_once on lease (organization_id, renewed_from_lease_id) where status <> 'cancelled' and deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    unitId: p.uuid(),
    tenantId: p.uuid(),
    status: enumText(leaseStatuses),
    leaseKind: enumText(LeaseKind.options),
    termType: enumText(TermType.options),
    startDate: plainDate(),
    endDate: plainDate().nullable(),
    terminationDate: plainDate().nullable(),
    /** Start date of the activated renewal. */
    supersededFrom: plainDate().nullable(),
    /** End date that the lease had before its renewal was activated. Restored if the renewal is cancelled or deleted. */
    ownEndDate: plainDate().nullable(),
    moveInDate: plainDate().nullable(),
    signedAt: p.datetime(3).nullable(),
    executedDate: plainDate().nullable(),
    effectiveDate: plainDate().nullable(),
    rentCommencementDate: plainDate().nullable(),
    rentCommencementCondition: enumText(["on_start_date", "on_possession", "on_rent_commencement_date", "on_opening", "other"]).nullable(),
    rentCents: cents(),
    rentChargeDay: p.integer(),
    lateFeeType: enumText(["none", "flat", "percent", "daily"]),
    lateFeeAmountCents: cents().nullable(),
    lateFeeGraceDays: p.integer().nullable(),
    lateFeePercentBps: p.integer().nullable(),
    coTenantsJointlyLiable: p.boolean(),
    renewedFromLeaseId: p.uuid().nullable(),
    renewedToLeaseId: p.uuid().nullable(),
    noticeGivenOn: plainDate().nullable(),
    plannedMoveOutDate: plainDate().nullable(),
    terminationReason: p.text().nullable(),
    /** Rent of the last month after a termination. */
    finalRent: enumText(["prorate", "full", "none"]).nullable(),
    terminationFeeCents: cents().nullable(),
    isHoldover: p.boolean().default(false),
    depositRequiredCents: cents(),
    prorateFirstMonth: p.boolean(),
    createRecurringRent: p.boolean(),
    billFrom: plainDate().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Lease of one unit. The constraint `lease_alone_in_its_unit` prevents active and pending leases of a unit from overlapping. */
export class Lease extends LeaseSchema.class {}
LeaseSchema.setClass(Lease);

const LeaseOccupantSchema = defineEntity({
  name: "LeaseOccupant",
  tableName: "lease_occupant",
  ...inPortalReach,
  indexes: [
    { name: "lease_occupant_by_lease", properties: ["organizationId", "leaseId"] },
    { name: "lease_occupant_by_tenant", properties: ["organizationId", "tenantId"] },
    {
      name: "lease_has_one_primary_occupant",
      expression: `create unique index lease_has_one_primary_occupant on lease_occupant (organization_id, lease_id) where is_primary and removed_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    leaseId: p.uuid(),
    tenantId: p.uuid().nullable(),
    fullName: p.text(),
    position: p.integer(),
    isPrimary: p.boolean(),
    role: enumText(OccupantRole.options),
    providerRole: p.text().nullable(),
    relationship: p.text().nullable(),
    notes: p.text().nullable(),
    moveInDate: plainDate().nullable(),
    moveOutDate: plainDate().nullable(),
    releasedOn: plainDate().nullable(),
    /** Time at which the release was recorded. */
    releasedAt: p.datetime(3).nullable(),
    removedAt: p.datetime(3).nullable(),
  },
});
/** Occupant or guarantor of a lease. The tenant of the lease is its primary occupant. */
export class LeaseOccupant extends LeaseOccupantSchema.class {}
LeaseOccupantSchema.setClass(LeaseOccupant);
