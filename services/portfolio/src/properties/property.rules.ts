import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

interface PropertyTerms {
  units: number;
  occupiedUnits: number;
  managementStartDate?: string | null | undefined;
  managementEndDate?: string | null | undefined;
}

/** Throws 400 when more units are occupied than exist, or the management ends before it starts. */
export function requireConsistentProperty({ units, occupiedUnits, managementStartDate, managementEndDate }: PropertyTerms): void {
  const errors: FieldError[] = [];
  if (occupiedUnits > units) {
    errors.push({ path: "occupiedUnits", code: "max", message: `occupiedUnits can be at most units, which is ${units}.` });
  }
  if (managementStartDate && managementEndDate && managementEndDate < managementStartDate) {
    errors.push({ path: "managementEndDate", code: "before_start", message: "managementEndDate cannot be before managementStartDate." });
  }
  if (errors.length > 0) throw invalid(errors);
}

/** Throws 400 when a property with entries in the ledger would be left without owners, whose earnings then belonged to nobody. */
export function requireOwnersOfEntries(ownerIds: readonly string[]): void {
  if (ownerIds.length > 0) return;
  const message =
    "Money is posted for this property, so it needs an owner. Name the new owners instead, or record them from the day of the sale on with PUT /api/properties/{id}/ownership.";
  throw invalid([{ path: "ownerIds", code: "not_allowed", message }]);
}
