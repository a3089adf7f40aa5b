/** Event subscriptions of identity. */
import type { Envelope } from "@freehold/contract/events";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Once, Subscriptions } from "@freehold/kit/events/subscriptions";
import { deactivatePortalUsers, relinkPortalUser } from "./accounts/users/portal-users.ts";
import { auditEvents, auditSubscriptions } from "./audit-log/audit-events.ts";

/** Replaces the batch handler of `auditSubscriptions` for a deleted subject, since the audit entry and the deactivated user commit together. */
const deleted = (_db: OrgDb, event: Omit<Envelope, "data">, once: Once): Promise<void> =>
  once(async (tx) => {
    await auditEvents(tx, [{ ...event, data: {} }]);
    await deactivatePortalUsers(tx, event.entityId);
  });

export const subscriptions: Subscriptions = {
  ...auditSubscriptions,
  "tenant.deleted": deleted,
  "owner.deleted": deleted,
  "vendor.deleted": deleted,
  "tenant.merged": (_db, event, once) =>
    once(async (tx) => {
      await auditEvents(tx, [event]);
      await relinkPortalUser(tx, event.entityId, event.data.mergedIntoTenantId);
    }),
};
