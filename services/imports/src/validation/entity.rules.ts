/** Names, keys, references and field errors of each entity type, derived from the fields alone. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { truncate } from "@freehold/kit/truncate";
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../parsing/text.ts";
import { requiredFields } from "../providers/fields.ts";
import type { CandidateReference, FieldValues } from "./draft.ts";
import { equalRowsKey, isRepeatable } from "./source-ids/equal-rows.rules.ts";
import { isOfTenancy, tenancySourceId } from "./tenancies/tenancy-id.rules.ts";

/** Returns the name of a property, a person or a company from whichever fields contain it. */
export const entityName = ({ full_name, first_name, last_name, company_name, name }: FieldValues): string =>
  name ?? full_name ?? ([first_name, last_name].filter(Boolean).join(" ") || company_name || "");

const joinKey = (...texts: (string | undefined)[]): string => texts.map((text) => normalizeForMatching(text ?? "")).join("/");
const unitKey = ({ property_source_id, property_name, unit_source_id, unit_number }: FieldValues): string =>
  unit_source_id ?? joinKey(property_source_id ?? property_name, unit_number);
const leaseKey = (data: FieldValues): string => data["lease_source_id"] ?? unitKey(data);
/** Key of a tenancy: without a lease id, the unit and its tenant, to which the source id adds the first day. */
const tenancyKey = (data: FieldValues): string => {
  const tenant = data["tenant_name"] ?? data["tenant_email"];
  return data["lease_source_id"] === undefined && tenant !== undefined ? `${leaseKey(data)}/${joinKey(tenant)}` : leaseKey(data);
};

/**
 * Derives a source id for a row without one, from the fields that identify the record in every export. The id of a charge, a payment, an expense or a
 * work order is a key of all equal rows, which are numbered once the files are read.
 * `firstDay` is that of the tenancy of an occupant, a deposit or a balance in a row without the id of its lease.
 */
export function deriveSourceId(entityType: ImportEntityType, data: FieldValues, firstDay?: string): string {
  const keys: Record<ImportEntityType, () => string> = {
    owner: () => joinKey(entityName(data), data["email"]),
    vendor: () => joinKey(entityName(data)),
    // Streets of two towns may have one name.
    property: () => joinKey(entityName(data), entityName(data) === data["street_line1"] ? (data["postal_code"] ?? data["city"]) : undefined),
    // An owner may have another share from a later day on.
    ownership: () =>
      [
        data["property_source_id"] ?? joinKey(data["property_name"]),
        data["owner_source_id"] ?? joinKey(data["owner_name"]),
        ...(data["effective_date"] === undefined ? [] : [data["effective_date"]]),
      ].join("/"),
    unit: () => unitKey(data),
    tenant: () => (data["unit_number"] ? `${joinKey(entityName(data))}/${unitKey(data)}` : joinKey(entityName(data), data["email"])),
    lease: () =>
      `${unitKey(data)}/${data["start_date"] ?? ""}/${data["primary_tenant_source_id"] ?? joinKey(data["primary_tenant_name"] ?? data["primary_tenant_email"])}`,
    occupant: () => `${leaseKey(data)}/${data["tenant_source_id"] ?? joinKey(data["tenant_name"] ?? data["tenant_email"])}`,
    recurring_charge: () => `${leaseKey(data)}/${joinKey(data["label"])}/${data["start_date"] ?? ""}`,
    deposit: () => tenancyKey(data),
    opening_balance: () => tenancyKey(data),
    charge: () => `${leaseKey(data)}/${data["date"] ?? ""}/${data["amount"] ?? ""}`,
    payment: () => `${leaseKey(data)}/${data["received_date"] ?? ""}/${data["amount"] ?? ""}`,
    expense: () => `${unitKey(data)}/${joinKey(data["vendor_source_id"] ?? data["vendor_name"])}/${data["date"] ?? ""}/${data["amount"] ?? ""}`,
    work_order: () => `${unitKey(data)}/${joinKey(data["title"])}`,
  };
  if (isRepeatable(entityType)) return equalRowsKey(keys[entityType]());
  return tenancySourceId(keys[entityType](), isOfTenancy(entityType) && data["lease_source_id"] === undefined ? firstDay : undefined);
}

