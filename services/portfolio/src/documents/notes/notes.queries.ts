import type { Note, notes } from "@freehold/contract/overview/notes";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import { visibilityCondition } from "../visibility.queries.ts";

export type NoteRow = Omit<Note, "createdByUser"> & { version: number };

const columns = sql`n.id, n.entity_type, n.entity_id, n.body, n.visibility, n.created_at, n.created_by_user_id, n.updated_at, n.deleted_at, n.version`;
const SHOWN = 100;

/** The newest notes about one thing. */
export const findNewestNotes = (db: StatementRunner, entityType: Note["entityType"], entityId: string): Promise<NoteRow[]> =>
  db.all(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.entity_type = ${entityType} and n.entity_id = ${entityId}
    and n.deleted_at is null and ${visibilityCondition(db, "n")} order by n.created_at desc, n.id desc limit ${SHOWN}`);

/** One note, deleted or not, or 404. */
export async function getNoteRow(db: StatementRunner, id: string): Promise<NoteRow> {
  const row = await db.first(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.id = ${id}`);
  if (!row) throw notFound("Note");
  return row;
}

export const listNoteRows = (db: OrgDb, query: QueryOf<(typeof notes)["operations"]["listNotes"]>): Promise<Page<NoteRow>> =>
  listPage<NoteRow>(db, query, {
    select: columns,
    from: sql`note n`,
    table: "n",
    where: [...listConditions(db, "n", query), visibilityCondition(db, "n"), sql`n.entity_type = ${query.entityType}`, sql`n.entity_id = ${query.entityId}`],
    sorts: { createdAt: sql`n.created_at` },
  });

interface Audience {
  tenantIds: string[];
  vendorIds: string[];
}

/** Who hears of a note besides the office: the tenants or the vendor who are shown it where it has one of the visibilities. */
export async function noteAudience(
  tx: StatementRunner,
  { entityType, entityId }: Pick<Note, "entityType" | "entityId">,
  visibilities: readonly Note["visibility"][],
): Promise<Audience> {
  const isShared = (withWhom: Note["visibility"]) => visibilities.some((each) => each === withWhom || each === "tenant_vendor_shared");
  if (!isShared("tenant_shared") && !isShared("vendor_shared")) return nobody;
  const { tenantIds, vendorIds } = await concerned(tx, entityType, entityId);
  return { tenantIds: isShared("tenant_shared") ? tenantIds : [], vendorIds: isShared("vendor_shared") ? vendorIds : [] };
}

const nobody: Audience = { tenantIds: [], vendorIds: [] };
const placeColumns = { lease: "id", unit: "unit_id", property: "property_id" } as const;

/** The tenants who are shown what is about a lease of theirs, or about their home: a lease also after it, a home while they live there. */
async function tenantsShown(tx: StatementRunner, place: keyof typeof placeColumns, id: string): Promise<Audience> {
  const day = today(tx.principal.timezone);
  const lives = sql`l.status in ('pending', 'active', 'expired') and (c.released_on is null or c.released_on > ${day}::date)`;
  const rows = await tx.all(sql<{ tenantId: string }>`select distinct c.tenant_id from lease l
      join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id is not null and c.removed_at is null
    where l.organization_id = ${tx.organizationId} and ${sql.ref(`l.${placeColumns[place]}`)} = ${id} and l.deleted_at is null
      and ${place === "lease" ? sql`l.status not in ('draft', 'cancelled')` : lives}`);
  return { ...nobody, tenantIds: rows.map(({ tenantId }) => tenantId) };
}

async function concerned(tx: StatementRunner, entityType: Note["entityType"], id: string): Promise<Audience> {
  if (entityType === "tenant") return { ...nobody, tenantIds: [id] };
  if (entityType === "vendor") return { ...nobody, vendorIds: [id] };
  if (entityType === "lease" || entityType === "unit" || entityType === "property") return tenantsShown(tx, entityType, id);
  if (entityType !== "work_order") return nobody;
  const row = await tx.first(sql<Audience>`select array_remove(array[w.vendor_id::text], null) as vendor_ids,
      case when w.source = 'tenant' or w.visibility in ('tenant_shared', 'tenant_vendor_shared') then array_remove(array[w.tenant_id::text], null) else '{}' end as tenant_ids
    from work_order w where w.organization_id = ${tx.organizationId} and w.id = ${id}`);
  return row ?? nobody;
}
