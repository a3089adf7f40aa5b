/** What identity does about other services' events. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { standFor } from "./accounts/users/merged-subject.ts";
import { auditEvents, auditedEvents } from "./audit-log/audit-events.ts";

export const subscriptions: Subscriptions = {
  ...auditedEvents,
  "tenant.merged": (_db, event, once) =>
    once(async (tx) => {
      await auditEvents(tx, [event]);
      await standFor(tx, event.entityId, event.data.mergedIntoTenantId);
    }),
};