/** Returns the name of a candidate for display. */
export function displayNameOf(entityType: ImportEntityType, data: FieldValues): string {
  const unit = [data["property_name"] ?? data["property_source_id"], data["unit_number"] ?? data["unit_source_id"]].filter(Boolean).join(" ");
  const lease = data["lease_source_id"]?.replace(/^~/, "") ?? unit;
  const names: Partial<Record<ImportEntityType, string>> = {
    ownership: [data["property_name"] ?? data["property_source_id"], data["owner_name"] ?? data["owner_source_id"]].filter(Boolean).join(": "),
    unit,
    lease: [unit, data["primary_tenant_name"] ?? data["primary_tenant_email"] ?? data["primary_tenant_source_id"]].filter(Boolean).join(", "),
    occupant: data["tenant_name"] ?? data["tenant_email"] ?? data["tenant_source_id"] ?? "",
    recurring_charge: [data["label"], lease].filter(Boolean).join(", "),
    deposit: lease,
    opening_balance: lease,
    charge: [data["label"] ?? data["type"] ?? "charge", data["date"], lease].filter(Boolean).join(", "),
    payment: [data["tenant_name"] ?? data["method"] ?? "payment", data["received_date"], lease].filter(Boolean).join(", "),
    expense: [data["label"] ?? data["vendor_name"] ?? data["category"] ?? "expense", data["date"], unit].filter(Boolean).join(", "),
    work_order: data["title"] ?? "",
  };
  return truncate(names[entityType] ?? entityName(data), 300);
}

/** Fields that can contain a reference: the source id, the name or number, and the e-mail address of the other record. */
interface ReferenceFields {
  id: string;
  text: string;
  email?: string;
}

/** Returns the reference in the fields of a row, if they contain one. An e-mail address in the place of a name is one, too. */
function reference(name: string, entityType: ImportEntityType, isRequired: boolean, data: FieldValues, fields: ReferenceFields): CandidateReference[] {
  const [id, text] = [data[fields.id], data[fields.text]];
  const email = (fields.email === undefined ? undefined : data[fields.email]) ?? (text?.includes("@") ? text.toLowerCase() : undefined);
  if (id === undefined && text === undefined && email === undefined) return [];
  const path = id !== undefined ? fields.id : text !== undefined ? fields.text : fields.email!;
  return [{ name, entityType, isRequired, path, ...omitUndefined({ id, text, email }) }];
}

/** Returns the references of a candidate to other records. */
export function candidateReferences(entityType: ImportEntityType, data: FieldValues): CandidateReference[] {
  const property = (isRequired: boolean) => reference("property", "property", isRequired, data, { id: "property_source_id", text: "property_name" });
  const unit = (isRequired: boolean) => reference("unit", "unit", isRequired, data, { id: "unit_source_id", text: "unit_number" });
  const lease = () => [
    ...(data["lease_source_id"] === undefined ? [...property(false), ...unit(false)] : []),
    ...reference("lease", "lease", true, data, { id: "lease_source_id", text: data["unit_number"] === undefined ? "unit_source_id" : "unit_number" }),
  ];
  const tenant = () => reference("tenant", "tenant", true, data, { id: "tenant_source_id", text: "tenant_name", email: "tenant_email" });
  switch (entityType) {
    case "unit":
      return property(true);
    case "ownership":
      return [...property(true), ...reference("owner", "owner", true, data, { id: "owner_source_id", text: "owner_name" })];
    case "tenant":
      return data["unit_number"] === undefined ? [] : property(false);
    case "lease":
      return [
        ...property(data["unit_source_id"] === undefined),
        ...unit(true),
        ...reference("tenant", "tenant", true, data, { id: "primary_tenant_source_id", text: "primary_tenant_name", email: "primary_tenant_email" }),
      ];
    case "occupant":
      return [...lease(), ...tenant()];
    case "recurring_charge":
    case "deposit":
    case "opening_balance":
    case "charge":
      return lease();
    case "payment":
      return [
        ...lease(),
        // Without a payer, the payment is that of the primary tenant; one who is named and not found is somebody else.
        ...tenant(),
        ...reference("charge", "charge", true, data, { id: "applied_to_charge_source_id", text: "applied_to_charge_source_id" }),
      ];
    case "expense":
      return [
        ...property(true),
        ...unit(true),
        // An expense of a vendor who is not found would be owed to nobody.
        ...reference("vendor", "vendor", true, data, { id: "vendor_source_id", text: "vendor_name" }),
      ];
    case "work_order":
      return [
        ...property(true),
        ...unit(data["unit_source_id"] !== undefined),
        ...reference("vendor", "vendor", data["vendor_source_id"] !== undefined, data, { id: "vendor_source_id", text: "vendor_name" }),
      ];
    default:
      return [];
  }
}

