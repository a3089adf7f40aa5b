import { expect, test } from "@jest/globals";
import type { FieldError } from "@freehold/contract/errors";
import { applyEdits, editsBetween } from "./edit.rules.ts";

const formatError = (path: string): FieldError => ({ path, code: "format", message: "The value is invalid." });
const before = { data: { source_id: "O-1", full_name: "Olga Owner", phone: "+15185550101" }, parseErrors: [formatError("email"), formatError("postal_code")] };

test.each<[edited: string, edits: Record<string, string | null>, remainingErrorPaths: string[]]>([
  ["a changed field", { full_name: "Olga Other" }, ["email", "postal_code"]],
  ["an emptied field", { phone: null }, ["email", "postal_code"]],
  ["a corrected invalid field", { email: "olga@example.com" }, ["postal_code"]],
  ["an emptied invalid field", { email: null }, ["postal_code"]],
  ["several fields", { email: null, phone: null, full_name: "Olga Other", city: "Albany" }, ["postal_code"]],
  ["no field", {}, ["email", "postal_code"]],
])("editsBetween returns the edits of %s", (_, edits, remainingErrorPaths) => {
  const after = { data: applyEdits("owner", before.data, edits), parseErrors: before.parseErrors.filter(({ path }) => remainingErrorPaths.includes(path)) };
  expect(editsBetween(before, after)).toEqual(edits);
});
