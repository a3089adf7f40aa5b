import type { Note } from "@freehold/contract/notes";
import { versioned } from "@freehold/kit/version";
import { personIn } from "../asking.ts";
import type { NoteRow } from "./notes.queries.ts";

/** A note as callers see it; its author's name stands in `names` when it is known. */
export const noteView = ({ version, ...note }: NoteRow, names: ReadonlyMap<string, string>): Note =>
  versioned({ ...note, createdByUser: personIn(names, note.createdByUserId) }, version);