/** Account of security deposits due. */
const DEPOSIT_LIABILITY = "2110";

const requiredError = (path: string, message: string): FieldError => ({ path, code: "required", message });

/** Returns the errors of missing required fields and of fields that contradict each other. */
export function validateFields(entityType: ImportEntityType, data: FieldValues): FieldError[] {
  const errors = requiredFields[entityType].flatMap((names) =>
    names.some((name) => data[name] !== undefined)
      ? []
      : [requiredError(names[0]!, names.length === 1 ? `${names[0]} is empty.` : `One of ${names.join(", ")} is needed.`)],
  );
  if (entityType === "opening_balance" && isPositive(data["prepaid"]) && data["balance"]?.startsWith("-"))
    errors.push({ path: "prepaid", code: "not_allowed", message: "The negative balance and the prepayment may be the same money. Clear one of them." });
  if (entityType === "charge" && data["type"] === "deposit" && (data["category_code"] ?? DEPOSIT_LIABILITY) !== DEPOSIT_LIABILITY)
    errors.push({ path: "category_code", code: "not_allowed", message: `A deposit is always credited to ${DEPOSIT_LIABILITY}. Clear category_code.` });
  if (entityType !== "lease") return errors;
  if (data["unit_source_id"] === undefined && data["unit_number"] === undefined && data["property_name"] !== undefined)
    errors.push(requiredError("unit_number", "unit_number is empty."));
  const { start_date: start, end_date: end, term_type: term, status, late_fee_type: lateFee, late_fee_amount: feeAmount, late_fee_percent: feePercent } = data;
  if (start && end && end < start) errors.push({ path: "end_date", code: "before_start", message: "end_date cannot be before start_date." });
  if (!end && term !== undefined && term !== "month_to_month")
    errors.push(requiredError("end_date", "end_date is empty, and the lease is not month_to_month."));
  else if (!end && (status === "expired" || status === "terminated"))
    errors.push(requiredError("end_date", `end_date is empty, and the lease is ${status}. Set it to the last day of the tenancy.`));
  if ((lateFee === "flat" || lateFee === "daily") && !feeAmount)
    errors.push(requiredError("late_fee_amount", `late_fee_amount is needed for a ${lateFee} late fee.`));
  if (lateFee === "percent" && !feePercent) errors.push(requiredError("late_fee_percent", "late_fee_percent is needed for a percent late fee."));
  return errors;
}

/** Values of a record that are written together, and the fields without which they are not written. */
const wholeValues: Partial<Record<ImportEntityType, { name: string; fields: readonly string[]; requires: readonly string[] }>> = {
  owner: {
    name: "A mailing address",
    fields: ["street_line1", "street_line2", "city", "state", "postal_code"],
    requires: ["street_line1", "city", "state", "postal_code"],
  },
  vendor: {
    name: "An insurance",
    fields: ["insurance_provider", "insurance_policy", "insurance_expires"],
    requires: ["insurance_expires"],
  },
};

/** Returns the fields of a row that are not written because a part of their address or insurance is empty. */
export function incompleteFields(entityType: ImportEntityType, data: FieldValues): readonly string[] {
  const whole = wholeValues[entityType];
  return whole?.requires.some((field) => data[field] === undefined) ? whole.fields : [];
}

/** Returns an error for each empty part of an address or insurance of a row in which another part has changed. */
export function incompleteValueErrors(entityType: ImportEntityType, data: FieldValues, changes: Candidate["changes"]): FieldError[] {
  const incomplete = incompleteFields(entityType, data);
  const change = changes.find(({ field }) => incomplete.includes(field));
  if (!change) return [];
  const { name, requires } = wholeValues[entityType]!;
  const difference = `${change.field} was ${change.from ?? "empty"} and is ${change.to}`;
  return requires
    .filter((field) => data[field] === undefined)
    .map((field) => requiredError(field, `${field} is empty, and ${difference}. ${name} is changed as a whole: add ${field}, or restore ${change.field}.`));
}

const isPositive = (amount: string | undefined): boolean => amount !== undefined && Number(amount) > 0;

/** Returns the normalized name under which other rows can refer to the candidate, or null for types without a name. */
export function nameKeyOf(entityType: ImportEntityType, data: FieldValues): string | null {
  return ["owner", "vendor", "property", "tenant"].includes(entityType) ? normalizeForMatching(entityName(data)) || null : null;
}
