/** Rules of sharing notes and documents with tenants. */
import type { Visibility } from "@freehold/contract/documents/documents";

/** Visibilities of notes and documents that the tenants concerned read. */
export const tenantVisibilities: readonly Visibility[] = ["tenant_shared", "tenant_vendor_shared"];

interface Sharing {
  visibility: Visibility;
  sharedWithTenantsAt: Date;
}

/** Returns since when tenants read a note or document whose visibility becomes `visibility`: `now` if they did not read it before. */
export const sharedWithTenantsSince = (before: Sharing, visibility: Visibility | undefined, now: Date): Date =>
  visibility !== undefined && tenantVisibilities.includes(visibility) && !tenantVisibilities.includes(before.visibility) ? now : before.sharedWithTenantsAt;
