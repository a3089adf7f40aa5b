/** Forms of all providers, and queries over them. */
import type { ImportEntityType, ImportProvider } from "@freehold/contract/imports/import-bundles";
import { appfolio } from "./appfolio.ts";
import { buildium } from "./buildium.ts";
import { normalizeForMatching } from "../parsing/text.ts";
import { requiredFields } from "./fields.ts";
import type { Form, RowOutput } from "./form.ts";
import { entityFields } from "./generic.ts";
import { genericForms } from "./generic-forms.ts";
import { genericRentRoll } from "./generic-rent-roll.ts";

export const forms: Record<ImportProvider, readonly Form[]> = { generic: [...genericForms, genericRentRoll], appfolio: [...appfolio], buildium: [...buildium] };

/** Returns the forms that files of a provider can have: its own, then those of the generic template. */
export const availableForms = (provider: ImportProvider): readonly Form[] => (provider === "generic" ? forms.generic : [...forms[provider], ...genericForms]);

export const findForm = (provider: ImportProvider, name: string): Form | undefined => availableForms(provider).find((form) => form.name === name);

/** Returns the first form of a provider with this primary entity type. */
export const formForEntity = (provider: ImportProvider, entityType: ImportEntityType): Form =>
  availableForms(provider).find(({ outputs }) => outputs[0]!.entityType === entityType)!;

/** Returns the field of the row that contains a field of the entity. `source_id` must be named explicitly, since a row may produce several entities. */
export const rowFieldOf = ({ sourceFields = {} }: RowOutput, field: string): string | undefined =>
  sourceFields[field] ?? (field === "source_id" ? undefined : field);

/** Returns the fields to which columns of a form can be mapped. */
export function mappableFields({ outputs, columns }: Form): Set<string> {
  const outputFields = outputs.flatMap((output) => entityFields(output.entityType).flatMap((field) => rowFieldOf(output, field) ?? []));
  return new Set([...columns.flatMap(({ field }) => field ?? []), ...outputFields]);
}

/** Fields of a row that supply another field. */
const suppliers: Readonly<Record<string, string>> = { primary_tenant_name: "tenant_names", property_name: "street_line1" };

/**
 * Returns the fields that a file of the form requires, each with its alternatives. Forms with sections do not require the
 * property, because the headings name it.
 */
export function requiredFieldsOf(form: Form): string[][] {
  const outputFields = form.outputs
    .filter(({ isOptional, requires }, index) => index === 0 || (!isOptional && !requires))
    .flatMap((output) => requiredFields[output.entityType].map((names) => names.flatMap((field) => rowFieldOf(output, field) ?? [])));
  const rowType = form.rowType ? [[form.rowType.field]] : [];
  const ofForm = [...(form.requires ?? []), ...(form.kindColumns ? [form.kindColumns] : [])].map((names) => [...names]);
  const required = [...rowType, ...ofForm, ...outputFields].filter((names) => !form.hasSections || !names.includes("property_name"));
  return [...new Map(required.map((names) => [names.join("|"), names])).values()];
}

/** Tells whether a column has the type of a transaction, which a list of all kinds of transactions has, too. */
const isTransactionType = (column: string): boolean => /^(?:transaction )?type$/.test(normalizeForMatching(column));

/** Returns the required fields without a column, alternatives joined by `|`. */
export function missingFields(form: Form, mapping: Record<string, string | null>): string[] {
  const mapped = new Set(Object.values(mapping));
  const columns = new Set(form.columns.flatMap(({ field }) => field ?? []));
  const isMapped = (name: string) => mapped.has(name) || (suppliers[name] !== undefined && columns.has(suppliers[name]) && mapped.has(suppliers[name]));
  const kindFields = new Set(Object.entries(mapping).flatMap(([column, field]) => (field !== null && !isTransactionType(column) ? [field] : [])));
  const kind = form.kindColumns?.join("|");
  return requiredFieldsOf(form).flatMap((names) => {
    const key = names.join("|");
    return names.some(key === kind ? (name) => kindFields.has(name) : isMapped) ? [] : [key];
  });
}
