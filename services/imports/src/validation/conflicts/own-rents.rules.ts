/** Comparison of the row of a rent with the row of its lease, before and after the import. */
import type { FieldError } from "@freehold/contract/errors";
import { centsOf } from "../../parsing/money.ts";
import type { FieldValues } from "../draft.ts";

const DEFAULT_DAY = "1";

const isRentOf = (rent: FieldValues, lease: FieldValues): boolean =>
  rent["amount"] !== undefined && lease["rent"] !== undefined && centsOf(rent["amount"]) === centsOf(lease["rent"]);
const dayOf = (rent: FieldValues, lease: FieldValues): number => Number(rent["day_of_month"] ?? lease["rent_charge_day"] ?? DEFAULT_DAY);

/** Returns the error of a row of a rent that was that of its lease, if it has another amount or day than the lease, or another last day. */
export function ownRentError(rent: FieldValues, importedRent: FieldValues, lease: { current: FieldValues; imported: FieldValues }): FieldError | undefined {
  const { current, imported } = lease;
  const hadTermOfLease = importedRent["end_date"] === undefined || importedRent["end_date"] === imported["end_date"];
  const hadDayOfLease = dayOf(importedRent, imported) === Number(imported["rent_charge_day"] ?? dayOf(importedRent, imported));
  if (!isRentOf(importedRent, imported) || !hadTermOfLease || !hadDayOfLease) return undefined;
  if (rent["amount"] !== importedRent["amount"] && !isRentOf(rent, current))
    return changedAlone("amount", importedRent["amount"], rent["amount"], "rent", current["rent"]);
  const importedDay = dayOf(importedRent, imported);
  if (dayOf(rent, current) !== importedDay && Number(current["rent_charge_day"] ?? importedDay) !== dayOf(rent, current))
    return changedAlone("day_of_month", `${importedDay}`, rent["day_of_month"], "rent_charge_day", current["rent_charge_day"]);
  const hasNewEnd = rent["end_date"] !== undefined && rent["end_date"] !== importedRent["end_date"];
  return hasNewEnd && rent["end_date"] !== current["end_date"]
    ? changedAlone("end_date", importedRent["end_date"], rent["end_date"], "end_date", current["end_date"])
    : undefined;
}

const changedAlone = (path: string, from: string | undefined, to: string | undefined, leaseField: string, leaseValue: string | undefined): FieldError => ({
  path,
  code: "not_allowed",
  message:
    `This is the rent that its lease charges by itself, and it changes with the lease: ${path} was ${from ?? "empty"} and is ${to ?? "empty"}, ` +
    `while ${leaseField} of the lease is ${leaseValue ?? "empty"}. Set ${leaseField} in the row of the lease to the same value, or restore ${path}, or exclude the row.`,
});
