/** Unit, tenant and first day of a lease: agreed once, and fixed as soon as the lease has begun or money is posted on it. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";

type Changes = Candidate["changes"];

/** Fields of a lease by the agreed term that they denote. */
const fieldsByTerm = {
  unit: ["unit_source_id", "unit_number", "property_source_id", "property_name"],
  tenant: ["primary_tenant_source_id", "primary_tenant_name", "primary_tenant_email"],
  start_date: ["start_date"],
} as const satisfies Record<string, readonly string[]>;
type AgreedTerm = keyof typeof fieldsByTerm;

/** Fields of a lease that denote its unit, its tenant or its first day. */
export const agreedTermFields: ReadonlySet<string> = new Set(Object.values(fieldsByTerm).flat());

/** Fields of a lease that denote its tenant. */
export const tenantFields: ReadonlySet<string> = new Set(fieldsByTerm.tenant);

const nameOf: Record<AgreedTerm, string> = { unit: "unit", tenant: "tenant", start_date: "first day" };

/**
 * Returns an error for each agreed term in which a changed row differs from its lease, unless the lease has not begun. `current` are the fields of the
 * lease, and `agreed` the terms of the row: the ids of its unit and tenant, undefined for a new record, and its first day.
 */
export function agreedTermErrors(current: FieldValues, agreed: Readonly<Record<AgreedTerm, string | undefined>>, changes: Changes): FieldError[] {
  const status = current["status"];
  if (status === undefined) return [];
  if (status === "draft" || status === "pending") return boundTermErrors(current, agreed, changes);
  return (Object.keys(fieldsByTerm) as AgreedTerm[]).flatMap((term) => {
    const change = changes.find(({ field }) => (fieldsByTerm[term] as readonly string[]).includes(field));
    return change && agreed[term] !== current[term] ? [fixedTermError(term, status, change)] : [];
  });
}

/** Returns an error for each changed term of a lease that has not begun to which its money binds it: the unit and the tenant, and the first day and the rent of a pending one. */
function boundTermErrors({ status, money, ...current }: FieldValues, agreed: Readonly<Record<AgreedTerm, string | undefined>>, changes: Changes): FieldError[] {
  if (money === undefined) return [];
  const boundTerms: readonly AgreedTerm[] = status === "pending" && money === "posted" ? ["unit", "tenant", "start_date"] : ["unit", "tenant"];
  const bound = changes.filter(({ field }) =>
    boundTerms.some((term) => agreed[term] !== current[term] && (fieldsByTerm[term] as readonly string[]).includes(field)),
  );
  const rents = status === "pending" && money === "posted" ? changes.filter(({ field }) => field === "rent") : [];
  return [...bound, ...rents].map((change) => boundTermError(change));
}

/** Remedy for a change that the money of a lease rules out. */
export const UNDO_MONEY = "Void the charges, the payments and the deposit of the lease in Freehold first, then validate again";

const boundTermError = ({ field, from, to }: Changes[number]): FieldError => ({
  path: field,
  code: "not_allowed",
  message: `Money is posted on the lease, so ${field} does not change: it was ${from ?? "empty"} and is ${to ?? "empty"}. ${UNDO_MONEY}; otherwise restore ${field} in the file, or exclude the row.`,
});

const fixedTermError = (term: AgreedTerm, status: string, { field, from, to }: Changes[number]): FieldError => ({
  path: field,
  code: "not_allowed",
  message:
    `The lease is ${status}, so its ${nameOf[term]} does not change: ${field} was ${from ?? "empty"} and is ${to ?? "empty"}. ` +
    `For another lease, add a row with its own source_id, and end this one before it starts; otherwise restore ${field} in the file, or exclude the row.`,
});
