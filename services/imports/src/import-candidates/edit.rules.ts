import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { invalid } from "@freehold/kit/errors";
import { clean, isProblem } from "../parsing/parsed.ts";
import { parseField } from "../providers/fields.ts";
import { fieldsOf } from "../providers/generic.ts";
import type { Original } from "../validation/candidates.queries.ts";
import type { Data } from "../validation/draft.ts";

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

/** What somebody set of a candidate, by what its row said and what it says now; null where they emptied a field, or only what was wrong in it. */
export function editsBetween(before: Original, after: Original): Record<string, string | null> {
  const set = Object.entries(after.data).filter(([field, text]) => before.data[field] !== text);
  const emptied = Object.keys(before.data).filter((field) => after.data[field] === undefined);
  const dropped = before.parseErrors.flatMap(({ path }) =>
    after.data[path] === undefined && !after.parseErrors.some((each) => each.path === path) ? [path] : [],
  );
  return { ...Object.fromEntries([...emptied, ...dropped].map((field) => [field, null])), ...Object.fromEntries(set) };
}
