/** Rules of sharing notes and documents with tenants and vendors. */
import type { Visibility } from "@freehold/contract/documents/documents";

/** Visibilities of notes and documents that the tenants concerned read. */
export const tenantVisibilities: readonly Visibility[] = ["tenant_shared", "tenant_vendor_shared"];
/** Visibilities of notes and documents that the vendors concerned read. */
export const vendorVisibilities: readonly Visibility[] = ["vendor_shared", "tenant_vendor_shared"];

interface Change {
  before: Visibility;
  after: Visibility;
  /** True if the text that is read changes. The file of a document never does. */
  hasNewText?: boolean;
}

/** Tells whether a change shows a note or document, or its new text, to the readers of the visibilities, who did not read it before. */
export const isNewlyShared = (readers: readonly Visibility[], { before, after, hasNewText = false }: Change): boolean =>
  readers.includes(after) && (hasNewText || !readers.includes(before));
