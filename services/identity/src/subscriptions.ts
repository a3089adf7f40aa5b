/** Event subscriptions of identity. */
import type { Envelope } from "@freehold/contract/events";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Once, Subscriptions } from "@freehold/kit/events/subscriptions";
import { deactivatePortalUsers, relinkPortalUser } from "./accounts/users/portal-users.ts";
import { auditEvents, auditSubscriptions } from "./audit-log/audit-events.ts";
import type { Clients } from "./clients.ts";
import { followUserOptOut } from "./me/sms-opt-outs.ts";

/** Replaces the batch handler of `auditSubscriptions` for a deleted subject. An entry that cannot be written does not keep the access of its user. */
async function deleted(db: OrgDb, event: Omit<Envelope, "data">, once: Once): Promise<void> {
  await once((tx) => deactivatePortalUsers(tx, event.entityId));
  await auditEvents(db, [{ ...event, data: {} }]);
}

export const subscriptions = (clients: Clients): Subscriptions => ({
  ...auditSubscriptions,
  "sms_opt_out.created": (db, event, once) => followUserOptOut(db, clients, event, once),
  "sms_opt_out.ended": (db, event, once) => followUserOptOut(db, clients, event, once),
  "tenant.deleted": deleted,
  "owner.deleted": deleted,
  "vendor.deleted": deleted,
  "tenant.merged": async (db, event, once) => {
    await once((tx) => relinkPortalUser(tx, event.entityId, event.data.mergedIntoTenantId));
    await auditEvents(db, [event]);
  },
});
