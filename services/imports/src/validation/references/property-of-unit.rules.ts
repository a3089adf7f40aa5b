/** Property of a unit, which is fixed once the unit is created. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";

const propertyFields: ReadonlySet<string> = new Set(["property_source_id", "property_name"]);

/** Returns an error for a changed row that moves its unit to another property. A property to be created has no id yet. */
export function movedUnitErrors(currentPropertyId: string | undefined, propertyId: string | undefined, changes: Candidate["changes"]): FieldError[] {
  const change = changes.find(({ field }) => propertyFields.has(field));
  return change && currentPropertyId !== undefined && currentPropertyId !== propertyId ? [movedUnitError(change)] : [];
}

const movedUnitError = ({ field, from, to }: Candidate["changes"][number]): FieldError => ({
  path: field,
  code: "not_allowed",
  message:
    `An import does not move a unit to another property: ${field} was ${from ?? "empty"} and is ${to ?? "empty"}. ` +
    `For a unit of the other property, add a row with its own source_id; otherwise restore ${field} in the file, or exclude the row.`,
});
