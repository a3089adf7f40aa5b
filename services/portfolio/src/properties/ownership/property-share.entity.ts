import { defineEntity, inPortalReach, p, plainDate } from "@freehold/kit/db/entity";

const PropertyShareSchema = defineEntity({
  name: "PropertyShare",
  tableName: "property_share",
  ...inPortalReach,
  indexes: [
    { name: "property_share_by_owner", properties: ["organizationId", "ownerId"] },
    {
      name: "property_share_to_come",
      expression: "create index property_share_to_come on property_share (organization_id, effective_date) where applied_at is null",
    },
  ],
  properties: {
    organizationId: p.uuid().primary(),
    propertyId: p.uuid().primary(),
    effectiveDate: plainDate().primary(),
    ownerId: p.uuid().primary(),
    shareBps: p.integer(),
    position: p.integer(),
    appliedAt: p.datetime(3).nullable(),
  },
});
/** Ownership share of an owner in a property from its effective date on. `appliedAt` is the time at which the owners of the property were updated. */
export class PropertyShare extends PropertyShareSchema.class {}
PropertyShareSchema.setClass(PropertyShare);
