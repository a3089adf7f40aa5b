import { notes } from "@freehold/contract/overview/notes";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { withSurvivingTenant } from "../../portals/surviving-tenant.ts";
import { createNote, deleteNote, listNotes, updateNote } from "./notes.ts";

export const noteRoutes = (clients: Clients) =>
  withSurvivingTenant(
    routes(notes, {
      listNotes: ({ db, query }) => listNotes(db, clients, query),
      createNote: ({ db, body }) => createNote(db, clients, body),
      updateNote: ({ db, params, body }) => updateNote(db, clients, params.id, body),
      deleteNote: ({ db, params }) => deleteNote(db, clients, params.id),
    }),
  );
