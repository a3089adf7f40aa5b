import { cents, defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const RentChangeSchema = defineEntity({
  name: "RentChange",
  tableName: "rent_change",
  ...inOrganization,
  indexes: [
    {
      name: "rent_change_once_a_day",
      expression: `create unique index rent_change_once_a_day on rent_change (organization_id, lease_id, effective_date) where deleted_at is null`,
    },
    {
      name: "rent_change_to_come",
      expression: `create index rent_change_to_come on rent_change (organization_id, effective_date) where applied_at is null and deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    leaseId: p.uuid(),
    effectiveDate: plainDate(),
    rentCents: cents(),
    previousRentCents: cents(),
    noticeSentOn: plainDate().nullable(),
    /** Time at which the rent of the lease was updated. */
    appliedAt: p.datetime(3).nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Change of a lease's rent on `effectiveDate`. `previousRentCents` is the rent before: of the preceding change, or the initial rent of the lease. */
export class RentChange extends RentChangeSchema.class {}
RentChangeSchema.setClass(RentChange);
