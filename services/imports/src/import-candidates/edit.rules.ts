import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { invalid } from "@freehold/kit/errors";
import { cleanCell, isProblem } from "../parsing/parsed.ts";
import { isPlaceholderValue, parseField } from "../providers/fields.ts";
import { entityFields } from "../providers/generic.ts";
import type { OriginalRow } from "../validation/candidates.queries.ts";
import type { FieldValues } from "../validation/draft.ts";

/** Applies manual edits to the fields of a candidate. Values are parsed like cells; null and empty text remove a field. */
export function applyEdits(entityType: ImportEntityType, before: FieldValues, edits: Record<string, string | null>): FieldValues {
  const fields = entityFields(entityType);
  const errors: FieldError[] = [];
  const data: FieldValues = { ...before };
  for (const [field, input] of Object.entries(edits)) {
    const path = `data.${field}`;
    const text = cleanCell(input ?? "", (each) => isPlaceholderValue(entityType, field, each));
    if (!fields.includes(field))
      errors.push({ path, code: "unrecognized_key", message: `${field} is not a field of ${entityType}. Its fields are: ${fields.join(", ")}.` });
    else if (text === "") delete data[field];
    else {
      const parsed = parseField(entityType, field, text);
      if (isProblem(parsed)) errors.push({ path, code: "format", message: `${field}: ${parsed.problem}` });
      else data[field] = parsed.value;
    }
  }
  if (errors.length > 0) throw invalid(errors);
  return data;
}

/** Returns the edits that lead from the row to the candidate. Null removes a field, or the parse error of a field without a value. */
export function editsBetween(before: OriginalRow, after: OriginalRow): Record<string, string | null> {
  const changed = Object.entries(after.data).filter(([field, text]) => before.data[field] !== text);
  const removed = Object.keys(before.data).filter((field) => after.data[field] === undefined);
  const dismissed = before.parseErrors.flatMap(({ path }) =>
    after.data[path] === undefined && !after.parseErrors.some((error) => error.path === path) ? [path] : [],
  );
  return { ...Object.fromEntries([...removed, ...dismissed].map((field) => [field, null])), ...Object.fromEntries(changed) };
}
