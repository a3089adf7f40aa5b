import type { Document } from "@freehold/contract/documents";
import { versioned } from "@freehold/kit/version";

/** A document as callers see it. */
export const documentView = (document: Document): Document => versioned(document, document.version);
