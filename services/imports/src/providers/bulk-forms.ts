/** Forms of bulk imports: the columns of the generic templates, with related records identified by name. */
import { bulkEntityTypes, type BulkEntityType } from "@freehold/contract/imports/bulk-imports";
import { rowEntityTypes } from "../bulk-imports/bulk-import.rules.ts";
import { type Form, formColumn, type FormColumn } from "./form.ts";
import { requiredFieldsOf } from "./forms.ts";
import { allSheets } from "./generic.ts";

const property = formColumn("property_name", "property_name", "Maple Court", "property");
const unit = formColumn("unit_number", "unit_number", "101", "unit");
const tenant = (field: string) => formColumn("tenant_name", field, "Sam Sample", "tenant", "tenant_email");
const vendor = formColumn("vendor_name", "vendor_name", "Brightwater Plumbing", "vendor");

/** Template columns that refer to other records by name or number. */
const referenceColumns: Record<BulkEntityType, readonly FormColumn[]> = {
  properties: [],
  units: [property],
  owners: [],
  tenants: [],
  vendors: [],
  leases: [property, unit, tenant("primary_tenant_name")],
  charges: [property, unit, tenant("tenant_name")],
  payments: [property, unit, tenant("tenant_name"), formColumn("charge_id", "applied_to_charge_source_id", "", "applied_to_charge_source_id")],
  expenses: [property, unit, vendor],
  recurring_charges: [property, unit, tenant("tenant_name")],
  work_orders: [property, unit, vendor],
};

const idColumn = (resource: string, field = `${resource}_source_id`) => formColumn(`${resource}_id`, field, "", field);

/** Additional columns that refer to other records by id. */
const referenceIdColumns: Record<BulkEntityType, readonly FormColumn[]> = {
  properties: [],
  units: [idColumn("property")],
  owners: [],
  tenants: [],
  vendors: [],
  leases: [idColumn("property"), idColumn("unit"), idColumn("tenant", "primary_tenant_source_id")],
  charges: [idColumn("property"), idColumn("tenant"), idColumn("lease")],
  payments: [idColumn("property"), idColumn("tenant"), idColumn("lease")],
  expenses: [idColumn("property"), idColumn("unit"), idColumn("vendor")],
  recurring_charges: [idColumn("property"), idColumn("tenant"), idColumn("lease")],
  work_orders: [idColumn("property"), idColumn("unit"), idColumn("vendor")],
};

const isOwnField = (name: string): boolean => !name.endsWith("source_id") && name !== "co_tenants";

function templateColumns(type: BulkEntityType): FormColumn[] {
  const sheet = allSheets.find(({ entityType }) => entityType === rowEntityTypes[type])!;
  const example = sheet.columns.find(({ name }) => name === "source_id")?.example ?? "";
  const referenceFields = new Set(["primary_tenant_name", ...referenceColumns[type].map(({ field }) => field)]);
  const ownColumns = sheet.columns.filter(({ name }) => isOwnField(name) && !referenceFields.has(name));
  return [
    formColumn("id", "source_id", example, "source_id"),
    ...referenceColumns[type],
    ...ownColumns.map((column) => formColumn(column.name, column.name, column.example)),
  ];
}

function createForm(type: BulkEntityType): Form {
  const columns = [...templateColumns(type), ...referenceIdColumns[type]];
  const entityType = rowEntityTypes[type];
  const { description } = allSheets.find((sheet) => sheet.entityType === entityType)!;
  return {
    name: type,
    description,
    columns,
    outputs: [{ entityType, sourceFields: { source_id: "source_id" }, noDefaults: true, extraFields: columns.flatMap(({ field }) => field ?? []) }],
  };
}

const bulkForms = Object.fromEntries(bulkEntityTypes.map((type) => [type, createForm(type)])) as Record<BulkEntityType, Form>;

export const bulkForm = (type: BulkEntityType): Form => bulkForms[type];

/** Returns the header and the example row of a template. */
export function bulkTemplate(type: BulkEntityType): { columns: string[]; example: Record<string, string> } {
  const columns = templateColumns(type);
  return { columns: columns.map(({ header }) => header), example: Object.fromEntries(columns.map(({ header, example }) => [header, example])) };
}

/** Returns the missing required columns, each as a list of alternative column names, with the columns of the template first. */
export function missingColumns(type: BulkEntityType, mapping: Record<string, string | null>): string[][] {
  const mapped = new Set(Object.values(mapping));
  const { columns } = bulkForms[type];
  return requiredFieldsOf(bulkForms[type]).flatMap((fields) =>
    fields.some((field) => mapped.has(field)) ? [] : [columns.flatMap(({ field, header }) => (field && fields.includes(field) ? [header] : []))],
  );
}
