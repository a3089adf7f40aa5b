/** Sheets of the templates: those of the generic one, and those of another system with its own names of files and columns. */
import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { Form, FormColumn } from "../providers/form.ts";
import { findForm, forms, requiredFieldsOf, rowFieldOf } from "../providers/forms.ts";
import { allSheets, type Sheet, type SheetColumn, templateSheets } from "../providers/generic.ts";

export interface TemplateColumn extends SheetColumn {
  isRequired?: true;
}

/** Sheet of a template, which marks its required columns. */
export interface TemplateSheet extends Sheet {
  columns: readonly TemplateColumn[];
}

/** Descriptions of fields that the generic template does not have. */
const additionalDescriptions: Record<string, string> = {
  bed_bath: "Bedrooms and bathrooms in one cell, such as 2/1.5.",
  transaction_type: "Charge or Payment. Rows of other types, such as refunds and credits, are not imported and are listed with the reason.",
  gl_account: "Income account, which determines the kind of charge.",
};

/** Returns the description of a column: that of its field in the generic template, if there is one. */
function describe({ outputs }: Form, { field }: FormColumn): string {
  if (field === null) return "Stored with the row; has no effect.";
  for (const output of outputs)
    for (const { name, description } of allSheets.find(({ entityType }) => entityType === output.entityType)?.columns ?? [])
      if (rowFieldOf(output, name) === field) return description;
  return additionalDescriptions[field] ?? "Used if the file has it.";
}

/** Returns the fields of a form that every row needs, without those that have an alternative. */
const fieldsWithoutAlternative = (form: Form): Set<string> => new Set(requiredFieldsOf(form).flatMap((names) => (names.length === 1 ? names : [])));

/** Returns the sheets of a provider's template. */
export const providerSheets = (provider: ImportProvider): TemplateSheet[] => (provider === "generic" ? genericSheets() : forms[provider].map(systemSheet));

const genericSheets = (): TemplateSheet[] =>
  templateSheets.map((sheet) => {
    const required = fieldsWithoutAlternative(findForm("generic", sheet.file)!);
    return { ...sheet, columns: sheet.columns.map((column) => ({ ...column, ...(required.has(column.name) && { isRequired: true }) })) };
  });

function systemSheet(form: Form): TemplateSheet {
  const required = fieldsWithoutAlternative(form);
  const columns = form.columns.map((column): TemplateColumn => ({
    name: column.header,
    description: describe(form, column),
    example: column.example,
    ...(column.field && required.has(column.field) && { isRequired: true }),
  }));
  return { file: form.name, entityType: form.outputs[0]!.entityType, description: form.description, columns };
}
