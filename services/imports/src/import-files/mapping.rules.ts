/** How the mapping of a file is set right: by saying what the file is, by a saved mapping, or column by column. */
import type { BundleFile, ImportEntityType, ImportProvider } from "@freehold/contract/import-bundles";
import { invalid } from "@freehold/kit/errors";
import { normalized } from "../parsing/text.ts";
import type { Form } from "../providers/form.ts";
import { findForm, formAbout, formsOf, targetsOf } from "../providers/forms.ts";
import { confidenceOf, mapColumns } from "./map-columns.ts";

type Mapping = Record<string, string | null>;
export type MappedFile = Pick<BundleFile, "header" | "form" | "mapping" | "columnConfidence" | "mappingConfidence">;

export interface Correction {
  form?: string | undefined;
  entityType?: ImportEntityType | undefined;
  mapping?: Mapping | undefined;
  profile?: { provider: ImportProvider; entityType: ImportEntityType; mapping: Mapping } | undefined;
}

/** The form that is said, or one that fits what is said; undefined when nothing new is said. */
function formSaid(provider: ImportProvider, file: MappedFile, { form, entityType, profile }: Correction): Form | undefined {
  if (form !== undefined) {
    const found = findForm(provider, form);
    if (!found)
      throw invalid([
        {
          path: "form",
          code: "enum",
          message: `form must be one of: ${formsOf(provider)
            .map(({ name }) => name)
            .join(", ")}.`,
        },
      ]);
    if (entityType !== undefined && found.feeds[0]!.entityType !== entityType)
      throw invalid([{ path: "entityType", code: "mismatch", message: `${form} is about ${found.feeds[0]!.entityType}. Send one of the two.` }]);
    return found;
  }
  const about = entityType ?? profile?.entityType;
  const current = file.form === null ? undefined : findForm(provider, file.form);
  return about === undefined || current?.feeds[0]?.entityType === about ? undefined : formAbout(provider, about);
}

/** Two columns that mean the same field: the answer names both. */
export function refuseSharedFields(mapping: Mapping): void {
  const byField = Map.groupBy(
    Object.entries(mapping).filter(([, field]) => field !== null),
    ([, field]) => field,
  );
  const errors = [...byField].flatMap(([field, [first, ...others]]) =>
    others.map(([column]) => ({
      path: `mapping.${column}`,
      code: "unique",
      message: `"${first![0]}" and "${column}" both mean ${field}. Set one of them to null.`,
    })),
  );
  if (errors.length > 0) throw invalid(errors);
}

/** Fields that nobody knows, refused by the names of their columns. */
export function refuseUnknownFields(mapping: Mapping, targets: ReadonlySet<string>): void {
  const errors = Object.entries(mapping).flatMap(([column, field]) =>
    field === null || targets.has(field)
      ? []
      : [{ path: `mapping.${column}`, code: "not_allowed", message: `${field} is no field here. It can be: ${[...targets].join(", ")}.` }],
  );
  if (errors.length > 0) throw invalid(errors);
}

/** The mapping of a file after a correction. What is said of a column wins over what was found before. */
export function corrected(provider: ImportProvider, file: MappedFile, correction: Correction): Omit<MappedFile, "header"> {
  const said = formSaid(provider, file, correction);
  const form = said ?? (file.form === null ? undefined : findForm(provider, file.form));
  if (!form) throw invalid([{ path: "entityType", code: "required", message: "Nobody knows what the file holds. Say its entityType or its form first." }]);
  const found = said ? mapColumns(form, file.header, []) : file;
  const targets = targetsOf(form);
  const { mapping = {}, profile } = correction;
  const unknown = Object.keys(mapping).filter((column) => !file.header.includes(column));
  if (unknown.length > 0)
    throw invalid(
      unknown.map((column) => ({
        path: `mapping.${column}`,
        code: "not_found",
        message: `The file has no column "${column}". It has: ${file.header.join(", ")}.`,
      })),
    );
  refuseUnknownFields(mapping, targets);
  refuseSharedFields(mapping);
  const named = { ...saved(file.header, profile?.mapping ?? {}, targets), ...mapping };
  const taken = new Set(Object.values(named).filter((field) => field !== null));
  const merged = Object.fromEntries(
    file.header.map((column) => [column, column in named ? named[column]! : taken.has(found.mapping[column] ?? "") ? null : (found.mapping[column] ?? null)]),
  );
  refuseSharedFields(merged);
  const columnConfidence = { ...found.columnConfidence, ...Object.fromEntries(Object.keys(named).map((column) => [column, 1])) };
  return { form: form.name, mapping: merged, columnConfidence, mappingConfidence: confidenceOf(form, merged, columnConfidence) };
}

/** Of a saved mapping what this file has columns for, however their names are written here. */
function saved(header: readonly string[], mapping: Mapping, targets: ReadonlySet<string>): Mapping {
  const byName = new Map(Object.entries(mapping).map(([column, field]) => [normalized(column), field]));
  return Object.fromEntries(
    header.flatMap((column) => {
      const field = byName.get(normalized(column));
      return field === undefined || (field !== null && !targets.has(field)) ? [] : [[column, field]];
    }),
  );
}
