/** What becomes of a row: nothing is asked back, so whatever is not certain is an error that says what to do. */
import type { BulkImportMode } from "@freehold/contract/bulk-imports";
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate, ImportEntityType } from "@freehold/contract/import-bundles";
import type { Data } from "../../validation/draft.ts";
import { changesBetween, comparableFields, scoreOf, type Match, type Verdict } from "../../validation/match.rules.ts";

/** What of a row is looked at. */
export interface Judged {
  entityType: ImportEntityType;
  data: Data;
  /** The records that it belongs to, by the name that it has for them. */
  belongsTo: Readonly<Record<string, string>>;
  /** What an earlier file made of its id, and said of it then. */
  earlier: { entityId: string; data: Data } | undefined;
}

export type Judgement = Verdict & { errors: FieldError[] };

/** What of a record can be told by what it says, besides what bundles compare. */
const alsoComparable: Partial<Record<ImportEntityType, readonly string[]>> = {
  unit: ["status"],
  lease: ["lease_kind"],
  charge: ["amount", "due_date", "type", "label"],
  payment: ["amount", "received_date", "method", "check_number"],
  recurring_charge: ["amount", "label", "kind", "day_of_month", "start_date", "end_date"],
  work_order: ["title", "description", "priority", "estimate"],
};

/** What a row can change of a record that is there; of types that are left out, all of it. */
const changeable: Partial<Record<ImportEntityType, readonly string[]>> = {
  lease: ["end_date", "term_type", "rent_charge_day", "late_fee_type", "late_fee_amount", "late_fee_percent", "late_fee_grace_days", "move_in_date"],
  charge: [],
  payment: [],
  recurring_charge: [],
  work_order: ["title", "description", "priority", "estimate", "created_date", "scheduled_date"],
};

/** What names others, or the row itself, is no field of the record. */
const isField = (name: string): boolean => !/(?:source_id|property_name|tenant_name|vendor_name)$/.test(name);
/** Several of them may be alike in all that a row says. */
const mayBeAlike = new Set<ImportEntityType>(["charge", "payment", "recurring_charge", "work_order"]);
const isPosted = (type: ImportEntityType): boolean => changeable[type]?.length === 0;

const said = (type: string): string => type.replaceAll("_", " ");
const shown = ({ displayName, entityId }: Match): string => `${displayName} (${entityId})`;

const reasonField: Record<string, string> = { email: "email", address: "street_line1", number: "unit_number", "first day": "start_date" };

/** The field by which a row was recognised. */
const pathOf = ({ data }: Judged, { reasons }: Match): string => {
  if (reasons.includes("id")) return "source_id";
  const found = reasons.map((reason) => reasonField[reason]).find(Boolean);
  return found ?? (data["name"] !== undefined ? "name" : "full_name");
};

/** How sure it is that a row is a record: a property and a vendor have their names for themselves. */
const sureness = (type: ImportEntityType, { reasons }: Match): number =>
  reasons.includes("id") ? 2 : scoreOf(type, type === "property" && reasons.includes("name") ? [...reasons, "email"] : reasons);
const CERTAIN = 0.8;

/** Two people of one name with an e-mail address each are two. */
const isAnother = (data: Data, { reasons, fields }: Match): boolean =>
  reasons.length === 1 && reasons[0] === "name" && data["email"] !== undefined && fields["email"] !== undefined && data["email"] !== fields["email"];

/** The one record that a row is, if there is one, or the error that nobody can tell. */
function recordOf({ entityType, data, earlier }: Judged, matches: readonly Match[]): Match | FieldError | undefined {
  const remembered = matches.find(({ entityId, reasons }) => entityId === earlier?.entityId && reasons.includes("id"));
  if (remembered) return remembered;
  const possible = matches.filter((match) => !isAnother(data, match));
  const best = Math.max(...possible.map((match) => sureness(entityType, match)));
  const [first, ...others] = possible.filter((match) => sureness(entityType, match) === best);
  if (!first) return undefined;
  const path = data["name"] !== undefined ? "name" : "full_name";
  if (others.length > 0)
    return {
      path,
      code: "not_found",
      message: `Several ${said(entityType)}s could be this one: ${[first, ...others].map(shown).join(", ")}. Say which by its id.`,
    };
  if (best >= CERTAIN) return first;
  return {
    path,
    code: "not_found",
    message: `This could be ${shown(first)}, who has the same ${first.reasons.join(" and ")}. Give its id if it is, and an e-mail address that tells the two apart if it is not.`,
  };
}

/** What a row says otherwise than the record: by what the record says itself, and by what an earlier file said where that does not show. */
function differences({ entityType, data, earlier }: Judged, { entityId, fields }: Match): Candidate["changes"] {
  const comparable = new Set([...(comparableFields[entityType] ?? []), ...(alsoComparable[entityType] ?? [])]);
  const given = Object.keys(data).filter(isField);
  const before = earlier?.entityId === entityId ? earlier.data : {};
  return changesBetween(
    { ...before, ...Object.fromEntries([...comparable].map((name) => [name, fields[name]])) } as Data,
    data,
    given.filter((name) => comparable.has(name) || changeable[entityType] === undefined || changeable[entityType].includes(name) || name in before),
  );
}

const unchangeable = (entityType: ImportEntityType, { field, from }: Candidate["changes"][number]): FieldError => ({
  path: field,
  code: "not_allowed",
  message: isPosted(entityType)
    ? `What was posted is not changed by an import. Correct the ${said(entityType)} in the books, or leave ${field} as it was: ${from ?? "empty"}.`
    : `An import does not change ${field}. Change the ${said(entityType)} itself, or leave it as it was: ${from ?? "empty"}.`,
});

/** A record stays where it is. */
function moved({ entityType, belongsTo }: Judged, { fields }: Match): FieldError[] {
  return ["property", "unit", "lease"].flatMap((name) => {
    const [from, to] = [fields[name], belongsTo[name]];
    return from === undefined || to === undefined || from === to
      ? []
      : [{ path: `${name}_source_id`, code: "not_allowed", message: `The ${said(entityType)} belongs to another ${name}, and an import does not move it.` }];
  });
}

/** Whether a row is new, changes a record or says what is so, or why it can be none of these. */
export function judgeRow(mode: BulkImportMode, row: Judged, matches: readonly Match[]): Judgement {
  const fresh: Judgement = { verdict: "ready_create", entityId: null, changes: [], errors: [] };
  const found = recordOf(row, matches);
  if (!found) return fresh;
  if ("code" in found) return { ...fresh, errors: [found] };
  const { entityType } = row;
  const { entityId } = found;
  if (mode === "create") {
    const otherwise = mayBeAlike.has(entityType) ? "give it an id of its own if it is another one" : "send the file with mode=upsert";
    const message = `There is this ${said(entityType)} already: ${shown(found)}. Leave the row out, or ${otherwise}.`;
    return { ...fresh, entityId, errors: [{ path: pathOf(row, found), code: "unique", message }] };
  }
  const different = differences(row, found);
  const able = changeable[entityType];
  const isWritten = ({ field }: Candidate["changes"][number]) => able === undefined || able.includes(field);
  // A status is that of a new record: later it moves by what is done with it.
  const stuck = different.filter((change) => !isWritten(change) && change.field !== "status");
  const changes = different.filter(isWritten);
  const errors = [...stuck.map((change) => unchangeable(entityType, change)), ...moved(row, found)];
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes, errors };
}
