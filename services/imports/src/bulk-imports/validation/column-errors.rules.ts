import type { FieldError } from "@freehold/contract/errors";

export type Mapping = Readonly<Record<string, string | null>>;

/** Errors by the columns of the file, where it has one for what is wrong; what another service refused is told in that one's words. */
export function inColumns(errors: readonly FieldError[], mapping: Mapping): FieldError[] {
  const columns = new Map(Object.entries(mapping).flatMap(([column, field]) => (field ? [[field, column]] : [])));
  const columnOf = (field: string) => columns.get(field) ?? inTemplate[field];
  return errors.map((error) => ({ ...error, path: columnOf(error.path) ?? columnOf(fieldOf(error.path)) ?? error.path }));
}

/** The field of a file that gives a member of a body: `unitId` comes of `unit_source_id`, `rentCents` of `rent`. */
const fieldOf = (member: string): string =>
  member
    .replace(/Cents$/, "")
    .replace(/Id$/, "SourceId")
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What the template calls a field that the file has no column for. */
const inTemplate: Readonly<Record<string, string>> = {
  source_id: "id",
  property_source_id: "property_name",
  unit_source_id: "unit_number",
  tenant_source_id: "tenant_name",
  primary_tenant_source_id: "tenant_name",
  primary_tenant_name: "tenant_name",
  lease_source_id: "unit_number",
  vendor_source_id: "vendor_name",
};
