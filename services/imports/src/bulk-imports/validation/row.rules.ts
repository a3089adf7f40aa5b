/** Evaluation of a row of a bulk import. Rows are not resolved manually, so every uncertainty is an error with its remedy. */
import type { BulkImportMode } from "@freehold/contract/imports/bulk-imports";
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../../validation/draft.ts";
import type { KnownIdentity } from "../../validation/find-matches.ts";
import { changesBetween, comparableFields, type Match, scoreMatch, type Verdict } from "../../validation/match.rules.ts";
import { isOfOtherTenant } from "../../validation/references/lease-tenants.rules.ts";

export interface BulkRow {
  entityType: ImportEntityType;
  data: FieldValues;
  /** Ids of the referenced records by name of the reference. */
  referencedIds: Readonly<Record<string, string>>;
  /** Record that an earlier file wrote for the source id. */
  identity: KnownIdentity | undefined;
}

export type RowEvaluation = Verdict & { errors: FieldError[] };

/** Fields that can be compared with a record in addition to those that bundles compare. */
const additionalComparableFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  unit: ["status"],
  lease: ["lease_kind"],
  charge: ["amount", "due_date", "type", "label"],
  payment: ["amount", "received_date", "method", "check_number"],
  expense: ["amount", "date", "due_date", "category", "label", "description", "invoice_number"],
  recurring_charge: ["amount", "label", "kind", "day_of_month", "start_date", "end_date"],
  work_order: ["title", "description", "priority", "estimate"],
};

/** Fields that a row can change in an existing record; all fields for the types that are not listed. */
const changeableFields: Partial<Record<ImportEntityType, readonly string[]>> = {
  lease: ["end_date", "term_type", "rent_charge_day", "late_fee_type", "late_fee_amount", "late_fee_percent", "late_fee_grace_days", "move_in_date"],
  charge: [],
  payment: [],
  expense: [],
  recurring_charge: ["amount", "label", "day_of_month", "end_date", "category_code"],
  work_order: ["title", "description", "priority", "estimate", "created_date", "scheduled_date"],
};

/** Tells whether a field belongs to the record itself, rather than being its id or a reference. */
const isRecordField = (name: string): boolean => !/(?:source_id|property_name|tenant_name|vendor_name)$/.test(name);
/** Types of which several records may have the same fields, so that only an id distinguishes them. */
const typesDistinguishedById = new Set<ImportEntityType>(["charge", "payment", "expense", "recurring_charge", "work_order"]);
const isUnchangeable = (type: ImportEntityType): boolean => changeableFields[type]?.length === 0;

const resourceName = (type: string): string => type.replaceAll("_", " ");
const describe = ({ displayName, entityId }: Match): string => `${displayName} (${entityId})`;

const fieldByReason: Record<string, string> = { email: "email", address: "street_line1", number: "unit_number", "first day": "start_date" };

/** Returns the field by which a row matches a record. */
const matchedField = ({ data }: BulkRow, { reasons }: Match): string => {
  if (reasons.includes("id")) return "source_id";
  const field = reasons.map((reason) => fieldByReason[reason]).find(Boolean);
  return field ?? (data["name"] !== undefined ? "name" : "full_name");
};

/** Returns the score of a match. An id outweighs everything; the name of a property is unique, so it counts like a name and an e-mail address. */
const bulkMatchScore = (type: ImportEntityType, { reasons }: Match): number =>
  reasons.includes("id") ? 2 : scoreMatch(type, type === "property" && reasons.includes("name") ? [...reasons, "email"] : reasons);
const MIN_CERTAIN_SCORE = 0.8;

/** Tells whether a row and a record are different people of the same name, by their e-mail addresses. */
const isDifferentPerson = (data: FieldValues, { reasons, fields }: Match): boolean =>
  reasons.length === 1 && reasons[0] === "name" && data["email"] !== undefined && fields["email"] !== undefined && data["email"] !== fields["email"];

