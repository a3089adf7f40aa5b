import { notes } from "@freehold/contract/notes";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { afterMerge } from "../../portals/subject.ts";
import { createNote, deleteNote, listNotes, updateNote } from "./notes.ts";

export const notesDoor = (ask: Clients) =>
  routes(notes, {
    listNotes: async ({ db, query }) => listNotes(await afterMerge(db), ask, query),
    createNote: ({ db, body }) => createNote(db, ask, body),
    updateNote: ({ db, params, body }) => updateNote(db, ask, params.id, body),
    deleteNote: ({ db, params }) => deleteNote(db, ask, params.id),
  });
