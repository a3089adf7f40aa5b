import { noteEntityTypes, visibilities } from "@freehold/contract/overview/notes";
import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";
import { now } from "@freehold/kit/time/clock";

const NoteSchema = defineEntity({
  name: "Note",
  tableName: "note",
  ...inPortalReach,
  indexes: [{ name: "note_by_entity", properties: ["organizationId", "entityType", "entityId", "createdAt"] }],
  properties: {
    ...orgColumns,
    entityType: enumText(noteEntityTypes),
    entityId: p.uuid(),
    body: p.text(),
    visibility: enumText(visibilities),
    createdByUserId: p.uuid().nullable(),
    /** Time at which the note, or its text, was last shared with tenants. Ignored while it is not shared with them. */
    sharedWithTenantsAt: p.datetime(3).onCreate(now).defaultRaw("now()"),
    /** Time at which the note, or its text, was last shared with vendors. Ignored while it is not shared with them. */
    sharedWithVendorsAt: p.datetime(3).onCreate(now).defaultRaw("now()"),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Note about a property, unit, lease, tenant, owner, vendor or work order. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
