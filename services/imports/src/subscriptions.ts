/** Events of other services that imports consumes. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { sql } from "@freehold/kit/db/statement";

export const subscriptions: Subscriptions = {
  // A later import of the duplicate's source id must update the tenant that remains.
  "tenant.merged": (_db, { entityId, data }, once) =>
    once(async (tx) => {
      await tx.all(sql`update import_identity set entity_id = ${data.mergedIntoTenantId}, is_deleted = false, updated_at = now()
        where organization_id = ${tx.organizationId} and entity_type = 'tenant' and entity_id = ${entityId}`);
    }),
};
