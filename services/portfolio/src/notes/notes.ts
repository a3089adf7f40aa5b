import type { Note as NoteView, notes } from "@freehold/contract/notes";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { unknownReference } from "@freehold/kit/errors";
import { announce } from "../announce.ts";
import { ifItAnswers } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { holdReference } from "../references.ts";
import { Note } from "./note.entity.ts";
import { noteView } from "./note.view.ts";
import { findNote, newestNotes, pageOfNotes } from "./notes.queries.ts";

type Operations = (typeof notes)["operations"];

/** The names of users, in one question; nobody's while identity does not answer. */
async function namesOf(db: OrgDb, ask: Clients, ids: readonly (string | null)[]): Promise<Map<string, string>> {
  const asked = [...new Set(ids.filter((id) => id !== null))];
  if (asked.length === 0) return new Map();
  const answer = await ifItAnswers(ask.identity.getUsers(db, { ids: asked }));
  return new Map(answer?.users.map(({ id, fullName }) => [id, fullName]));
}

/** The newest notes about one thing, as its own operation answers them: at most a hundred. */
export async function notesOf(db: OrgDb, ask: Clients, entityType: NoteView["entityType"], entityId: string): Promise<NoteView[]> {
  const rows = await newestNotes(db, entityType, entityId);
  const names = await namesOf(
    db,
    ask,
    rows.map(({ createdByUserId }) => createdByUserId),
  );
  return rows.map((row) => noteView(row, names));
}

export async function listNotes(db: OrgDb, ask: Clients, query: QueryOf<Operations["listNotes"]>): Promise<Output<Operations["listNotes"]>> {
  const { rows, paging } = await pageOfNotes(db, query);
  const names = await namesOf(
    db,
    ask,
    rows.map(({ createdByUserId }) => createdByUserId),
  );
  return { notes: rows.map((row) => noteView(row, names)), ...paging };
}

/** Writes a note about something the organization has. */
export async function createNote(db: OrgDb, ask: Clients, terms: BodyOf<Operations["createNote"]>): Promise<Output<Operations["createNote"]>> {
  const { entityType, entityId } = terms;
  if (entityType === "work_order") throw unknownReference("entityId", "work order");
  const names = await namesOf(db, ask, [db.scope.userId]);
  return transaction(db, async (tx) => {
    await holdReference(tx, entityType, entityId, "entityId");
    const note = tx.create(Note, { ...terms, createdByUserId: db.scope.userId });
    await announce(tx, "note.created", { entityId: note.id, data: { entityType, entityId } });
    return { note: noteView((await findNote(tx, note.id))!, names) };
  });
}