/** Returns the record that a row represents, undefined for a new record, or an error when the matches are ambiguous. */
function selectRecord({ entityType, data, identity, referencedIds }: BulkRow, matches: readonly Match[]): Match | FieldError | undefined {
  const identified = matches.find(({ entityId, reasons }) => entityId === identity?.entityId && reasons.includes("id"));
  if (identified) return identified;
  const isOtherLease = ({ reasons, fields }: Match) => entityType === "lease" && !reasons.includes("id") && isOfOtherTenant(fields, referencedIds["tenant"]);
  const possible = matches.filter((match) => !isDifferentPerson(data, match) && !isOtherLease(match));
  const bestScore = Math.max(...possible.map((match) => bulkMatchScore(entityType, match)));
  const [first, ...others] = possible.filter((match) => bulkMatchScore(entityType, match) === bestScore);
  if (!first) return undefined;
  const path = data["name"] !== undefined ? "name" : "full_name";
  if (others.length > 0)
    return {
      path,
      code: "not_found",
      message: `More than one ${resourceName(entityType)} matches this row: ${[first, ...others].map(describe).join(", ")}. Identify it by its id.`,
    };
  if (bestScore >= MIN_CERTAIN_SCORE) return first;
  return {
    path,
    code: "not_found",
    message: `This may be ${describe(first)}, with the same ${first.reasons.join(" and ")}. If so, add its id to the row; if not, add an e-mail address that distinguishes the two.`,
  };
}

/** Returns the differences between a row and its record. Fields that the record's view does not contain are compared with the earlier file. */
function findChanges({ entityType, data, identity }: BulkRow, { entityId, fields }: Match): Candidate["changes"] {
  const comparable = new Set([...(comparableFields[entityType] ?? []), ...(additionalComparableFields[entityType] ?? [])]);
  const rowFields = Object.keys(data).filter(isRecordField);
  const earlier = identity?.entityId === entityId ? identity.data : {};
  return changesBetween(
    { ...earlier, ...Object.fromEntries([...comparable].map((name) => [name, fields[name]])) } as FieldValues,
    data,
    rowFields.filter(
      (name) => comparable.has(name) || changeableFields[entityType] === undefined || changeableFields[entityType].includes(name) || name in earlier,
    ),
  );
}

const unchangeableError = (entityType: ImportEntityType, { field, from }: Candidate["changes"][number]): FieldError => ({
  path: field,
  code: "not_allowed",
  message: isUnchangeable(entityType)
    ? `An import does not change a posted record. Correct the ${resourceName(entityType)} itself, or restore ${field}: ${from ?? "empty"}.`
    : `An import does not change ${field}. Change the ${resourceName(entityType)} itself, or restore the value: ${from ?? "empty"}.`,
});

/** Returns an error for each reference to another property, unit or lease than the record has, and for another tenant of a lease. */
function movedErrors({ entityType, referencedIds }: BulkRow, { fields }: Match): FieldError[] {
  if (entityType === "lease" && isOfOtherTenant(fields, referencedIds["tenant"]))
    return [{ path: "primary_tenant_source_id", code: "not_allowed", message: "The lease belongs to another tenant, and an import does not change that." }];
  return ["property", "unit", "lease"].flatMap((name) => {
    const [from, to] = [fields[name], referencedIds[name]];
    const message = `The ${resourceName(entityType)} belongs to another ${name}, and an import does not move it.`;
    return from === undefined || to === undefined || from === to ? [] : [{ path: `${name}_source_id`, code: "not_allowed", message }];
  });
}

/** Evaluates a row against its matches: whether it creates a record, updates one or leaves one unchanged, and its errors. */
export function evaluateRow(mode: BulkImportMode, row: BulkRow, matches: readonly Match[]): RowEvaluation {
  const newRecord: RowEvaluation = { verdict: "ready_create", entityId: null, changes: [], errors: [] };
  const record = selectRecord(row, matches);
  if (!record) return newRecord;
  if ("code" in record) return { ...newRecord, errors: [record] };
  const { entityType } = row;
  const { entityId } = record;
  if (mode === "create") {
    const alternative = typesDistinguishedById.has(entityType) ? "give it its own id if it is a different one" : "send the file with mode=upsert";
    const message = `This ${resourceName(entityType)} exists already: ${describe(record)}. Remove the row, or ${alternative}.`;
    return { ...newRecord, entityId, errors: [{ path: matchedField(row, record), code: "unique", message }] };
  }
  const allChanges = findChanges(row, record);
  const changeable = changeableFields[entityType];
  const isChangeable = ({ field }: Candidate["changes"][number]) => changeable === undefined || changeable.includes(field);
  // The status of an existing record changes by its own operations, so a different status is ignored.
  const refused = allChanges.filter((change) => !isChangeable(change) && change.field !== "status");
  const changes = allChanges.filter(isChangeable);
  const errors = [...refused.map((change) => unchangeableError(entityType, change)), ...movedErrors(row, record)];
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes, errors };
}
