/** Event subscriptions of identity. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { relinkPortalUser } from "./accounts/users/relink-portal-user.ts";
import { auditEvents, auditSubscriptions } from "./audit-log/audit-events.ts";

export const subscriptions: Subscriptions = {
  ...auditSubscriptions,
  // Replaces the batch handler of `auditSubscriptions`, since the audit entry and the relinked user commit together.
  "tenant.merged": (_db, event, once) =>
    once(async (tx) => {
      await auditEvents(tx, [event]);
      await relinkPortalUser(tx, event.entityId, event.data.mergedIntoTenantId);
    }),
};
