import { z } from "zod";
import { area, body } from "./operation.ts";
import { office } from "./roles.ts";
import { Id, Instant, listQuery, page, Person, text } from "./values.ts";

export const noteEntityTypes = ["property", "unit", "owner", "tenant", "lease", "vendor", "work_order"] as const;
const visibilities = ["organization_only", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const;

export const Note = z
  .strictObject({
    id: Id,
    entityType: z.enum(noteEntityTypes),
    entityId: Id,
    body: text(1, 4000),
    visibility: z.enum(visibilities),
    createdAt: Instant,
    createdByUserId: Id.nullable(),
    createdByUser: Person.nullable().meta({ description: "Null when no person wrote it." }),
  })
  .meta({ id: "Note" });
export type Note = z.output<typeof Note>;

export const notes = area("Notes", "portfolio", {
  listNotes: {
    method: "GET",
    path: "/api/notes",
    summary: "list notes",
    access: office,
    query: listQuery(["createdAt"], { entityType: z.enum(noteEntityTypes), entityId: Id }, "desc"),
    returns: page("notes", Note),
  },
  createNote: {
    method: "POST",
    path: "/api/notes",
    summary: "write notes",
    access: office,
    body: body({ body: text(1, 4000), entityId: Id, entityType: z.enum(noteEntityTypes), visibility: z.enum(visibilities) }),
    returns: { note: Note },
    idempotent: true,
  },
});
