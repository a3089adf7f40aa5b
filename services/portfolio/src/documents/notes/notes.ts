import type { Note as NoteView, notes } from "@freehold/contract/notes";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { forbidden } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { announce } from "../../announce.ts";
import { namesOf } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { holdReference } from "../../references.ts";
import { Note } from "./note.entity.ts";
import { noteView } from "./note.view.ts";
import { audienceOf, findNote, newestNotes, pageOfNotes } from "./notes.queries.ts";

type Operations = (typeof notes)["operations"];

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
  const names = await namesOf(db, ask, [db.principal.userId]);
  return transaction(db, async (tx) => {
    await holdReference(tx, terms.entityType, terms.entityId, "entityId");
    const note = await addNote(tx, terms);
    return { note: noteView(await findNote(tx, note.id), names) };
  });
}

/** Adds a note of the caller's to something that is held. */
export async function addNote(tx: OrgTx, terms: BodyOf<Operations["createNote"]>): Promise<Note> {
  const note = tx.create(Note, { ...terms, createdByUserId: tx.principal.userId });
  await tx.flush();
  await announce(tx, "note.created", await aboutNote(tx, note));
  return note;
}

/** What is told of a note to the office and to those who may see it, or could before its visibility changed. */
async function aboutNote(tx: OrgTx, { id, entityType, entityId, visibility }: Note, before = visibility) {
  return { entityId: id, data: { entityType, entityId }, audience: await audienceOf(tx, { entityType, entityId }, [before, visibility]) };
}

/** Changes what was sent. Staff change only what they wrote. */
export const updateNote = (db: OrgDb, ask: Clients, id: string, terms: BodyOf<Operations["updateNote"]>): Promise<Output<Operations["updateNote"]>> =>
  changeNote(db, ask, id, async (tx, note) => {
    const before = note.visibility;
    tx.assign(note, omitUndefined(terms));
    await announce(tx, "note.updated", await aboutNote(tx, note, before));
  });

/** Takes a note out of every list; with `includeDeleted` it is still seen. Staff delete only what they wrote. */
export const deleteNote = (db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["deleteNote"]>> =>
  changeNote(db, ask, id, async (tx, note) => {
    tx.assign(note, { deletedAt: now() });
    await announce(tx, "note.deleted", await aboutNote(tx, note));
  });

async function changeNote(db: OrgDb, ask: Clients, id: string, change: (tx: OrgTx, note: Note) => Promise<void>): Promise<{ note: NoteView }> {
  const row = await transaction(db, async (tx) => {
    const note = await tx.getForUpdate(Note, id, "Note", { deletedAt: null });
    if (db.principal.role === "staff" && note.createdByUserId !== db.principal.userId)
      throw forbidden("Only its author, admins or managers can change or delete a note.", "scope_forbidden");
    await change(tx, note);
    return findNote(tx, id);
  });
  return { note: noteView(row, await namesOf(db, ask, [row.createdByUserId])) };
}
