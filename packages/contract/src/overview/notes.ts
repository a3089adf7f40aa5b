import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Id, Instant, listQuery, page, Person, text } from "../values.ts";

export const noteEntityTypes = ["property", "unit", "owner", "tenant", "lease", "vendor", "work_order"] as const;
export const visibilities = ["organization_only", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const;

const attachedTo = {
  entityType: z.enum(noteEntityTypes).describe("Type of the record that the note is attached to."),
  entityId: Id.describe("Identifier of the record that the note is attached to."),
};
const editableFields = {
  body: text(1, 4000).describe("Text of the note."),
  visibility: z
    .enum(visibilities)
    .describe(
      "Audience of the note. The office reads every note; `tenant_shared` adds the tenants concerned, `vendor_shared` the vendor concerned, " +
        "`tenant_vendor_shared` both, and `organization_only` nobody else.",
    ),
};

export const Note = z
  .strictObject({
    id: Id.describe("Unique identifier of the note."),
    ...attachedTo,
    ...editableFields,
    createdAt: Instant.describe("Time at which the note was written."),
    createdByUserId: Id.nullable().describe("User who wrote the note; null when no user did."),
    createdByUser: Person.nullable().describe("Name of the user who wrote the note; null when no user did or the name cannot be read at the moment."),
    updatedAt: Instant.describe("Time at which the note was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the note was deleted; null unless deleted."),
  })
  .meta({ id: "Note", description: "A text note attached to a record, with its author and audience." });
export type Note = z.output<typeof Note>;

export const notes = operationGroup("Notes", "portfolio", {
  listNotes: {
    method: "GET",
    path: "/api/notes",
    summary: "list notes",
    access: [...officeRoles, "tenant", "vendor"],
    description: "Lists the notes of one record. Tenants and vendors receive only notes that are shared with them, about their own records.",
    query: listQuery(["createdAt"], attachedTo),
    response: page("notes", Note),
  },
  createNote: {
    method: "POST",
    path: "/api/notes",
    summary: "create notes",
    access: officeRoles,
    body: body({ body: editableFields.body, entityId: attachedTo.entityId, entityType: attachedTo.entityType, visibility: editableFields.visibility }),
    response: { note: Note.describe("Created note.") },
    idempotent: true,
  },
  updateNote: {
    method: "PATCH",
    path: "/api/notes/{id}",
    summary: "change notes",
    access: officeRoles,
    description: "Staff can change only their own notes; admins and managers can change every note. Otherwise 403 `scope_forbidden`.",
    body: body(editableFields).partial(),
    response: { note: Note.describe("Note after the change.") },
  },
  deleteNote: {
    method: "DELETE",
    path: "/api/notes/{id}",
    summary: "delete notes",
    access: officeRoles,
    description: "Soft-deletes the note. Staff can delete only their own notes; admins and managers can delete every note. Otherwise 403 `scope_forbidden`.",
    response: { note: Note.describe("Deleted note, with `deletedAt` set.") },
  },
});
