import { expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { createEventPublisher } from "../../../../../test/support/events/messages.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

test("the event of imported leases starts, as a part of the import, the billing that portfolio could not start, and no other", async () => {
  const office = await anOffice();
  const { organizationId, userId } = office;
  const [started, unstarted] = [await aTenancy(office, { createRecurringRent: true }), await aTenancy(office, { createRecurringRent: true })];
  const ruleOf = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules[0]!;
  const { id: ruleId } = await ruleOf(unstarted.leaseId);
  await withOwnerConnection(office, async (client) => {
    await client.query("update recurring_charge_rule set status = 'draft' where organization_id = $1", [organizationId]);
    await client.query("update lease_copy set billing_started_at = null, billing_started_as = null where organization_id = $1 and id = $2", [
      organizationId,
      unstarted.leaseId,
    ]);
  });
  const events = await recordEvents(office);
  const publisher = createEventPublisher(running());
  const bundleId = newId();
  await publisher.publish({
    id: newId(),
    type: "leases.imported",
    organizationId,
    occurredAt: new Date().toISOString(),
    entityType: "import_bundle",
    entityId: bundleId,
    actorUserId: userId,
    requestId: null,
    isHistory: true,
    data: { bundleId, ids: [started.leaseId, unstarted.leaseId] },
    audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
  });
  expect(await events.waitForEvent("recurring_charge.updated", ruleId)).toMatchObject({ actorUserId: userId, isHistory: true, data: { status: "active" } });
  await events.waitUntilConsumed();
  expect([(await ruleOf(unstarted.leaseId)).status, (await ruleOf(started.leaseId)).status]).toEqual(["active", "draft"]);
  await Promise.all([events.close(), publisher.close()]);
});
