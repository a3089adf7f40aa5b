/** Rules of sharing notes and documents with tenants. */
import type { Visibility } from "@freehold/contract/documents/documents";

/** Visibilities of notes and documents that the tenants concerned read. */
export const tenantVisibilities: readonly Visibility[] = ["tenant_shared", "tenant_vendor_shared"];

interface Sharing {
  visibility: Visibility;
  sharedWithTenantsAt: Date;
}

interface SharingChange {
  visibility?: Visibility | undefined;
  /** Whether the text that tenants read becomes another one. The file of a document never changes. */
  hasNewText?: boolean;
}

/** Returns since when tenants read a note or document as it is after a change: `now` if they did not read it, or not this text, before. */
export function sharedWithTenantsSince(before: Sharing, { visibility = before.visibility, hasNewText = false }: SharingChange, now: Date): Date {
  const isNew = hasNewText || !tenantVisibilities.includes(before.visibility);
  return isNew && tenantVisibilities.includes(visibility) ? now : before.sharedWithTenantsAt;
}
