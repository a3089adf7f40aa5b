import type { Note } from "@freehold/contract/overview/notes";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../rpc/lookups.ts";
import type { NoteRow } from "./notes.queries.ts";

/** A note as callers see it; its author's name stands in `names` when it is known. */
export const noteView = ({ version, ...note }: NoteRow, names: ReadonlyMap<string, string>): Note =>
  withVersion({ ...note, createdByUser: userReference(names, note.createdByUserId) }, version);
