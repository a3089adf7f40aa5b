/** The columns of bulk imports: those of our templates, with what a row belongs to named as people name it. */
import { bulkEntityTypes, type BulkEntityType } from "@freehold/contract/bulk-imports";
import { rowType } from "../bulk-imports/bulk-import.rules.ts";
import { known, type Form, type FormColumn } from "./form.ts";
import { sheets } from "./generic.ts";
import { requiredOf } from "./forms.ts";

const property = known("property_name", "property_name", "Maple Court", "property");
const unit = known("unit_number", "unit_number", "101", "unit");
const tenant = (field: string) => known("tenant_name", field, "Sam Sample", "tenant", "tenant_email");
const vendor = known("vendor_name", "vendor_name", "Brightwater Plumbing", "vendor");

/** How a row names what it belongs to, as the template has it. */
const named: Record<BulkEntityType, readonly FormColumn[]> = {
  properties: [],
  units: [property],
  owners: [],
  tenants: [],
  vendors: [],
  leases: [property, unit, tenant("primary_tenant_name")],
  charges: [property, unit, tenant("tenant_name")],
  payments: [property, unit, tenant("tenant_name"), known("charge_id", "applied_to_charge_source_id", "", "applied_to_charge_source_id")],
  recurring_charges: [property, unit, tenant("tenant_name")],
  work_orders: [property, unit, vendor],
};

const idOf = (what: string, field = `${what}_source_id`) => known(`${what}_id`, field, "", field);

/** The same by ids, for those who have them. */
const identified: Record<BulkEntityType, readonly FormColumn[]> = {
  properties: [],
  units: [idOf("property")],
  owners: [],
  tenants: [],
  vendors: [],
  leases: [idOf("property"), idOf("unit"), idOf("tenant", "primary_tenant_source_id")],
  charges: [idOf("property"), idOf("tenant"), idOf("lease")],
  payments: [idOf("property"), idOf("tenant"), idOf("lease")],
  recurring_charges: [idOf("property"), idOf("tenant"), idOf("lease")],
  work_orders: [idOf("property"), idOf("unit"), idOf("vendor")],
};

const isOwn = (name: string): boolean => !name.endsWith("source_id") && name !== "co_tenants";

/** The columns of the template of a type. */
function printedColumns(type: BulkEntityType): FormColumn[] {
  const sheet = sheets.find(({ entityType }) => entityType === rowType[type])!;
  const example = sheet.columns.find(({ name }) => name === "source_id")?.example ?? "";
  const names = new Set(["primary_tenant_name", ...named[type].map(({ field }) => field)]);
  const own = sheet.columns.filter(({ name }) => isOwn(name) && !names.has(name));
  return [known("id", "source_id", example, "source_id"), ...named[type], ...own.map((column) => known(column.name, column.name, column.example))];
}

function formFor(type: BulkEntityType): Form {
  const columns = [...printedColumns(type), ...identified[type]];
  const entityType = rowType[type];
  const says = sheets.find((sheet) => sheet.entityType === entityType)!.says;
  return {
    name: type,
    says,
    columns,
    feeds: [{ entityType, from: { source_id: "source_id" }, asSaid: true, also: columns.flatMap(({ field }) => field ?? []) }],
  };
}

const bulkForms = Object.fromEntries(bulkEntityTypes.map((type) => [type, formFor(type)])) as Record<BulkEntityType, Form>;

/** What a file of a type has to look like. */
export const bulkForm = (type: BulkEntityType): Form => bulkForms[type];

/** The header and the example row of a template. */
export function bulkTemplate(type: BulkEntityType): { columns: string[]; example: Record<string, string> } {
  const columns = printedColumns(type);
  return { columns: columns.map(({ header }) => header), example: Object.fromEntries(columns.map(({ header, example }) => [header, example])) };
}

/** Which columns a mapping lacks: each as the names that would do, those of the template first. */
export function missingColumns(type: BulkEntityType, mapping: Record<string, string | null>): string[][] {
  const given = new Set(Object.values(mapping));
  const { columns } = bulkForms[type];
  return requiredOf(bulkForms[type]).flatMap((fields) =>
    fields.some((field) => given.has(field)) ? [] : [columns.flatMap(({ field, header }) => (field && fields.includes(field) ? [header] : []))],
  );
}
