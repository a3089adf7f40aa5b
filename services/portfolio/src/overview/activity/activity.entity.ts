import { activityTypes } from "@freehold/contract/overview/activity";
import { defineEntity, inOrganization, enumText, p } from "@freehold/kit/db/entity";

/**
 * Entry in the activity feed of its subject: a property, lease or tenant, or the organization, whose feed contains every
 * recorded event. Entries are only inserted, moved by a merge of tenants, and deleted at the end of their retention.
 */
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
    /** New status of the entity; null for an event without a status. */
    detail: p.text().nullable(),
  },
});
