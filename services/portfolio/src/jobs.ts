import type { FileStore } from "@freehold/kit/files/file-store";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "./clients.ts";
import { sweepDocuments } from "./documents/sweep-documents.ts";
import { startLeases } from "./leases/lifecycle/activate-lease.ts";
import { expireLeases } from "./leases/lifecycle/expire-leases.ts";
import { APPLY_RELEASES, applyReleases } from "./leases/occupants/apply-releases.ts";
import { applyRentChanges } from "./leases/rent-changes/apply-rent-changes.ts";
import { ACTIVITY_RETENTION_JOB, deleteExpiredActivity } from "./overview/activity/activity-retention.ts";
import { expireInvites } from "./people/invites/expire-invites.ts";
import { applyOwnership } from "./properties/ownership/apply-ownership.ts";

/** Returns the scheduled jobs by name. `sweepDocuments` is among them only when a document store is configured. */
export const jobs = (clients: Clients, documentStore: FileStore | undefined): Record<string, Job> => ({
  startLeases: startLeases(clients),
  expireLeases: expireLeases(clients),
  applyRentChanges: applyRentChanges(clients),
  [APPLY_RELEASES]: applyReleases(clients),
  applyOwnership: applyOwnership(clients),
  expireInvites,
  [ACTIVITY_RETENTION_JOB]: deleteExpiredActivity,
  ...(documentStore && { sweepDocuments: sweepDocuments(documentStore) }),
});
