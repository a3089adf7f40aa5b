/** How each entity is called, recognised and tied to others, from its fields alone. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { normalized } from "../parsing/text.ts";
import { needs } from "../providers/fields.ts";
import type { Data, Ref } from "./draft.ts";

/** The name of a person or a company, however its parts were given. */
export const nameOf = ({ full_name, first_name, last_name, company_name, name }: Data): string =>
  name ?? full_name ?? ([first_name, last_name].filter(Boolean).join(" ") || company_name || "");

const parts = (...texts: (string | undefined)[]): string => texts.map((text) => normalized(text ?? "")).join("/");
const placeOf = ({ property_source_id, property_name, unit_source_id, unit_number }: Data): string =>
  unit_source_id ?? parts(property_source_id ?? property_name, unit_number);
const leaseOf = (data: Data): string => data["lease_source_id"] ?? parts(data["property_name"], data["unit_number"]);

/** What an id is made of where the row has none: what says, in every export, that it is the same record. */
export function derivedId(entityType: ImportEntityType, data: Data, rowNumber: number): string {
  const made: Record<ImportEntityType, () => string> = {
    owner: () => parts(nameOf(data), data["email"]),
    vendor: () => parts(nameOf(data)),
    property: () => parts(nameOf(data)),
    ownership: () => `${data["property_source_id"] ?? parts(data["property_name"])}/${data["owner_source_id"] ?? parts(data["owner_name"])}`,
    unit: () => placeOf(data),
    tenant: () => (data["unit_number"] ? `${parts(nameOf(data))}/${placeOf(data)}` : parts(nameOf(data), data["email"])),
    lease: () => `${placeOf(data)}/${data["start_date"] ?? ""}/${data["primary_tenant_source_id"] ?? parts(data["primary_tenant_name"])}`,
    occupant: () => `${leaseOf(data)}/${data["tenant_source_id"] ?? parts(data["tenant_name"])}`,
    recurring_charge: () => `${leaseOf(data)}/${parts(data["label"])}/${data["start_date"] ?? ""}`,
    deposit: () => leaseOf(data),
    opening_balance: () => leaseOf(data),
    // Two of the same amount on the same day are two.
    charge: () => `${leaseOf(data)}/${data["date"] ?? ""}/${data["amount"] ?? ""}/${rowNumber}`,
    payment: () => `${leaseOf(data)}/${data["received_date"] ?? ""}/${data["amount"] ?? ""}/${rowNumber}`,
    work_order: () => `${placeOf(data)}/${parts(data["title"])}/${rowNumber}`,
  };
  return `~${made[entityType]()}`.slice(0, 400);
}

/** What people read of it in a list. */
export function displayNameOf(entityType: ImportEntityType, data: Data): string {
  const place = [data["property_name"] ?? data["property_source_id"], data["unit_number"] ?? data["unit_source_id"]].filter(Boolean).join(" ");
  const lease = data["lease_source_id"]?.replace(/^~/, "") ?? place;
  const shown: Partial<Record<ImportEntityType, string>> = {
    ownership: [data["property_name"] ?? data["property_source_id"], data["owner_name"] ?? data["owner_source_id"]].filter(Boolean).join(": "),
    unit: place,
    lease: [place, data["primary_tenant_name"] ?? data["primary_tenant_source_id"]].filter(Boolean).join(", "),
    occupant: data["tenant_name"] ?? data["tenant_source_id"] ?? "",
    recurring_charge: [data["label"], lease].filter(Boolean).join(", "),
    deposit: lease,
    opening_balance: lease,
    charge: [data["label"] ?? data["type"] ?? "charge", data["date"], lease].filter(Boolean).join(", "),
    payment: [data["tenant_name"] ?? data["method"] ?? "payment", data["received_date"], lease].filter(Boolean).join(", "),
    work_order: data["title"] ?? "",
  };
  return (shown[entityType] ?? nameOf(data)).slice(0, 300);
}

const ref = (name: string, entityType: ImportEntityType, isRequired: boolean, data: Data, idField: string, textField: string): Ref[] => {
  const [id, text] = [data[idField], data[textField]];
  return id === undefined && text === undefined
    ? []
    : [{ name, entityType, isRequired, path: id === undefined ? textField : idField, ...(id !== undefined && { id }), ...(text !== undefined && { text }) }];
};

/** What a candidate says of others. A unit's number means something in its property only; where that is not said, it does nothing. */
export function refsOf(entityType: ImportEntityType, data: Data): Ref[] {
  const property = (isRequired: boolean) => ref("property", "property", isRequired, data, "property_source_id", "property_name");
  const unit = (isRequired: boolean) => ref("unit", "unit", isRequired, data, "unit_source_id", "unit_number");
  const lease = () => [
    ...(data["lease_source_id"] === undefined ? [...property(false), ...unit(false)] : []),
    ...ref("lease", "lease", true, data, "lease_source_id", "unit_number"),
  ];
  const tenant = (isRequired: boolean) => ref("tenant", "tenant", isRequired, data, "tenant_source_id", "tenant_name");
  switch (entityType) {
    case "unit":
      return property(true);
    case "ownership":
      return [...property(true), ...ref("owner", "owner", true, data, "owner_source_id", "owner_name")];
    case "tenant":
      return data["unit_number"] === undefined ? [] : property(false);
    case "lease":
      return [
        ...property(data["unit_source_id"] === undefined),
        ...unit(true),
        ...ref("tenant", "tenant", true, data, "primary_tenant_source_id", "primary_tenant_name"),
      ];
    case "occupant":
      return [...lease(), ...tenant(true)];
    case "recurring_charge":
    case "deposit":
    case "opening_balance":
    case "charge":
      return lease();
    case "payment":
      return [...lease(), ...tenant(false), ...ref("charge", "charge", true, data, "applied_to_charge_source_id", "applied_to_charge_source_id")];
    case "work_order":
      return [
        ...property(true),
        ...unit(data["unit_source_id"] !== undefined),
        ...ref("vendor", "vendor", data["vendor_source_id"] !== undefined, data, "vendor_source_id", "vendor_name"),
      ];
    default:
      return [];
  }
}

const missing = (path: string, message: string): FieldError => ({ path, code: "required", message });

/** What a candidate lacks, and what in it does not go together. */
export function errorsOf(entityType: ImportEntityType, data: Data): FieldError[] {
  const errors = needs[entityType].flatMap((names) =>
    names.some((name) => data[name] !== undefined)
      ? []
      : [missing(names[0]!, names.length === 1 ? `${names[0]} is empty.` : `One of ${names.join(", ")} is needed.`)],
  );
  if (entityType !== "lease") return errors;
  const { start_date: start, end_date: end, term_type: term, late_fee_type: lateFee, late_fee_amount: feeAmount, late_fee_percent: feePercent } = data;
  if (start && end && end < start) errors.push({ path: "end_date", code: "before_start", message: "end_date cannot be before start_date." });
  if (!end && term !== undefined && term !== "month_to_month") errors.push(missing("end_date", "end_date is empty, and the lease is not month_to_month."));
  if ((lateFee === "flat" || lateFee === "daily") && !feeAmount)
    errors.push(missing("late_fee_amount", `late_fee_amount is needed for a ${lateFee} late fee.`));
  if (lateFee === "percent" && !feePercent) errors.push(missing("late_fee_percent", "late_fee_percent is needed for a late fee in percent."));
  return errors;
}

/** Names under which others may mean it, within one type. */
export function nameKeyOf(entityType: ImportEntityType, data: Data): string | null {
  return ["owner", "vendor", "property", "tenant"].includes(entityType) ? normalized(nameOf(data)) || null : null;
}
