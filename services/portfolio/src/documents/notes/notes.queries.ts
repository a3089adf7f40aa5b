import type { Note as NoteView, notes } from "@freehold/contract/overview/notes";
import type { Visibility } from "@freehold/contract/documents/documents";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import { isReaderOfLease, isResidentTenant } from "../../leases/residence.queries.ts";
import { isNotReleased, sharedSinceReplacement } from "../../maintenance/work-orders/work-order.access.ts";
import { tenantVisibilities, vendorVisibilities } from "../sharing.rules.ts";
import { visibilityCondition } from "../visibility.queries.ts";
import { Note } from "./note.entity.ts";

export type NoteRow = Omit<NoteView, "createdByUser"> & { version: number };

const columns = columnsOf(Note, "n", ["organizationId", "sharedWithTenantsAt", "sharedWithVendorsAt"]);
const MAX_NEWEST_NOTES = 100;

/** Returns the condition that the caller reads the note `n`. */
const isReadable = (db: StatementRunner) => sql`${visibilityCondition(db, "n")} and ${sharedSinceReplacement(db.principal)}`;

/** Returns the newest notes of an entity to which the caller has access. */
export const findNewestNotes = (db: StatementRunner, entityType: NoteView["entityType"], entityId: string): Promise<NoteRow[]> =>
  db.all(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.entity_type = ${entityType} and n.entity_id = ${entityId}
    and n.deleted_at is null and ${isReadable(db)} order by n.created_at desc, n.id desc limit ${MAX_NEWEST_NOTES}`);

/** Returns a note, including a deleted one. Throws 404. */
export async function getNoteRow(db: StatementRunner, id: string): Promise<NoteRow> {
  const row = await db.first(sql<NoteRow>`select ${columns} from note n where n.organization_id = ${db.organizationId} and n.id = ${id}`);
  if (!row) throw notFound("Note");
  return row;
}

/** Returns a page of the notes to which the caller has access. */
export const listNoteRows = (db: OrgDb, query: QueryOf<(typeof notes)["operations"]["listNotes"]>): Promise<Page<NoteRow>> =>
  listPage<NoteRow>(db, query, {
    select: columns,
    from: sql`note n`,
    table: "n",
    where: [...listConditions(db, "n", query), isReadable(db), sql`n.entity_type = ${query.entityType}`, sql`n.entity_id = ${query.entityId}`],
    sorts: { createdAt: sql`n.created_at` },
  });

interface Audience {
  tenantIds: string[];
  vendorIds: string[];
}

/** Returns the tenants and vendors who have access to a note or document with one of the visibilities and so receive its events. */
export async function noteAudience(
  tx: StatementRunner,
  { entityType, entityId }: Pick<NoteView, "entityType" | "entityId">,
  visibilities: readonly Visibility[],
): Promise<Audience> {
  const isSharedWith = (readers: readonly Visibility[]) => visibilities.some((visibility) => readers.includes(visibility));
  if (!isSharedWith(tenantVisibilities) && !isSharedWith(vendorVisibilities)) return emptyAudience;
  const { tenantIds, vendorIds } = await findAudience(tx, entityType, entityId);
  return { tenantIds: isSharedWith(tenantVisibilities) ? tenantIds : [], vendorIds: isSharedWith(vendorVisibilities) ? vendorIds : [] };
}

const emptyAudience: Audience = { tenantIds: [], vendorIds: [] };
const leaseColumns = { lease: "id", unit: "unit_id", property: "property_id" } as const;

/** Returns the tenants with access to a lease, or who live in a unit or at a property. */
async function findTenantsWithAccess(tx: StatementRunner, entityType: keyof typeof leaseColumns, id: string): Promise<Audience> {
  const day = today(tx.principal.timezone);
  const rows = await tx.all(sql<{ tenantId: string }>`select distinct c.tenant_id from lease l
      join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id is not null
    where l.organization_id = ${tx.organizationId} and ${sql.ref(`l.${leaseColumns[entityType]}`)} = ${id}
      and ${entityType === "lease" ? isReaderOfLease(day) : isResidentTenant(day)}`);
  return { ...emptyAudience, tenantIds: rows.map(({ tenantId }) => tenantId) };
}

async function findAudience(tx: StatementRunner, entityType: NoteView["entityType"], id: string): Promise<Audience> {
  if (entityType === "tenant") return { ...emptyAudience, tenantIds: [id] };
  if (entityType === "vendor") return { ...emptyAudience, vendorIds: [id] };
  if (entityType === "lease" || entityType === "unit" || entityType === "property") return findTenantsWithAccess(tx, entityType, id);
  if (entityType !== "work_order") return emptyAudience;
  const row = await tx.first(sql<Audience>`select array_remove(array[w.vendor_id::text], null) as vendor_ids,
      case when is_shown_to_tenant(w.source, w.visibility) and ${isNotReleased(today(tx.principal.timezone))} then array_remove(array[w.tenant_id::text], null)
        else '{}' end as tenant_ids
    from work_order w where w.organization_id = ${tx.organizationId} and w.id = ${id}`);
  return row ?? emptyAudience;
}
