import type { Note } from "@freehold/contract/overview/notes";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../rpc/lookups.ts";
import type { NoteRow } from "./notes.queries.ts";

/** Returns the API representation of a note. The author's name is taken from `names` when it is known. */
export const noteView = ({ version, ...note }: NoteRow, names: ReadonlyMap<string, string>): Note =>
  withVersion({ ...note, createdByUser: userReference(names, note.createdByUserId) }, version);
