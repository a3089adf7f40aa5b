import type { FieldError } from "@freehold/contract/errors";

export type Mapping = Readonly<Record<string, string | null>>;

/** Replaces fields in the paths of errors by columns of the file, or of the template. Paths without a column remain unchanged. */
export function toColumnErrors(errors: readonly FieldError[], mapping: Mapping): FieldError[] {
  const columnByField = new Map(Object.entries(mapping).flatMap(([column, field]) => (field ? [[field, column]] : [])));
  const columnOf = (field: string) => columnByField.get(field) ?? templateColumns[field];
  return errors.map((error) => ({ ...error, path: columnOf(error.path) ?? columnOf(toField(error.path)) ?? error.path }));
}

/** Converts a member of a request body to its field: `unitId` to `unit_source_id`, `rentCents` to `rent`. */
const toField = (member: string): string =>
  member
    .replace(/Cents$/, "")
    .replace(/Id$/, "SourceId")
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Columns of the template for fields without a column in the file. */
const templateColumns: Readonly<Record<string, string>> = {
  source_id: "id",
  property_source_id: "property_name",
  unit_source_id: "unit_number",
  tenant_source_id: "tenant_name",
  primary_tenant_source_id: "tenant_name",
  primary_tenant_name: "tenant_name",
  lease_source_id: "unit_number",
  vendor_source_id: "vendor_name",
  incurred_on: "date",
  due_on: "due_date",
};
