import { activityTypes } from "@freehold/contract/overview/activity";
import { defineEntity, inOrganization, enumText, p } from "@freehold/kit/db/entity";

/** Something that happened, as it is shown on one subject: a property, a lease, a tenant, or the organization, which has all of it. Rows never change. */
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
    /** Which of several things of its type it was. */
    detail: p.text().nullable(),
  },
});
