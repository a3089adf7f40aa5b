import type { Document } from "@freehold/contract/documents/documents";
import { withVersion } from "@freehold/kit/http/etag";

export const documentView = (document: Document): Document => withVersion(document, document.version);
