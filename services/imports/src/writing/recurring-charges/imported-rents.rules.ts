/** Rents of leases that a bundle contains as recurring charges. */
import { addDays, addMonths, maxDate, startOfMonth } from "@freehold/kit/time/plain-date";
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

/** Date of the import, and the codes of the accounts on which the ledger charges. */
interface RentTerms {
  importDate: string;
  incomeAccounts: ReadonlySet<string>;
}

/** Rents of leases by recurring charges: the one that a lease has by itself, or others in its place. */
export interface ImportedRents {
  /** Candidate ids of the leases that other recurring charges charge, so that they get no rent of their own. */
  chargedByOthers: ReadonlySet<string>;
  /** Recurring charges that are the rent of their lease, by the id of their candidate. */
  ownRents: ReadonlyMap<string, RentCharge>;
  /** Ids of the candidates of recurring charges that charge the rent of a new lease in the place of its own. */
  inPlaceOfOwn: ReadonlySet<string>;
  /** Rent with which a lease begins whose rents follow each other within a month, by the id of its candidate. */
  initialRents: ReadonlyMap<string, string>;
  /** Later rents of such leases, which are rent changes, by the id of their candidate. */
  laterRents: ReadonlyMap<string, RentCharge>;
  /** Charge day of the leases whose own rent is a recurring charge of the bundle, by the id of their candidate. */
  chargeDays: ReadonlyMap<string, number>;
}

export const chargeDayOf = ({ day_of_month }: FieldValues, lease: FieldValues = {}): number => Number(day_of_month ?? lease["rent_charge_day"] ?? 1);

/** Returns true for a recurring charge that has ended before the import, of which nothing is charged. */
export const isPastCharge = ({ end_date }: FieldValues, importDate: string): boolean => end_date !== undefined && end_date < importDate;

/** Returns the first day that a lease charges after the import. */
const firstChargedDay = ({ lease }: RentCharge, importDate: string): string => maxDate(lease["start_date"]!, importDate);

/** Returns true for a recurring charge that the ledger accepts, and that has not ended on the first day that its lease charges. */
function isCharged(charge: RentCharge, { importDate, incomeAccounts }: RentTerms): boolean {
  const { category_code: account, start_date: start, end_date: end } = charge.data;
  return (account === undefined || incomeAccounts.has(account)) && (!end || end >= maxDate(start!, firstChargedDay(charge, importDate)));
}

/** Returns true for a recurring charge that charges what the lease charges by itself from the import on. */
function isOwnRent(charge: RentCharge, importDate: string): boolean {
  const { data, lease } = charge;
  const isSameAmount = lease["rent"] !== undefined && centsOf(data["amount"]!) === centsOf(lease["rent"]);
  const isSameDay = lease["rent_charge_day"] === undefined || Number(lease["rent_charge_day"]) === chargeDayOf(data, lease);
  const isSameTerm = data["start_date"]! <= firstChargedDay(charge, importDate) && (!data["end_date"] || data["end_date"] === lease["end_date"]);
  return isSameAmount && isSameDay && isSameTerm;
}

/**
 * Returns the rents of a new, running lease in the order of their days if one follows the other without a gap from the first charged day on, and at least
 * once within a later month than that of the import. Only the rent that a lease charges by itself is divided by days in such a month.
 */
function successionOf(charges: readonly RentCharge[], importDate: string): readonly RentCharge[] | undefined {
  const rents = charges.toSorted((one, other) => (one.data["start_date"]! < other.data["start_date"]! ? -1 : 1));
  const [first, ...later] = rents;
  const last = rents.at(-1)!;
  if (!first || later.length === 0 || !first.isLeaseNew || (first.lease["status"] ?? "active") !== "active" || first.lease["start_date"]! > importDate)
    return undefined;
  const nextMonth = addMonths(startOfMonth(importDate), 1);
  const days = later.map(({ data }) => data["start_date"]!);
  const isContinuous = later.every((each, index) => rents[index]!.data["end_date"] === addDays(each.data["start_date"]!, -1));
  const isOfLease =
    first.data["start_date"]! <= firstChargedDay(first, importDate) && (!last.data["end_date"] || last.data["end_date"] === last.lease["end_date"]);
  const hasOneDay = later.every(({ data, lease }) => chargeDayOf(data, lease) === chargeDayOf(first.data, first.lease));
  const isWithinMonth = days.every((day) => day >= nextMonth) && days.some((day) => day !== startOfMonth(day));
  return isContinuous && isOfLease && hasOneDay && isWithinMonth ? rents : undefined;
}

/**
 * Tells by which recurring charges of a bundle its leases charge their rent. A single one that equals the rent of its lease is that rent, so that
 * it is prorated, changes with the lease and ends with it. Others take its place if one of them charges the first day of the lease after the import:
 * a lease whose rents by recurring charges have ended, begin later or are refused by the ledger charges its rent by itself. Rents that follow each other
 * within a month are the rent of the lease and its rent changes, so that each day is charged once, with its rent.
 */
export function importedRents(charges: readonly RentCharge[], terms: RentTerms): ImportedRents {
  const { importDate } = terms;
  const charged = charges.filter((charge) => isCharged(charge, terms));
  const ofLeases = [...Map.groupBy(charged, ({ leaseCandidateId }) => leaseCandidateId).values()];
  const successions = ofLeases.flatMap((ofLease) => successionOf(ofLease, importDate)?.slice() ?? []);
  const laterRents = new Map(
    successions.flatMap((charge, index) => (successions[index - 1]?.leaseCandidateId === charge.leaseCandidateId ? [[charge.id, charge]] : [])),
  );
  const initial = successions.filter(({ id }) => !laterRents.has(id));
  const initialRents = new Map(initial.map(({ leaseCandidateId, data }) => [leaseCandidateId, data["amount"]!]));
  const single = ofLeases.flatMap(([charge, ...others]) => (others.length === 0 && isOwnRent(charge!, importDate) ? [charge!] : []));
  const own = [...single, ...initial];
  const ownRents = new Map(own.map((charge) => [charge.id, charge]));
  const chargeDays = new Map(own.map(({ leaseCandidateId, data, lease }) => [leaseCandidateId, chargeDayOf(data, lease)]));
  const others = charged.filter(({ leaseCandidateId }) => !chargeDays.has(leaseCandidateId));
  const isFromFirstDay = (charge: RentCharge) => charge.data["start_date"]! <= firstChargedDay(charge, importDate);
  const chargedByOthers = new Set(others.filter(isFromFirstDay).map(({ leaseCandidateId }) => leaseCandidateId));
  const inPlaceOfOwn = new Set(others.filter(({ leaseCandidateId, isLeaseNew }) => isLeaseNew && chargedByOthers.has(leaseCandidateId)).map(({ id }) => id));
  return { chargedByOthers, ownRents, inPlaceOfOwn, chargeDays, initialRents, laterRents };
}
