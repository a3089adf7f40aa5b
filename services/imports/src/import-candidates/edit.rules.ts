import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { invalid } from "@freehold/kit/errors";
import { clean, isProblem } from "../parsing/parsed.ts";
import { parseField } from "../providers/fields.ts";
import { fieldsOf } from "../providers/generic.ts";
import type { Data } from "../validating/draft.ts";

/** The fields of a candidate after somebody set them right; what they hold is read as a cell is. */
export function edited(entityType: ImportEntityType, before: Data, changes: Record<string, string | null>): Data {
  const known = fieldsOf(entityType);
  const errors: FieldError[] = [];
  const data: Data = { ...before };
  for (const [field, given] of Object.entries(changes)) {
    const path = `data.${field}`;
    const text = clean(given ?? "");
    if (!known.includes(field)) errors.push({ path, code: "unrecognized_key", message: `${field} is no field of ${entityType}. It has: ${known.join(", ")}.` });
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
