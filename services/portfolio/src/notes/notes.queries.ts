import type { Note, notes } from "@freehold/contract/notes";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, Runner } from "@freehold/kit/db";
import { notFound } from "@freehold/kit/errors";
import { everyList, listPage, type Page } from "@freehold/kit/list";
import { sql } from "@freehold/kit/statement";
import { sharedWith } from "../sharing.queries.ts";

export type NoteRow = Omit<Note, "createdByUser"> & { version: number };

const columns = sql`n.id, n.entity_type, n.entity_id, n.body, n.visibility, n.created_at, n.created_by_user_id, n.updated_at, n.deleted_at, n.version`;
const SHOWN = 100;

/** The newest notes about one thing. */
export const newestNotes = (db: Runner, entityType: Note["entityType"], entityId: string): Promise<NoteRow[]> =>
  db.all(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.entity_type = ${entityType} and n.entity_id = ${entityId}
    and n.deleted_at is null and ${sharedWith(db, "n")} order by n.created_at desc, n.id desc limit ${SHOWN}`);

/** One note, deleted or not, or 404. */
export async function findNote(db: Runner, id: string): Promise<NoteRow> {
  const row = await db.first(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.id = ${id}`);
  if (!row) throw notFound("Note");
  return row;
}

export const pageOfNotes = (db: OrgDb, query: QueryOf<(typeof notes)["operations"]["listNotes"]>): Promise<Page<NoteRow>> =>
  listPage<NoteRow>(db, query, {
    select: columns,
    from: sql`note n`,
    table: "n",
    where: [...everyList(db, "n", query), sharedWith(db, "n"), sql`n.entity_type = ${query.entityType}`, sql`n.entity_id = ${query.entityId}`],
    sorts: { createdAt: sql`n.created_at` },
  });

interface Audience {
  tenantIds: string[];
  vendorIds: string[];
}

/** Who hears of a new note besides the office: the tenant, tenants or vendor whom its thing concerns, when it is shared with them. */
export async function audienceOf(tx: Runner, { entityType, entityId, visibility }: Pick<Note, "entityType" | "entityId" | "visibility">): Promise<Audience> {
  const { tenantIds, vendorIds } = await concerned(tx, entityType, entityId);
  return {
    tenantIds: visibility === "tenant_shared" || visibility === "tenant_vendor_shared" ? tenantIds : [],
    vendorIds: visibility === "vendor_shared" || visibility === "tenant_vendor_shared" ? vendorIds : [],
  };
}

async function concerned(tx: Runner, entityType: Note["entityType"], id: string): Promise<Audience> {
  const nobody = { tenantIds: [], vendorIds: [] };
  if (entityType === "tenant") return { ...nobody, tenantIds: [id] };
  if (entityType === "vendor") return { ...nobody, vendorIds: [id] };
  if (entityType !== "work_order") return nobody;
  const row = await tx.first(sql<Audience>`select array_remove(array[w.vendor_id::text], null) as vendor_ids,
      case when w.source = 'tenant' or w.visibility in ('tenant_shared', 'tenant_vendor_shared') then array_remove(array[w.tenant_id::text], null) else '{}' end as tenant_ids
    from work_order w where w.organization_id = ${tx.organizationId} and w.id = ${id}`);
  return row ?? nobody;
}
