/** Correction of a file's mapping: by declaring its form, by applying a mapping profile, or column by column. */
import type { BundleFile, ImportEntityType, ImportProvider } from "@freehold/contract/imports/import-bundles";
import { invalid } from "@freehold/kit/errors";
import { normalizeForMatching } from "../parsing/text.ts";
import type { Form } from "../providers/form.ts";
import { availableForms, findForm, formForEntity, mappableFields } from "../providers/forms.ts";
import { mapColumns, mappingConfidenceOf } from "./map-columns.ts";

type Mapping = Record<string, string | null>;
export type MappedFile = Pick<BundleFile, "header" | "form" | "mapping" | "columnConfidence" | "mappingConfidence">;

export interface Correction {
  form?: string | undefined;
  entityType?: ImportEntityType | undefined;
  mapping?: Mapping | undefined;
  profile?: { provider: ImportProvider; entityType: ImportEntityType; mapping: Mapping } | undefined;
}

/** Returns the form that a correction declares, directly or by entity type, or undefined when it keeps the current form. */
function declaredForm(provider: ImportProvider, file: MappedFile, { form: formName, entityType, profile }: Correction): Form | undefined {
  if (formName !== undefined) {
    const form = findForm(provider, formName);
    if (!form)
      throw invalid([
        {
          path: "form",
          code: "enum",
          message: `form must be one of: ${availableForms(provider)
            .map(({ name }) => name)
            .join(", ")}.`,
        },
      ]);
    const primaryType = form.outputs[0]!.entityType;
    if (entityType !== undefined && primaryType !== entityType)
      throw invalid([{ path: "entityType", code: "mismatch", message: `The entity type of ${formName} is ${primaryType}. Send either form or entityType.` }]);
    return form;
  }
  const declaredType = entityType ?? profile?.entityType;
  const current = file.form === null ? undefined : findForm(provider, file.form);
  return declaredType === undefined || current?.outputs[0]?.entityType === declaredType ? undefined : formForEntity(provider, declaredType);
}

/** Throws 400 unless each field has at most one column; the error names both columns. */
export function requireUniqueFields(mapping: Mapping): void {
  const byField = Map.groupBy(
    Object.entries(mapping).filter(([, field]) => field !== null),
    ([, field]) => field,
  );
  const errors = [...byField].flatMap(([field, [first, ...others]]) =>
    others.map(([column]) => ({
      path: `mapping.${column}`,
      code: "unique" as const,
      message: `"${first![0]}" and "${column}" are both mapped to ${field}. Set one of them to null.`,
    })),
  );
  if (errors.length > 0) throw invalid(errors);
}

/** Throws 400 unless every column is mapped to one of the fields or to null. */
export function requireMappableFields(mapping: Mapping, fields: ReadonlySet<string>): void {
  const errors = Object.entries(mapping).flatMap(([column, field]) =>
    field === null || fields.has(field)
      ? []
      : [
          {
            path: `mapping.${column}`,
            code: "not_allowed" as const,
            message: `${field} is not a field of this form. The fields are: ${[...fields].join(", ")}.`,
          },
        ],
  );
  if (errors.length > 0) throw invalid(errors);
}

/** Returns the form and mapping of a file after a correction. Columns that the correction names take precedence over detected ones. */
export function applyCorrection(provider: ImportProvider, file: MappedFile, correction: Correction): Omit<MappedFile, "header"> {
  const newForm = declaredForm(provider, file, correction);
  const form = newForm ?? (file.form === null ? undefined : findForm(provider, file.form));
  if (!form) throw invalid([{ path: "entityType", code: "required", message: "The file's entity type could not be detected. Set entityType or form." }]);
  const current = newForm ? mapColumns(form, file.header, []) : file;
  const fields = mappableFields(form);
  const { mapping = {}, profile } = correction;
  const unknownColumns = Object.keys(mapping).filter((column) => !file.header.includes(column));
  if (unknownColumns.length > 0)
    throw invalid(
      unknownColumns.map((column) => ({
        path: `mapping.${column}`,
        code: "not_found",
        message: `The file has no column "${column}". It has: ${file.header.join(", ")}.`,
      })),
    );
  requireMappableFields(mapping, fields);
  requireUniqueFields(mapping);
  const explicitMapping = { ...profileMapping(file.header, profile?.mapping ?? {}, fields), ...mapping };
  const assignedFields = new Set(Object.values(explicitMapping).filter((field) => field !== null));
  const mergedMapping = Object.fromEntries(
    file.header.map((column) => [
      column,
      column in explicitMapping ? explicitMapping[column]! : assignedFields.has(current.mapping[column] ?? "") ? null : (current.mapping[column] ?? null),
    ]),
  );
  requireUniqueFields(mergedMapping);
  const columnConfidence = { ...current.columnConfidence, ...Object.fromEntries(Object.keys(explicitMapping).map((column) => [column, 1])) };
  return { form: form.name, mapping: mergedMapping, columnConfidence, mappingConfidence: mappingConfidenceOf(form, mergedMapping, columnConfidence) };
}

/** Returns the part of a profile that applies to the columns of this file. Column names are compared normalized. */
function profileMapping(header: readonly string[], mapping: Mapping, fields: ReadonlySet<string>): Mapping {
  const byName = new Map(Object.entries(mapping).map(([column, field]) => [normalizeForMatching(column), field]));
  return Object.fromEntries(
    header.flatMap((column) => {
      const field = byName.get(normalizeForMatching(column));
      return field === undefined || (field !== null && !fields.has(field)) ? [] : [[column, field]];
    }),
  );
}
