import { RateBasis } from "@freehold/contract/leases/parking-rights";
import { cents, defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const ParkingRightSchema = defineEntity({
  name: "ParkingRight",
  tableName: "parking_right",
  ...inPortalReach,
  indexes: [
    { name: "parking_right_by_lease", properties: ["organizationId", "leaseId"] },
    {
      name: "parking_right_by_schedule",
      expression: `create index parking_right_by_schedule on parking_right (organization_id, billing_schedule_id) where billing_schedule_id is not null`,
    },
  ],
  properties: {
    ...orgColumns,
    leaseId: p.uuid(),
    parkingType: enumText(["unreserved", "reserved", "other"]),
    effectiveStart: plainDate(),
    effectiveEnd: plainDate().nullable(),
    rateBasis: enumText(RateBasis.options),
    rateFrequency: enumText(["monthly", "annual"]).nullable(),
    ratePerSpaceCents: cents().nullable(),
    ratioPer1000Sqft: p.double().name("ratio_per1000_sqft").nullable(),
    spaceCount: p.integer().nullable(),
    location: p.text().nullable(),
    notes: p.text().nullable(),
    stallLabels: p.text().nullable(),
    stallUnitIds: p.array().columnType("uuid[]"),
    billingScheduleId: p.uuid().nullable(),
    recurringChargeRuleId: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Right to parking spaces that comes with a lease. */
export class ParkingRight extends ParkingRightSchema.class {}
ParkingRightSchema.setClass(ParkingRight);
