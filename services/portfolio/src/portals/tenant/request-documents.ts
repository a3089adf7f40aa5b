/** Documents that a tenant adds to a new maintenance request: copies of documents that the tenant reads. */
import type { Document } from "@freehold/contract/documents/documents";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { newId } from "@freehold/kit/db/entity";
import { isNotCommitted, replayStored } from "@freehold/kit/db/idempotency";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notConfigured, unknownReference, unknownReferences } from "@freehold/kit/errors";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { findReadableDocuments } from "../../documents/documents.queries.ts";
import { insertDocument, removeQuietly, type DocumentDependencies } from "../../documents/documents.ts";
import { requireRecentUploadsAllowed, requireUploadAllowed } from "../portal-upload.ts";

interface Copy {
  id: string;
  source: Document;
}

/** Adds the documents to a work order that the transaction has inserted. */
type AddDocuments = (tx: OrgTx, workOrderId: string) => Promise<void>;

/**
 * Copies documents for a new work order and runs `work`, whose transaction adds the copies. The copies are uploads of the tenant, so the originals
 * may be deleted or hidden later, also before the request is repeated. Throws 400 for a document that the caller does not read, and above the limits of uploads.
 */
export async function withRequestDocuments<T>(
  db: OrgDb,
  dependencies: DocumentDependencies,
  documentIds: readonly string[],
  work: (addDocuments: AddDocuments) => Promise<T>,
): Promise<T> {
  if (documentIds.length === 0) return work(() => Promise.resolve());
  await replayStored(db);
  const sources = await readSources(db, documentIds);
  const bytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  await requireRecentUploadsAllowed(db, bytes, "documentIds");
  const quota = await dependencies.findQuota(db);
  const copies: Copy[] = [];
  try {
    for (const source of sources) {
      const copy = { id: newId(), source };
      copies.push(copy);
      await copyFile(db, dependencies, copy, `documentIds.${documentIds.indexOf(source.id)}`);
    }
    return await work(async (tx, entityId) => {
      const target = { entityType: "work_order", entityId } as const;
      const uploader = { portalUploaderId: requireSubjectId(db.principal), portalUploaderRole: "tenant" } as const;
      await requireUploadAllowed(tx, target, uploader.portalUploaderId, bytes, "documentIds");
      for (const { id, source } of copies) {
        const { title, fileName, contentType, sizeBytes, sha256, category } = source;
        const content = { title, fileName, contentType, sizeBytes, sha256, category };
        await insertDocument(tx, quota, { id, ...content, ...target, ...uploader, visibility: "tenant_shared" });
      }
    });
  } catch (error) {
    if (isNotCommitted(error)) await Promise.all(copies.map(({ id }) => removeQuietly(dependencies.store, db.organizationId, id)));
    throw error;
  }
}

/** Returns the documents, each once. */
async function readSources(db: OrgDb, documentIds: readonly string[]): Promise<Document[]> {
  const byId = new Map((await findReadableDocuments(db, documentIds)).map((document) => [document.id, document]));
  const unknownPaths = documentIds.flatMap((id, index) => (byId.has(id) ? [] : [`documentIds.${index}`]));
  if (unknownPaths.length > 0) throw unknownReferences(unknownPaths, "document");
  return [...new Set(documentIds)].map((id) => byId.get(id)!);
}

/** Stores a copy of a document's file. Throws 400 at `path` when the document was deleted meanwhile, 503 while no store is configured. */
async function copyFile({ organizationId }: OrgDb, { store, uploadDir }: DocumentDependencies, { id, source }: Copy, path: string): Promise<void> {
  if (uploadDir === undefined) throw notConfigured("File storage is not configured. Ask the operator to set DATA_DIR or the S3 settings.");
  await mkdir(uploadDir, { recursive: true, mode: 0o700 });
  const localPath = join(uploadDir, id);
  try {
    const content = await store.read(organizationId, source.id).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === "ENOENT" ? unknownReference(path, "document") : error;
    });
    await pipeline(content, createWriteStream(localPath, { mode: 0o600, flush: true }));
    await store.put(organizationId, id, localPath);
  } finally {
    await rm(localPath, { force: true });
  }
}
