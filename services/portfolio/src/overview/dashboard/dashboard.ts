import type { dashboard, Dashboard } from "@freehold/contract/overview/dashboard";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { DashboardFigures } from "@freehold/proto/ledger/v1/ledger";
import { findNewestActivity } from "../activity/activity.ts";
import type { Clients } from "../../clients.ts";
import { countExpiring, countUnits, countWorkOrders } from "./dashboard.queries.ts";

type Operation = (typeof dashboard)["operations"]["getDashboard"];

const MAX_RECENT_ACTIVITY = 10;

/** Returns the dashboard. All parts are queried concurrently; throws 503 when the ledger is unavailable. */
export async function getDashboard(
  db: OrgDb,
  clients: Clients,
  { propertyId, asOf = today(db.principal.timezone) }: QueryOf<Operation>,
): Promise<Output<Operation>> {
  const filters = { asOf, propertyId };
  const [figures, units, leasesExpiring, workOrders, recentActivity] = await Promise.all([
    clients.ledger.getDashboardFigures(db, { asOf, ...(propertyId !== undefined && { propertyId }) }),
    countUnits(db, filters),
    countExpiring(db, filters),
    countWorkOrders(db, filters),
    findNewestActivity(db, propertyId, MAX_RECENT_ACTIVITY),
    propertyId !== undefined && requireProperty(db, propertyId),
  ]);
  const occupancy = { ...units, vacant: Math.max(0, units.units - units.occupied), rateBps: basisPoints(units.occupied, units.units) };
  return { dashboard: { asOf, occupancy, ...financialView(figures), leasesExpiring, workOrders, recentActivity } };
}

/** Returns a ratio in basis points, rounded; 0 when the whole is 0. */
const basisPoints = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000));

const financialView = (figures: DashboardFigures) =>
  ({
    rent: {
      billedCents: figures.rentBilledCents,
      collectedCents: figures.rentCollectedCents,
      outstandingCents: figures.rentOutstandingCents,
      collectionRateBps: basisPoints(figures.rentCollectedCents, figures.rentBilledCents),
    },
    delinquency: {
      leases: figures.delinquentLeases,
      totalCents: figures.openCents,
      buckets: {
        current: figures.currentCents,
        d1to30: figures.days1To30Cents,
        d31to60: figures.days31To60Cents,
        d61to90: figures.days61To90Cents,
        d90plus: figures.daysOver90Cents,
      },
    },
    trust: {
      bankBalanceCents: figures.trustBankCents,
      liabilityCents: figures.trustLiabilityCents,
      varianceCents: figures.trustVarianceCents,
      unreconciledAccounts: figures.unreconciledAccounts,
    },
    payables: { ownerCents: figures.ownerPayableCents, vendorCents: figures.vendorPayableCents },
  }) as Pick<Dashboard, "rent" | "delinquency" | "trust" | "payables">;

async function requireProperty(db: OrgDb, id: string): Promise<void> {
  const row = await db.first(sql`select 1 as one from property where organization_id = ${db.organizationId} and id = ${id} and deleted_at is null`);
  if (!row) throw unknownReference("propertyId", "property");
}
