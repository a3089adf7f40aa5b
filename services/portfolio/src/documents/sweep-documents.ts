import type { FileStore } from "@freehold/kit/files/file-store";
import { sweepFiles } from "@freehold/kit/files/file-sweep";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { hasDocuments, findLiveDocumentIds } from "./documents.queries.ts";

/** Removes files that no document names: of uploads that ended before their commit, and of documents that were deleted. */
export const sweepDocuments = (store: FileStore): Job => sweepFiles(store, { hasFiles: hasDocuments, findReferenced: findLiveDocumentIds });
