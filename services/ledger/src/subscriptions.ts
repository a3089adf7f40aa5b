/** Event handlers of the ledger: projections of other services' records, settings, and the billing of leases. */
import { batchHandler, type EventOf, type Subscriptions } from "@freehold/kit/events/subscriptions";
import { OrgDb } from "@freehold/kit/db/org-db";
import { runBatches } from "@freehold/kit/jobs/batches";
import { saveLedgerSettings } from "./settings/ledger-settings.ts";
import type { Clients } from "./clients.ts";
import { releaseRecords } from "./journal/posting-holds.ts";
import { mailStatement } from "./owners/statements/send-statement.ts";
import type { StatementLinks } from "./owners/statements/statement-link.rules.ts";
import { reassignMergedTenants } from "./receivables/tenant-merges/tenant-merges.ts";
import { readLeases, replicateLeases, replicateProperties, replicateTenants, replicateUnits, replicateVendors, saveLeases } from "./projections/projections.ts";
import { prepareLeaseBilling } from "./receivables/lease-billing/prepare-billing.ts";
import { findUnstartedBillings, startImportedBillings, startLeaseBillings } from "./receivables/lease-billing/start-billing.ts";
import { inTurnOfLeases } from "./receivables/lease-billing/lease-billing.ts";
import { isBillingEnded, reviseLeaseBilling } from "./receivables/lease-billing/revise-billing.ts";
import { endLeaseBilling, cancelLeaseBilling, expireLeaseBilling } from "./receivables/lease-billing/end-billing.ts";
import { endRecurringChargesOnUnits } from "./receivables/recurring-charges/recurring-charge-status.ts";
import { reviseMoveOut } from "./trust/security-deposits/disposition/move-out.ts";
import type { FinalRent } from "./receivables/lease-billing/termination.ts";

/** Records of an import that are read from portfolio in one call. */
const IMPORTED_BATCH = 500;

/** Returns the database with the import's user as its principal, so that charges of the started billing are events of the import. */
const onBehalfOf = (db: OrgDb, { actorUserId, data }: EventOf<"leases.imported">): OrgDb =>
  new OrgDb(db.database, { ...db.principal, userId: actorUserId, isImport: true, importBundleId: data.bundleId }, db.request);

const entityIdsOf = (events: readonly { entityId: string }[]): string[] => [...new Set(events.map(({ entityId }) => entityId))];

