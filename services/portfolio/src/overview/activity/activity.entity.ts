import { activityTypes } from "@freehold/contract/overview/activity";
import { defineEntity, inOrganization, enumText, p } from "@freehold/kit/db/entity";

/** Entry in the activity feed of a property, lease, tenant or the organization; the organization's feed contains all events. Append-only. */
export const Activity = defineEntity({
  name: "Activity",
  tableName: "activity",
  ...inOrganization,
  indexes: [{ name: "activity_by_age", properties: ["organizationId", "occurredAt"] }],
  properties: {
    organizationId: p.uuid().primary(),
    subjectId: p.uuid().primary(),
    occurredAt: p.datetime(3).primary(),
    id: p.uuid().primary(),
    type: enumText(activityTypes),
    entityType: p.text(),
    entityId: p.uuid(),
    propertyId: p.uuid().nullable(),
    leaseId: p.uuid().nullable(),
    tenantId: p.uuid().nullable(),
    actorUserId: p.uuid().nullable(),
    /** New status of the entity, when the event carries a status. */
    detail: p.text().nullable(),
  },
});
