import { defineEntity, inPortalReach, newId, p } from "@freehold/kit/db/entity";

const AuditEntrySchema = defineEntity({
  name: "AuditEntry",
  tableName: "audit_entry",
  ...inPortalReach,
  indexes: [
    { name: "audit_entry_newest", properties: ["organizationId", "occurredAt", "id"] },
    { name: "audit_entry_by_actor", properties: ["organizationId", "actorUserId", "occurredAt"] },
    { name: "audit_entry_by_action", properties: ["organizationId", "action", "occurredAt"] },
    { name: "audit_entry_by_entity", properties: ["organizationId", "entityId", "occurredAt"] },
  ],
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary().onCreate(newId),
    occurredAt: p.datetime(3),
    actorUserId: p.uuid().nullable(),
    action: p.text(),
    entityType: p.text(),
    entityId: p.uuid(),
    before: p.json().$type<object | null>().nullable(),
    after: p.json().$type<object | null>().nullable(),
    requestId: p.text().nullable(),
    ip: p.text().nullable(),
  },
});

/** Audit log entry of one change: actor, network address, and the values before and after. Append-only until its retention period ends. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
