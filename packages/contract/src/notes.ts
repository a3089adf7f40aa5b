import { z } from "zod";
import { area, body } from "./operation.ts";
import { office } from "./roles.ts";
import { Id, Instant, listQuery, page, Person, text } from "./values.ts";

export const noteEntityTypes = ["property", "unit", "owner", "tenant", "lease", "vendor", "work_order"] as const;
export const visibilities = ["organization_only", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const;
const Visibility = z.enum(visibilities);

export const Note = z
  .strictObject({
    id: Id,
    entityType: z.enum(noteEntityTypes),
    entityId: Id,
    body: text(1, 4000),
    visibility: Visibility,
    createdAt: Instant,
    createdByUserId: Id.nullable(),
    createdByUser: Person.nullable().meta({ description: "Null when no person wrote it." }),
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Note" });
export type Note = z.output<typeof Note>;

export const notes = area("Notes", "portfolio", {
  listNotes: {
    method: "GET",
    path: "/api/notes",
    summary: "list notes",
    access: [...office, "tenant", "vendor"],
    description: "Tenants and vendors are shown the notes that are shared with them, about what is theirs.",
    query: listQuery(["createdAt"], { entityType: z.enum(noteEntityTypes), entityId: Id }, "desc"),
    returns: page("notes", Note),
  },
  createNote: {
    method: "POST",
    path: "/api/notes",
    summary: "write notes",
    access: office,
    body: body({ body: text(1, 4000), entityId: Id, entityType: z.enum(noteEntityTypes), visibility: Visibility }),
    returns: { note: Note },
    idempotent: true,
  },
  updateNote: {
    method: "PATCH",
    path: "/api/notes/{id}",
    summary: "change notes",
    access: office,
    description: "Staff can change the notes that they wrote themselves; of others, admins and managers can (403 `scope_forbidden`).",
    body: body({ body: text(1, 4000), visibility: Visibility }).partial(),
    returns: { note: Note },
  },
  deleteNote: {
    method: "DELETE",
    path: "/api/notes/{id}",
    summary: "delete notes",
    access: office,
    description: "Staff can delete the notes that they wrote themselves; of others, admins and managers can (403 `scope_forbidden`).",
    returns: { note: Note },
  },
});
