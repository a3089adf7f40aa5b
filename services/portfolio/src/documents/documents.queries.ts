import type { Document as DocumentView, documents } from "@freehold/contract/documents/documents";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page, onDays } from "@freehold/kit/db/list";
import { foundIds } from "../db/found-records.ts";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { visibilityCondition } from "./visibility.queries.ts";
import { Document } from "./document.entity.ts";
import { documentView } from "./document.view.ts";

const columns = columnsOf(Document, "d", ["sharedWithTenantsAt", "portalUploaderId", "portalUploaderRole", "participantId", "participantRole"]);
const MAX_NEWEST_DOCUMENTS = 100;

/**
 * Returns the condition that the caller has access to the document `d`: to uploads of another tenant or vendor only if the office shares them with
 * both, and to the files of a conversation only as their sender or as its participant.
 */
function isReadable(db: StatementRunner): RawBuilder<unknown> {
  const { role, subjectId } = db.principal;
  if (role !== "tenant" && role !== "vendor") return visibilityCondition(db, "d");
  const isOwn = sql`d.entity_type = 'conversation' and (d.portal_uploader_id = ${subjectId} and d.portal_uploader_role = ${role}
    or d.participant_id = ${subjectId} and d.participant_role = ${role})`;
  return sql`${visibilityCondition(db, "d", isOwn)} and (d.portal_uploader_id is null or d.portal_uploader_id = ${subjectId} or d.portal_uploader_role <> ${role}
    or d.visibility = 'tenant_vendor_shared')`;
}

/** Returns the newest documents of an entity to which the caller has access, for the response of the entity itself. */
export async function findEntityDocuments(db: StatementRunner, entityType: DocumentView["entityType"], entityId: string): Promise<DocumentView[]> {
  const rows = await db.all(sql<DocumentView>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.entity_type = ${entityType} and d.entity_id = ${entityId} and d.deleted_at is null
      and ${isReadable(db)} order by d.created_at desc, d.id desc limit ${MAX_NEWEST_DOCUMENTS}`);
  return rows.map(documentView);
}

/** Returns a document. Throws 404 when it is deleted or the caller has no access. */
export async function getDocumentRow(db: StatementRunner, id: string): Promise<DocumentView> {
  const row = await db.first(sql<DocumentView>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.id = ${id} and d.deleted_at is null and ${isReadable(db)}`);
  if (!row) throw notFound("Document");
  return row;
}

/** Returns all documents of an entity to which the caller has access, oldest first. */
export const findAllEntityDocuments = (db: StatementRunner, entityType: DocumentView["entityType"], entityId: string): Promise<DocumentView[]> =>
  db.all(sql<DocumentView>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.entity_type = ${entityType} and d.entity_id = ${entityId} and d.deleted_at is null
      and ${isReadable(db)} order by d.created_at, d.id`);

/** Returns which of the ids are documents that were not deleted. */
export async function findLiveDocumentIds(db: StatementRunner, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select id from document
    where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is null`);
  return new Set(rows.map(({ id }) => id));
}

/** Returns those of the documents to which the caller has access. */
export const findReadableDocuments = (db: StatementRunner, ids: readonly string[]): Promise<DocumentView[]> =>
  db.all(sql<DocumentView>`select ${columns} from document d
    where d.organization_id = ${db.organizationId} and d.id = any(${[...ids]}::uuid[]) and d.deleted_at is null and ${isReadable(db)}`);

/** Returns which of the ids are documents that the caller has access to. */
export async function findReadableDocumentIds(db: StatementRunner, ids: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select d.id from document d
    where d.organization_id = ${db.organizationId} and d.id = any(${[...ids]}::uuid[]) and d.deleted_at is null and ${isReadable(db)}`);
  return rows.map(({ id }) => id);
}

interface PortalUploads {
  /** Number of files that were uploaded to the work order, or since a time to the conversation. */
  count: number;
  /** Bytes that were uploaded to all work orders and conversations since that time. */
  recentBytes: number;
}

/**
 * Returns the number and size of the uploads of a tenant or vendor, including deleted ones, or without an uploader those that a conversation received
 * from nobody in particular. Requires the reach of the office.
 */
export async function readPortalUploads(
  db: StatementRunner,
  { uploaderId, entityId, since }: { uploaderId: string | undefined; entityId: string; since: Date },
): Promise<PortalUploads> {
  const isCounted =
    uploaderId === undefined
      ? sql`entity_type = 'conversation' and entity_id = ${entityId} and portal_uploader_id is null and uploaded_by_user_id is null and visibility = 'organization_only'`
      : sql`portal_uploader_id = ${uploaderId}`;
  const row =
    await db.first(sql<PortalUploads>`select count(*) filter (where entity_id = ${entityId} and (entity_type <> 'conversation' or created_at >= ${since}))::int as count,
      coalesce(sum(size_bytes) filter (where created_at >= ${since}), 0)::float8 as recent_bytes
    from document where organization_id = ${db.organizationId} and ${isCounted}`);
  return row!;
}

/** Tells whether the organization has any document, deleted or not. */
export const hasDocuments = async (db: StatementRunner): Promise<boolean> =>
  (await db.first(sql`select 1 from document where organization_id = ${db.organizationId} limit 1`)) !== undefined;

/** Returns a page of documents. Search covers titles and file names. The date filters are inclusive, in the organization's time zone. */
export function listDocumentRows(db: OrgDb, query: QueryOf<(typeof documents)["operations"]["listDocuments"]>): Promise<Page<DocumentView>> {
  const { search, entityType, entityId, category, visibility, uploadedByUserId, createdAfter, createdBefore } = query;
  const { timezone } = db.principal;
  return listPage<DocumentView>(db, query, {
    select: columns,
    from: sql`document d`,
    table: "d",
    where: [
      ...listConditions(db, "d", query),
      isReadable(db),
      search !== undefined && sql`d.id in ${foundIds(db, "document", search, ["title", "file_name"])}`,
      entityType !== undefined && sql`d.entity_type = any(${entityType})`,
      entityId !== undefined && sql`d.entity_id = ${entityId}`,
      category !== undefined && sql`d.category = any(${category})`,
      visibility !== undefined && sql`d.visibility = any(${visibility})`,
      uploadedByUserId !== undefined && sql`d.uploaded_by_user_id = ${uploadedByUserId}`,
      ...onDays(sql`d.created_at`, createdAfter, createdBefore, timezone),
    ],
    sorts: { createdAt: sql`d.created_at`, title: sql`d.title`, sizeBytes: sql`d.size_bytes` },
  });
}
