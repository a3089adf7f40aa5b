import { noteEntityTypes, visibilities } from "@freehold/contract/notes";
import { defineEntity, inOrganization, oneOf, orgColumns, p } from "@freehold/kit/entity";

const NoteSchema = defineEntity({
  name: "Note",
  tableName: "note",
  ...inOrganization,
  indexes: [{ name: "note_by_entity", properties: ["organizationId", "entityType", "entityId", "createdAt"] }],
  properties: {
    ...orgColumns,
    entityType: oneOf(noteEntityTypes),
    entityId: p.uuid(),
    body: p.text(),
    visibility: oneOf(visibilities),
    createdByUserId: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** What somebody wrote about one thing of the portfolio. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
