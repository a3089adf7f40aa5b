import { notes } from "@freehold/contract/notes";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { createNote, listNotes } from "./notes.ts";

export const notesDoor = (ask: Clients) =>
  handlers(notes, {
    listNotes: ({ db, query }) => listNotes(db, ask, query),
    createNote: ({ db, body }) => createNote(db, ask, body),
  });
