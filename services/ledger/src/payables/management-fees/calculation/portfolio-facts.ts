/** Units and leases of properties, as portfolio knows them. */
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

/** Returns the units of properties, and their leases that started in the period, by property. */
export async function readPortfolioFacts(
  db: OrgDb,
  { portfolio }: Clients,
  propertyIds: readonly string[],
  period: Period,
): Promise<Map<string, PortfolioFacts>> {
  if (propertyIds.length === 0) return new Map();
  const { units } = await portfolio.getUnitsOfProperties(db, { ids: [...propertyIds] });
  const started = units.flatMap(({ leases }) => leases.filter((lease) => isStartedIn(lease, period)).map(({ leaseId }) => leaseId));
  const leases = started.length > 0 ? (await portfolio.getLeases(db, { ids: started })).leases : [];
  return new Map(
    propertyIds.map((propertyId) => {
      const ownUnits = units.filter((unit) => unit.propertyId === propertyId);
      const ownLeases = leases.filter((lease) => lease.propertyId === propertyId);
      return [propertyId, { units: ownUnits.map(unitFacts), startedLeases: ownLeases.filter(hasBegun).map(startedLease) }];
    }),
  );
}

const isStartedIn = ({ startDate }: { startDate: string }, { periodStart, periodEnd }: Period): boolean => periodStart <= startDate && startDate <= periodEnd;

/** Returns false for a lease that was terminated on its first day, which was made by mistake unless it is a renewal. */
const hasBegun = ({ terminationDate, startDate, renewedFromLeaseId }: Lease): boolean =>
  terminationDate === undefined || terminationDate > startDate || renewedFromLeaseId !== undefined;

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
