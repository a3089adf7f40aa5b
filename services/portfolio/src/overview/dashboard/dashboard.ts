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

const RECENT = 10;

/** How everything stands, asked all at once; without the ledger's part there is none. */
export async function getDashboard(
  db: OrgDb,
  clients: Clients,
  { propertyId, asOf = today(db.principal.timezone) }: QueryOf<Operation>,
): Promise<Output<Operation>> {
  const asked = { asOf, propertyId };
  const [money, units, leasesExpiring, workOrders, recentActivity] = await Promise.all([
    clients.ledger.getDashboardFigures(db, { asOf, ...(propertyId !== undefined && { propertyId }) }),
    countUnits(db, asked),
    countExpiring(db, asked),
    countWorkOrders(db, asked),
    findNewestActivity(db, propertyId, RECENT),
    propertyId !== undefined && requireProperty(db, propertyId),
  ]);
  const occupancy = { ...units, vacant: Math.max(0, units.units - units.occupied), rateBps: rateOf(units.occupied, units.units) };
  return { dashboard: { asOf, occupancy, ...shownMoney(money), leasesExpiring, workOrders, recentActivity } };
}

/** Basis points of a whole, rounded; 0 of nothing. */
const rateOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000));

const shownMoney = (money: DashboardFigures) =>
  ({
    rent: {
      billedCents: money.rentBilledCents,
      collectedCents: money.rentCollectedCents,
      outstandingCents: money.rentOutstandingCents,
      collectionRateBps: rateOf(money.rentCollectedCents, money.rentBilledCents),
    },
    delinquency: {
      leases: money.delinquentLeases,
      totalCents: money.openCents,
      buckets: {
        current: money.currentCents,
        d1to30: money.days1To30Cents,
        d31to60: money.days31To60Cents,
        d61to90: money.days61To90Cents,
        d90plus: money.daysOver90Cents,
      },
    },
    trust: {
      bankBalanceCents: money.trustBankCents,
      liabilityCents: money.trustLiabilityCents,
      varianceCents: money.trustVarianceCents,
      unreconciledAccounts: 0,
    },
    payables: { ownerCents: money.ownerPayableCents, vendorCents: money.vendorPayableCents },
  }) as Pick<Dashboard, "rent" | "delinquency" | "trust" | "payables">;

async function requireProperty(db: OrgDb, id: string): Promise<void> {
  const row = await db.first(sql`select 1 as one from property where organization_id = ${db.organizationId} and id = ${id} and deleted_at is null`);
  if (!row) throw unknownReference("propertyId", "property");
}
