import type { Document } from "@freehold/contract/documents/documents";
import { withVersion } from "@freehold/kit/http/etag";

/** Returns the API representation of a document. */
export const documentView = (document: Document): Document => withVersion(document, document.version);
