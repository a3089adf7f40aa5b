import type { Note } from "@freehold/contract/notes";
import { versioned } from "@freehold/kit/version";
import type { NoteRow } from "./notes.queries.ts";

/** A note as callers see it; its author's name stands in `names` when it is known. */
export const noteView = ({ version, ...note }: NoteRow, names: Map<string, string>): Note => {
  const fullName = note.createdByUserId === null ? undefined : names.get(note.createdByUserId);
  return versioned(
    { ...note, createdByUser: note.createdByUserId !== null && fullName !== undefined ? { id: note.createdByUserId, fullName } : null },
    version,
  );
};
