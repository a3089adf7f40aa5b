/** The exports of another system as sheets: its own names for files and columns, and what each column gives. */
import type { ImportProvider } from "@freehold/contract/import-bundles";
import type { Form, FormColumn } from "../providers/form.ts";
import { sheets, type Column, type Sheet } from "../providers/generic.ts";
import { forms, requiredOf, rowField } from "../providers/forms.ts";

/** What two columns of other systems say that no column of ours does. */
const own: Record<string, string> = {
  bed_bath: "Bedrooms and bathrooms in one cell, such as 2/1.5.",
  transaction_type: "Charge or Payment.",
  gl_account: "The income account; it says what kind of charge it is.",
  tenant_status: "Kept with the row.",
};

/** What our templates say of the field that a column gives. */
function says({ feeds }: Form, { field }: FormColumn): string {
  if (field === null) return "Kept with the row; it changes nothing.";
  for (const feed of feeds)
    for (const { name, says } of sheets.find(({ entityType }) => entityType === feed.entityType)?.columns ?? [])
      if (rowField(feed, name) === field) return says;
  return own[field] ?? "Used where the system has it.";
}

/** The sheets of a provider's templates. */
export const sheetsOf = (provider: ImportProvider): Sheet[] =>
  forms[provider].map((form) => {
    const required = new Set(requiredOf(form).flatMap((names) => (names.length === 1 ? names : [])));
    const columns = form.columns.map((column): Column => ({
      name: column.header,
      says: says(form, column),
      example: column.example,
      ...(column.field && required.has(column.field) && { isRequired: true }),
    }));
    return { file: form.name, entityType: form.feeds[0]!.entityType, says: form.says, columns };
  });
