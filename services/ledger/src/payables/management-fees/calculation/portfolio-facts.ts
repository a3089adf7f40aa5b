/** Units and leases of properties, as portfolio knows them. */
import { runBatches } from "@freehold/kit/jobs/batches";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Lease, Unit } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../../clients.ts";
import { initialRentCents } from "../../../receivables/lease-billing/rent-schedule.rules.ts";
import type { StartedLease, UnitFacts } from "./fee-lines.rules.ts";
import type { Period } from "./segments.rules.ts";

export interface PortfolioFacts {
  units: readonly UnitFacts[];
  startedLeases: readonly StartedLease[];
}

/** Number of properties whose units, and of leases that, one message contains. */
const [MAX_PROPERTIES, MAX_LEASES] = [100, 1_000];

/** Returns the units of properties, and their leases that started in the period of the property, by property. */
export async function readPortfolioFacts(
  db: OrgDb,
  { portfolio }: Clients,
  propertyIds: readonly string[],
  periodOf: (propertyId: string) => Period,
): Promise<Map<string, PortfolioFacts>> {
  if (propertyIds.length === 0) return new Map();
  const units = await runBatches(propertyIds, { size: MAX_PROPERTIES }, async (ids) => (await portfolio.getUnitsOfProperties(db, { ids: [...ids] })).units);
  const started = units.flatMap(({ propertyId, leases }) => leases.filter((lease) => isStartedIn(lease, periodOf(propertyId))).map(({ leaseId }) => leaseId));
  const leases = await runBatches(started, { size: MAX_LEASES }, async (ids) => (await portfolio.getLeases(db, { ids: [...ids] })).leases);
  const unitsByProperty = Map.groupBy(units, ({ propertyId }) => propertyId);
  const leasesByProperty = Map.groupBy(leases, ({ propertyId }) => propertyId);
  return new Map(
    propertyIds.map((id) => [id, { units: (unitsByProperty.get(id) ?? []).map(unitFacts), startedLeases: (leasesByProperty.get(id) ?? []).map(startedLease) }]),
  );
}

const isStartedIn = ({ startDate }: { startDate: string }, { periodStart, periodEnd }: Period): boolean => periodStart <= startDate && startDate <= periodEnd;

const unitFacts = ({ marketRentCents, leases }: Unit): UnitFacts => ({
  marketRentCents,
  leases: leases.map(({ startDate, lastDay = null }) => ({ startDate, lastDay })),
});

const startedLease = ({ id, startDate, renewedFromLeaseId, rentCents, rentChanges }: Lease): StartedLease => ({
  id,
  startDate,
  isRenewal: renewedFromLeaseId !== undefined,
  rentCents: initialRentCents({ rentCents, rentChanges }),
});
