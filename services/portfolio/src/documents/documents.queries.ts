import type { Document, documents } from "@freehold/contract/documents/documents";
import type { QueryOf } from "@freehold/contract/operation";
import { startOfDay } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { visibilityCondition } from "./visibility.queries.ts";
import { documentView } from "./document.view.ts";

const columns = sql`d.id, d.organization_id, d.entity_type, d.entity_id, d.title, d.file_name, d.content_type, d.size_bytes, d.sha256, d.category,
  d.visibility, d.version, d.uploaded_by_user_id, d.created_at, d.updated_at, d.deleted_at`;
const SHOWN = 100;

/** The newest documents about one thing, as its own operation answers them: at most a hundred, and of those what the asker may see. */
export async function findEntityDocuments(db: StatementRunner, entityType: Document["entityType"], entityId: string): Promise<Document[]> {
  const rows = await db.all(sql<Document>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.entity_type = ${entityType} and d.entity_id = ${entityId} and d.deleted_at is null
      and ${visibilityCondition(db, "d")} order by d.created_at desc, d.id desc limit ${SHOWN}`);
  return rows.map(documentView);
}

/** One live document that the asker may see, or 404. */
export async function getDocumentRow(db: StatementRunner, id: string): Promise<Document> {
  const row = await db.first(sql<Document>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.id = ${id} and d.deleted_at is null and ${visibilityCondition(db, "d")}`);
  if (!row) throw notFound("Document");
  return row;
}

/** All files about one thing, oldest first. */
export const findEntityFiles = (db: StatementRunner, entityType: Document["entityType"], entityId: string): Promise<Document[]> =>
  db.all(sql<Document>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.entity_type = ${entityType} and d.entity_id = ${entityId} and d.deleted_at is null
      and ${visibilityCondition(db, "d")} order by d.created_at, d.id`);

/** Which of these are ids of live documents. */
export async function findLiveDocumentIds(db: StatementRunner, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select id from document
    where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is null`);
  return new Set(rows.map(({ id }) => id));
}

/** Whether the organization has or had a document. */
export const hasDocuments = async (db: StatementRunner): Promise<boolean> =>
  (await db.first(sql`select 1 from document where organization_id = ${db.organizationId} limit 1`)) !== undefined;

/** A page of documents. Search looks at titles and file names; both ends of the days are included, where the organization is. */
export function listDocumentRows(db: OrgDb, query: QueryOf<(typeof documents)["operations"]["listDocuments"]>): Promise<Page<Document>> {
  const { search, entityType, entityId, category, visibility, uploadedByUserId, createdAfter, createdBefore } = query;
  const { timezone } = db.principal;
  const like = search !== undefined ? containsPattern(search) : "";
  return listPage<Document>(db, query, {
    select: columns,
    from: sql`document d`,
    table: "d",
    where: [
      ...listConditions(db, "d", query),
      visibilityCondition(db, "d"),
      search !== undefined && sql`(d.title ilike ${like} or d.file_name ilike ${like})`,
      entityType !== undefined && sql`d.entity_type = any(${entityType})`,
      entityId !== undefined && sql`d.entity_id = ${entityId}`,
      category !== undefined && sql`d.category = any(${category})`,
      visibility !== undefined && sql`d.visibility = any(${visibility})`,
      uploadedByUserId !== undefined && sql`d.uploaded_by_user_id = ${uploadedByUserId}`,
      createdAfter !== undefined && sql`d.created_at >= ${startOfDay(createdAfter, timezone)}`,
      createdBefore !== undefined && sql`d.created_at < ${startOfDay(addDays(createdBefore, 1), timezone)}`,
    ],
    sorts: { createdAt: sql`d.created_at`, title: sql`d.title`, sizeBytes: sql`d.size_bytes` },
  });
}
