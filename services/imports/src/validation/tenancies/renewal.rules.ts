/** Renewals of leases that keep the source id of the lease, such as the occupancy id of AppFolio: the row has the next term. */
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";
import { importedStatus } from "../references/lease-state.rules.ts";
import { mayBeOneTenancy } from "./lease-of-tenancy.rules.ts";

type Changes = Candidate["changes"];

/** Tells whether a person is on a lease in Freehold. */
export const hasTenant = ({ tenant, tenants = "" }: FieldValues, id: string | undefined): boolean =>
  id !== undefined && (id === tenant || tenants.split(" ").includes(id));

const startsLater = ({ start_date: start }: FieldValues, { start_date: otherStart }: FieldValues): boolean =>
  start !== undefined && otherStart !== undefined && start > otherStart;

/** Tells whether a term begins and ends after another one. */
function isLater(term: FieldValues, former: FieldValues): boolean {
  if (!startsLater(term, former)) return false;
  const { start_date: start, end_date: end } = term;
  const { end_date: formerEnd } = former;
  if (end === undefined) return formerEnd !== undefined && start! > formerEnd;
  return formerEnd === undefined || end > formerEnd;
}

/**
 * Returns how a row with the next term of its lease is imported: as an extension of the lease while it runs, also when an earlier import has extended it by
 * another term, or as a new lease after one that has expired; undefined for any other row. `agreed` are the ids of the unit and the tenant of the row, and
 * `former` its fields at the earlier import.
 */
export function renewalOf(
  current: FieldValues,
  agreed: { unit: string | undefined; tenant: string | undefined },
  row: FieldValues,
  former: FieldValues | undefined,
  day: string,
): "extension" | "new_lease" | undefined {
  const { status, last_day: lastDay } = current;
  const rowStatus = importedStatus(row, day);
  const isInForce = rowStatus === "active" || rowStatus === "pending";
  if (!isInForce || agreed.unit !== current["unit"] || !hasTenant(current, agreed.tenant)) return undefined;
  const isNextTerm = isLater(row, current) || (former !== undefined && startsLater(row, current) && startsLater(former, current));
  if (!isNextTerm) return undefined;
  if (status === "active") return mayBeOneTenancy(current, row) ? "extension" : undefined;
  return status === "expired" && lastDay !== undefined && row["start_date"]! > lastDay ? "new_lease" : undefined;
}

/** Returns the changes that extend a lease: it is in force already when the next term is still to come. */
export const changesOfExtension = (changes: Changes): Changes =>
  changes.filter(({ field, from, to }) => !(field === "status" && to === "pending" && (from ?? "active") === "active"));
