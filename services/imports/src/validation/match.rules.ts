/** Choice of the existing record that a candidate represents. */
import type { Candidate, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "./draft.ts";
import { incompleteFields } from "./entity.rules.ts";

/** Existing record that may be the candidate, with its values in the format of the generic template. */
export type Match = Candidate["matches"][number] & { fields: FieldValues };

export interface Verdict {
  verdict: "ready_create" | "ready_update" | "unchanged" | "ambiguous";
  entityId: string | null;
  changes: Candidate["changes"];
}

/** Minimum score at which a record is updated without a manual decision. */
export const MIN_CERTAIN_SCORE = 0.8;

/** Returns the score of a match from its reasons. A name alone identifies a vendor with certainty, but no other record. */
export function scoreMatch(entityType: ImportEntityType, reasons: readonly string[]): number {
  const weights: Record<string, number> = { id: 1, email: 0.9, address: 0.9, number: 1, "first day": 1, name: entityType === "vendor" ? 0.8 : 0.6 };
  const [best = 0, ...others] = reasons.map((reason) => weights[reason] ?? 0).toSorted((a, b) => b - a);
  return others.length > 0 ? 1 : best;
}

/** Returns the changes of the fields. A value that is missing afterwards is not a change, because exports omit fields. */
export const changesBetween = (before: FieldValues, after: FieldValues, fields: readonly string[] = Object.keys(after)): Candidate["changes"] =>
  fields.flatMap((field) => {
    const to = after[field];
    return to === undefined || before[field] === to ? [] : [{ field, from: before[field] ?? null, to }];
  });

/** Returns the verdict over all matches: a new record without matches, an update of a certain unique match, otherwise `ambiguous`. */
export function verdictOf(matches: readonly Match[], data: FieldValues, comparable: readonly string[], unknown: readonly string[] = []): Verdict {
  const [best, next] = matches.toSorted((a, b) => b.score - a.score);
  if (!best) return { verdict: "ready_create", entityId: null, changes: [] };
  if (best.score < MIN_CERTAIN_SCORE || next?.score === best.score) return { verdict: "ambiguous", entityId: null, changes: [] };
  return verdictForMatch(best, data, comparable, unknown);
}

/** Returns the verdict for a candidate that represents the record. An update also writes the `unknown` fields, which cannot be compared with the record. */
export function verdictForMatch(
  { entityId, fields }: Pick<Match, "entityId" | "fields">,
  data: FieldValues,
  comparable: readonly string[],
  unknown: readonly string[] = [],
): Verdict {
  const changes = changesBetween(fields, data, comparable);
  if (changes.length === 0) return { verdict: "unchanged", entityId, changes };
  return { verdict: "ready_update", entityId, changes: [...changes, ...changesBetween({}, data, unknown)] };
}

/** Names by which a deposit or a balance denotes its tenancy. The id of its row contains them, so another spelling is no change. */
const tenancyNames = new Set(["tenant_name", "tenant_email", "property_name", "unit_number"]);

/**
 * Fields of each type that are stored with their rows only: the type of a tax id without the number is nothing to record, and co-tenants are
 * records of their own.
 */
const rowOnlyFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  owner: ["tax_id_type"],
  tenant: ["lease_source_id", "role", "status"],
  vendor: ["tax_id_type"],
  lease: ["co_tenants"],
};

/** Tells whether a field denotes the row itself or another record. */
const isReference = (field: string): boolean => /(?:source_id|_name|_email)$|^unit_number$/.test(field);

/** Returns the fields of a row whose values belong to its record. The lease and the tenant of an occupant are in the id of its row. */
export const recordFields = (entityType: ImportEntityType, data: FieldValues): string[] =>
  Object.keys(data).filter(
    (field) =>
      !rowOnlyFields[entityType]?.includes(field) &&
      (!tenancyNames.has(field) || (entityType !== "deposit" && entityType !== "opening_balance")) &&
      (entityType !== "occupant" || !isReference(field)),
  );

/** Returns the fields of a row that an update writes and that portfolio does not return with its matches. The status of a lease is compared apart. */
export function unknownFields(entityType: ImportEntityType, data: FieldValues): string[] {
  const known = [...(comparableFields[entityType] ?? []), ...incompleteFields(entityType, data), ...(entityType === "lease" ? ["status"] : [])];
  return recordFields(entityType, data).filter((field) => !known.includes(field) && !isReference(field));
}

/** Tells whether portfolio finds the records of a type by their ids. */
export const isReadByPortfolio = (entityType: ImportEntityType): boolean => entityType === "occupant" || comparableFields[entityType] !== undefined;

/** Values with which an import creates a record whose row has none. */
export const defaultValues: Partial<Record<ImportEntityType, FieldValues>> = { occupant: { role: "co_tenant" } };

/** Fields of each type that portfolio returns with its matches. */
export const comparableFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  property: ["name", "street_line1", "street_line2", "city", "state", "postal_code", "asset_class", "reserve"],
  unit: ["unit_number", "unit_type", "bedrooms", "bathrooms", "square_feet", "market_rent", "monthly_rent"],
  owner: ["full_name", "company_name", "email", "phone", "include_1099"],
  vendor: ["name", "trade", "email", "phone", "notes", "include_1099"],
  tenant: ["full_name", "first_name", "last_name", "company_name", "email", "phone", "preferred_language", "date_of_birth"],
  lease: ["start_date", "end_date", "term_type", "rent", "rent_charge_day", "move_in_date", "lease_kind"],
};