/** Creates the event handlers; `links` issues the links in the e-mails of statements. */
export function subscriptions(clients: Clients, links: StatementLinks): Subscriptions {
  const { portfolio, identity } = clients;
  const findLease = async (db: OrgDb, id: string) => (await readLeases(db, portfolio, [id]))[0];
  // Replication reads the current state, so the events may arrive in any order and more than once.
  const replicationHandler = (replicate: typeof replicateUnits) => batchHandler((db, events) => replicate(db, portfolio, entityIdsOf(events)));
  const importHandler = (replicate: typeof replicateUnits) =>
    batchHandler(async (db, events) => {
      const ids = [...new Set(events.flatMap(({ data }) => data["ids"] as string[]))];
      await runBatches(ids, { size: IMPORTED_BATCH }, async (batch) => {
        await replicate(db, portfolio, batch);
        return [];
      });
    });
  const onTenantChanged = replicationHandler(replicateTenants);
  const onPropertyChanged = replicationHandler(replicateProperties);
  const onUnitChanged = replicationHandler(replicateUnits);
  const onVendorChanged = replicationHandler(replicateVendors);
  const onRecordDeleted = batchHandler((db, events) => releaseRecords(db, entityIdsOf(events)));
  return {
    "organization.updated": async (db, _event, once) => {
      const { timezone, defaultBasis, policies, version } = await identity.getOrganization(db, {});
      await once((tx) => saveLedgerSettings(tx, { timezone, defaultBasis, policies, version }));
    },
    "owner_statement.issued": (db, event) => mailStatement(db, clients, links, event),
    "tenant.created": onTenantChanged,
    "tenant.updated": onTenantChanged,
    "tenants.imported": importHandler(replicateTenants),
    "tenant.deleted": batchHandler(async (db, events) => {
      const ids = entityIdsOf(events);
      await replicateTenants(db, portfolio, ids);
      await releaseRecords(db, ids);
    }),
    "tenant.merged": async (db, { entityId, data }, once) => {
      await replicateTenants(db, portfolio, [entityId, data.mergedIntoTenantId]);
      await once(reassignMergedTenants);
    },
    "property.created": onPropertyChanged,
    "property.updated": onPropertyChanged,
    "properties.imported": importHandler(replicateProperties),
    "property.deleted": onRecordDeleted,
    "owner.deleted": onRecordDeleted,
    "unit.created": onUnitChanged,
    "unit.updated": onUnitChanged,
    "unit.deleted": batchHandler((db, events) => endRecurringChargesOnUnits(db, entityIdsOf(events))),
    "units.imported": importHandler(replicateUnits),
    "vendor.updated": onVendorChanged,
    "vendor.deleted": batchHandler(async (db, events) => {
      const ids = entityIdsOf(events);
      await replicateVendors(db, portfolio, ids);
      await releaseRecords(db, ids);
    }),
    "lease.created": batchHandler(async (db, events) => {
      const created = events as readonly EventOf<"lease.created">[];
      await replicateLeases(db, portfolio, entityIdsOf(created));
      const renewalIds = created.filter(({ data }) => data.renewedFromLeaseId).map(({ entityId }) => entityId);
      for (const lease of await readLeases(db, portfolio, renewalIds)) await prepareLeaseBilling(db, clients, lease);
    }),
    "leases.imported": batchHandler(async (db, events) => {
      const read = (ids: readonly string[]) => readLeases(db, portfolio, ids);
      for (const event of events as EventOf<"leases.imported">[]) await startImportedBillings(onBehalfOf(db, event), clients, event.data.ids, read);
    }),
    "lease.renewed": replicationHandler(replicateLeases),
    "occupant.released": async (db, { data }) => {
      const lease = await findLease(db, data.leaseId);
      if (!lease) return;
      await saveLeases(db, portfolio, [lease]);
      await reviseMoveOut(db, lease.id);
    },
    "lease.expired": async (db, { entityId }) => {
      const lease = await findLease(db, entityId);
      if (lease) await expireLeaseBilling(db, clients, lease);
    },
    // Portfolio also requests the following effects over gRPC. Each is idempotent, so the order of request and event does not matter.
    "lease.updated": async (db, { entityId, data }) => {
      const lease = await findLease(db, entityId);
      if (data.status === "cancelled") await cancelLeaseBilling(db, clients, entityId, false);
      if (lease) await reviseLeaseBilling(db, clients, lease);
    },
    "lease.deleted": (db, { entityId }) => cancelLeaseBilling(db, clients, entityId, true),
    "lease.activated": batchHandler((db, events) =>
      inTurnOfLeases(entityIdsOf(events), async () => {
        const activations = (events as EventOf<"lease.activated">[]).map(({ entityId, data }) => ({ id: entityId, status: data.status }));
        const leases = await readLeases(db, portfolio, await findUnstartedBillings(db, activations));
        const starts = leases.filter(({ status }) => status !== "cancelled").map((lease) => ({ lease, chargeProration: true }));
        if (starts.length > 0) await startLeaseBillings(db, clients, starts);
      }),
    ),
    "lease.terminated": (db, { entityId, data: { terminationDate } }) =>
      inTurnOfLeases([entityId], async () => {
        if (await isBillingEnded(db, entityId)) return;
        const lease = await findLease(db, entityId);
        if (!lease) return;
        const { finalRent = "prorate", terminationFeeCents } = lease;
        await endLeaseBilling(db, clients, lease, { terminationDate, finalRent: finalRent as FinalRent, terminationFeeCents });
      }),
  };
}
