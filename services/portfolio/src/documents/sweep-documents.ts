import type { FileStore } from "@freehold/kit/files/file-store";
import { sweepFiles } from "@freehold/kit/files/file-sweep";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { hasDocuments, findLiveDocumentIds } from "./documents.queries.ts";

/** Job that removes files without a document: those of uncommitted uploads and of deleted documents. */
export const sweepDocuments = (store: FileStore): Job => sweepFiles(store, { hasFiles: hasDocuments, findReferenced: findLiveDocumentIds });
