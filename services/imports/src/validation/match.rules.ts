/** Which of the records that could be it a candidate is. */
import type { Candidate, ImportEntityType } from "@freehold/contract/import-bundles";
import type { Data } from "./draft.ts";

/** A record that could be the one, with what it says in the words of the template. */
export type Match = Candidate["matches"][number] & { fields: Data };

export interface Verdict {
  verdict: "ready_create" | "ready_update" | "unchanged" | "ambiguous";
  entityId: string | null;
  changes: Candidate["changes"];
}

/** So much is certain enough to change a record by. */
const CERTAIN = 0.8;

/** What each thing in common weighs. Two companies of one name are one, two people need not be. */
export function scoreOf(entityType: ImportEntityType, reasons: readonly string[]): number {
  const weights: Record<string, number> = { email: 0.9, address: 0.9, number: 1, "first day": 1, name: entityType === "vendor" ? 0.8 : 0.6 };
  const [best = 0, ...others] = reasons.map((reason) => weights[reason] ?? 0).toSorted((a, b) => b - a);
  return others.length > 0 ? 1 : best;
}

/** What is another value in one than in the other; what an export leaves out is not taken away, and what the other cannot say is not compared. */
export const changesBetween = (before: Data, after: Data, fields: readonly string[] = Object.keys(after)): Candidate["changes"] =>
  fields.flatMap((field) => {
    const to = after[field];
    return to === undefined || before[field] === to ? [] : [{ field, from: before[field] ?? null, to }];
  });

/** A new record where nothing fits, the one that fits best where that is certain, and a question where it is not or several fit as well. */
export function verdictOf(matches: readonly Match[], data: Data, comparable: readonly string[]): Verdict {
  const [best, next] = matches.toSorted((a, b) => b.score - a.score);
  if (!best) return { verdict: "ready_create", entityId: null, changes: [] };
  if (best.score < CERTAIN || next?.score === best.score) return { verdict: "ambiguous", entityId: null, changes: [] };
  return becoming(best, data, comparable);
}

/** What changes of a record that a candidate is. */
export function becoming({ entityId, fields }: Match, data: Data, comparable: readonly string[]): Verdict {
  const changes = changesBetween(fields, data, comparable);
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes };
}

/** What a record of another service says in the words of the template, by type. */
export const comparableFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  property: ["name", "street_line1", "street_line2", "city", "state", "postal_code", "asset_class", "reserve"],
  unit: ["unit_number", "unit_type", "bedrooms", "bathrooms", "square_feet", "market_rent", "monthly_rent"],
  owner: ["full_name", "company_name", "email", "phone", "include_1099"],
  vendor: ["name", "trade", "email", "phone", "notes", "include_1099"],
  tenant: ["full_name", "first_name", "last_name", "company_name", "email", "phone", "preferred_language", "date_of_birth"],
  lease: ["start_date", "end_date", "term_type", "rent", "rent_charge_day", "move_in_date"],
};
