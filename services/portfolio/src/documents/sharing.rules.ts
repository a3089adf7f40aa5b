/** Rules of sharing notes and documents with tenants and vendors. */
import type { Visibility } from "@freehold/contract/documents/documents";

/** Visibilities of notes and documents to which the tenants concerned have access. */
export const tenantVisibilities: readonly Visibility[] = ["tenant_shared", "tenant_vendor_shared"];
/** Visibilities of notes and documents to which the vendors concerned have access. */
export const vendorVisibilities: readonly Visibility[] = ["vendor_shared", "tenant_vendor_shared"];

interface Change {
  before: Visibility;
  after: Visibility;
  /** True if the text that is read changes. The file of a document never does. */
  hasNewText?: boolean;
}

/** Tells whether a change shares a note or document with readers who had no access, or shares a new text with them. */
export const isNewlyShared = (readers: readonly Visibility[], { before, after, hasNewText = false }: Change): boolean =>
  readers.includes(after) && (hasNewText || !readers.includes(before));
