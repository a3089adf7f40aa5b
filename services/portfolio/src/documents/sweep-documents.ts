import type { FileStore } from "@freehold/kit/file-store";
import { sweepFiles } from "@freehold/kit/file-sweep";
import type { Job } from "@freehold/kit/schedule";
import { hasDocuments, liveDocuments } from "./documents.queries.ts";

/** Removes files that no document names: of uploads that ended before their commit, and of documents that were deleted. */
export const sweepDocuments = (store: FileStore): Job => sweepFiles(store, { hasAny: hasDocuments, live: liveDocuments });
