/** Rents of leases that a bundle contains as recurring charges. */
import { maxDate } from "@freehold/kit/time/plain-date";
import { centsOf } from "../../parsing/money.ts";
import type { FieldValues } from "../../validation/draft.ts";

/** Recurring charge for the rent of a lease, both rows of a bundle. */
export interface RentCharge {
  /** Id of the candidate of the recurring charge. */
  id: string;
  data: FieldValues;
  leaseCandidateId: string;
  lease: FieldValues;
  /** True if the bundle creates the lease. */
  isLeaseNew: boolean;
}

/** Rents of leases by recurring charges: the one that a lease has by itself, or others in its place. */
export interface ImportedRents {
  /** Candidate ids of the leases that other recurring charges charge, so that they get no rent of their own. */
  chargedByOthers: ReadonlySet<string>;
  /** Recurring charges that are the rent of their lease, by the id of their candidate. */
  ownRents: ReadonlyMap<string, RentCharge>;
  /** Ids of the candidates of recurring charges that charge the rent of a new lease in the place of its own. */
  inPlaceOfOwn: ReadonlySet<string>;
  /** Charge day of the leases whose own rent is a recurring charge of the bundle, by the id of their candidate. */
  chargeDays: ReadonlyMap<string, number>;
}

export const chargeDayOf = ({ day_of_month }: FieldValues): number => Number(day_of_month ?? 1);

/** Returns true for a recurring charge that charges what the lease charges by itself from the import on. */
function isOwnRent({ data, lease }: RentCharge, importDate: string): boolean {
  const isSameAmount = lease["rent"] !== undefined && centsOf(data["amount"]!) === centsOf(lease["rent"]);
  const isSameDay = lease["rent_charge_day"] === undefined || Number(lease["rent_charge_day"]) === chargeDayOf(data);
  const isSameTerm = data["start_date"]! <= maxDate(lease["start_date"]!, importDate) && (!data["end_date"] || data["end_date"] === lease["end_date"]);
  return isSameAmount && isSameDay && isSameTerm;
}

/**
 * Tells by which recurring charges of a bundle its leases charge their rent. A single one that equals the rent of its lease is that rent, so that
 * it is prorated, changes with the lease and ends with it.
 */
export function importedRents(charges: readonly RentCharge[], importDate: string): ImportedRents {
  const ofLeases = [...Map.groupBy(charges, ({ leaseCandidateId }) => leaseCandidateId).values()];
  const own = ofLeases.flatMap(([charge, ...others]) => (others.length === 0 && isOwnRent(charge!, importDate) ? [charge!] : []));
  const chargeDays = new Map(own.map(({ leaseCandidateId, data }) => [leaseCandidateId, chargeDayOf(data)]));
  const chargedByOthers = new Set(charges.map(({ leaseCandidateId }) => leaseCandidateId).filter((id) => !chargeDays.has(id)));
  const ownRents = new Map(own.map((charge) => [charge.id, charge]));
  const inPlaceOfOwn = new Set(charges.flatMap(({ id, isLeaseNew }) => (isLeaseNew && !ownRents.has(id) ? id : [])));
  return { chargedByOthers, ownRents, inPlaceOfOwn, chargeDays };
}
