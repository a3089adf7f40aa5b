import type { Note as NoteView, notes } from "@freehold/contract/overview/notes";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { forbidden } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { findUserNames } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { lockReference } from "../../db/references.ts";
import { isNewlyShared, tenantVisibilities, vendorVisibilities } from "../sharing.rules.ts";
import { Note } from "./note.entity.ts";
import { noteView } from "./note.view.ts";
import { noteAudience, getNoteRow, findNewestNotes, listNoteRows } from "./notes.queries.ts";

type Operations = (typeof notes)["operations"];

/** Returns the newest notes of an entity, for the response of the entity itself. */
export async function findEntityNotes(db: OrgDb, clients: Clients, entityType: NoteView["entityType"], entityId: string): Promise<NoteView[]> {
  const rows = await findNewestNotes(db, entityType, entityId);
  const names = await findUserNames(
    db,
    clients,
    rows.map(({ createdByUserId }) => createdByUserId),
  );
  return rows.map((row) => noteView(row, names));
}

/** Returns a page of the notes to which the caller has access. Names of authors are null while identity is unavailable. */
export async function listNotes(db: OrgDb, clients: Clients, query: QueryOf<Operations["listNotes"]>): Promise<Output<Operations["listNotes"]>> {
  const { rows, paging } = await listNoteRows(db, query);
  const names = await findUserNames(
    db,
    clients,
    rows.map(({ createdByUserId }) => createdByUserId),
  );
  return { notes: rows.map((row) => noteView(row, names)), ...paging };
}

/** Creates a note. Throws 400 when the entity does not exist. */
export async function createNote(db: OrgDb, clients: Clients, input: BodyOf<Operations["createNote"]>): Promise<Output<Operations["createNote"]>> {
  const names = await findUserNames(db, clients, [db.principal.userId]);
  return transaction(db, async (tx) => {
    await lockReference(tx, input.entityType, input.entityId, "entityId");
    const note = await insertNote(tx, input);
    return { note: noteView(await getNoteRow(tx, note.id), names) };
  });
}

/** Inserts a note with the principal as author. Requires that the transaction has locked the entity. */
export async function insertNote(tx: OrgTx, input: BodyOf<Operations["createNote"]>): Promise<Note> {
  const note = tx.create(Note, { ...input, createdByUserId: tx.principal.userId });
  await tx.flush();
  await publish(tx, "note.created", await noteEvent(tx, note));
  return note;
}

/** Returns the event of a note for the portal users who see the note now or saw it before its visibility changed. */
async function noteEvent(tx: OrgTx, { id, entityType, entityId, visibility }: Note, previousVisibility = visibility) {
  return { entityId: id, data: { entityType, entityId }, audience: await noteAudience(tx, { entityType, entityId }, [previousVisibility, visibility]) };
}

/** Updates the given fields of a note. Throws 403 for staff who are not the author. */
export const updateNote = (db: OrgDb, clients: Clients, id: string, changes: BodyOf<Operations["updateNote"]>): Promise<Output<Operations["updateNote"]>> =>
  changeNote(db, clients, id, async (tx, note) => {
    const previousVisibility = note.visibility;
    const hasNewText = changes.body !== undefined && changes.body !== note.body;
    const change = { before: previousVisibility, after: changes.visibility ?? previousVisibility, hasNewText };
    tx.assign(note, {
      ...omitUndefined(changes),
      ...(isNewlyShared(tenantVisibilities, change) && { sharedWithTenantsAt: now() }),
      ...(isNewlyShared(vendorVisibilities, change) && { sharedWithVendorsAt: now() }),
    });
    await publish(tx, "note.updated", await noteEvent(tx, note, previousVisibility));
  });

/** Soft-deletes a note. Throws 403 for staff who are not the author. */
export const deleteNote = (db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteNote"]>> =>
  changeNote(db, clients, id, async (tx, note) => {
    tx.assign(note, { deletedAt: now() });
    await publish(tx, "note.deleted", await noteEvent(tx, note));
  });

async function changeNote(db: OrgDb, clients: Clients, id: string, change: (tx: OrgTx, note: Note) => Promise<void>): Promise<{ note: NoteView }> {
  const row = await transaction(db, async (tx) => {
    const note = await tx.getForUpdate(Note, id, "Note", { deletedAt: null });
    if (db.principal.role === "staff" && note.createdByUserId !== db.principal.userId)
      throw forbidden("Only its author, admins or managers can change or delete a note.", "scope_forbidden");
    await change(tx, note);
    return getNoteRow(tx, id);
  });
  return { note: noteView(row, await findUserNames(db, clients, [row.createdByUserId])) };
}
