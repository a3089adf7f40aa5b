/** What the ledger does about other services' events. */
import { batchHandler, type EventOf, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { rememberRules } from "./settings/ledger-settings.ts";
import type { Clients } from "./clients.ts";
import { followMerges } from "./projections/merges.ts";
import { copyLeases, copyProperties, copyTenants, copyUnits } from "./projections/copies.ts";
import { endLeaseBilling, prepareLeaseBilling, type FinalRent } from "./receivables/lease-billing/lease-billing.ts";
import { startLeaseBillings, withoutBilling } from "./receivables/lease-billing/start-billing.ts";
import { reviseLeaseBilling } from "./receivables/lease-billing/revise-billing.ts";
import { cancelLeaseBilling, stopLeaseBilling } from "./receivables/lease-billing/stop-billing.ts";

export function subscriptions(clients: Clients): Subscriptions {
  const { portfolio, identity } = clients;
  const leaseOf = async (db: OrgDb, id: string) => (await portfolio.getLeases(db, { ids: [id] })).leases[0];
  // A copy is taken of what is true now, however often and in whatever order it is asked for.
  const copying = (copy: typeof copyUnits) => batchHandler((db, lot) => copy(db, portfolio, [...new Set(lot.map(({ entityId }) => entityId))]));
  const [tenants, properties, units, leases] = [copying(copyTenants), copying(copyProperties), copying(copyUnits), copying(copyLeases)];
  return {
    "organization.updated": async (db, _event, once) => {
      const { timezone, defaultBasis, policies } = await identity.getOrganization(db, {});
      await once((tx) => rememberRules(tx, { timezone, defaultBasis, policies }));
    },
    "tenant.created": tenants,
    "tenant.updated": tenants,
    "tenant.merged": async (db, { entityId, data }, once) => {
      await copyTenants(db, portfolio, [entityId, data.mergedIntoTenantId]);
      await once(followMerges);
    },
    "property.created": properties,
    "property.updated": properties,
    "unit.created": units,
    "unit.updated": units,
    "lease.created": leases,
    "occupant.released": (db, { data }) => copyLeases(db, portfolio, [data.leaseId]),
    "lease.expired": async (db, { entityId }) => {
      const lease = await leaseOf(db, entityId);
      if (lease) await stopLeaseBilling(db, clients, lease);
    },
    // Those below were asked for over gRPC as well; whichever comes second changes nothing.
    "lease.updated": async (db, { entityId, data }) => {
      const lease = await leaseOf(db, entityId);
      if (data.status === "cancelled") await cancelLeaseBilling(db, entityId, false);
      if (lease) await reviseLeaseBilling(db, clients, lease);
    },
    "lease.deleted": (db, { entityId }) => cancelLeaseBilling(db, entityId, true),
    "lease.activated": batchHandler(async (db, lot) => {
      const ids = await withoutBilling(db, lot as EventOf<"lease.activated">[]);
      if (ids.length === 0) return;
      const { leases: started } = await portfolio.getLeases(db, { ids });
      const starts = started.filter(({ status }) => status !== "cancelled").map((lease) => ({ lease, chargeProration: true }));
      if (starts.length > 0) await startLeaseBillings(db, clients, starts);
    }),
    "lease.renewed": async (db, { data }) => {
      const lease = await leaseOf(db, data.renewedToLeaseId);
      if (lease) await prepareLeaseBilling(db, clients, lease);
    },
    "lease.terminated": async (db, { entityId, data }) => {
      const lease = await leaseOf(db, entityId);
      if (lease)
        await endLeaseBilling(db, clients, lease, {
          terminationDate: data.terminationDate,
          finalRent: (lease.finalRent ?? "prorate") as FinalRent,
          terminationFeeCents: lease.terminationFeeCents,
        });
    },
  };
}
