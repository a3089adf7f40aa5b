import { expect, test } from "@jest/globals";
import type { FieldError } from "@freehold/contract/errors";
import { edited, editsBetween } from "./edit.rules.ts";

const wrong = (path: string): FieldError => ({ path, code: "format", message: "Wrong." });
const row = { data: { source_id: "O-1", full_name: "Olga Owner", phone: "+15185550101" }, parseErrors: [wrong("email"), wrong("postal_code")] };

test.each<[what: string, changes: Record<string, string | null>, left: string[]]>([
  ["a field that is set", { full_name: "Olga Other" }, ["email", "postal_code"]],
  ["a field that is emptied", { phone: null }, ["email", "postal_code"]],
  ["a wrong one that is set right", { email: "olga@example.com" }, ["postal_code"]],
  ["a wrong one that is emptied", { email: null }, ["postal_code"]],
  ["several", { email: null, phone: null, full_name: "Olga Other", city: "Albany" }, ["postal_code"]],
  ["nothing", {}, ["email", "postal_code"]],
])("%s is found again from what the row said and what it says now", (_, changes, left) => {
  const after = { data: edited("owner", row.data, changes), parseErrors: row.parseErrors.filter(({ path }) => left.includes(path)) };
  expect(editsBetween(row, after)).toEqual(changes);
});
