import type { Note, notes } from "@freehold/contract/notes";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, Runner } from "@freehold/kit/db";
import { everyList, listPage, type Page } from "@freehold/kit/list";
import { sql } from "@freehold/kit/statement";

export type NoteRow = Omit<Note, "createdByUser"> & { version: number };

const columns = sql`n.id, n.entity_type, n.entity_id, n.body, n.visibility, n.created_at, n.created_by_user_id, n.version`;
const SHOWN = 100;

/** The newest notes about one thing. */
export const newestNotes = (db: Runner, entityType: Note["entityType"], entityId: string): Promise<NoteRow[]> =>
  db.all(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.entity_type = ${entityType} and n.entity_id = ${entityId}
    order by n.created_at desc, n.id desc limit ${SHOWN}`);

export const findNote = (db: Runner, id: string): Promise<NoteRow | undefined> =>
  db.first(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.id = ${id}`);

export const pageOfNotes = (db: OrgDb, query: QueryOf<(typeof notes)["operations"]["listNotes"]>): Promise<Page<NoteRow>> =>
  listPage<NoteRow>(db, query, {
    select: columns,
    from: sql`note n`,
    table: "n",
    where: [...everyList(db, "n", query, false), sql`n.entity_type = ${query.entityType}`, sql`n.entity_id = ${query.entityId}`],
    sorts: { createdAt: sql`n.created_at` },
  });
