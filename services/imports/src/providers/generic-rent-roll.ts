/** Rent roll of a person: one spreadsheet with units, tenants, leases, deposits and balances. */
import { depositAndBalanceOutputs, type Form, formColumn, type FormColumn, type RowOutput } from "./form.ts";

const columns: readonly FormColumn[] = [
  formColumn("property_name", "property_name", "Maple Court"),
  formColumn("street_line1", "street_line1", "12 Maple Street"),
  formColumn("city", "city", "Hartford"),
  formColumn("state", "state", "CT"),
  formColumn("postal_code", "postal_code", "06103"),
  formColumn("unit_number", "unit_number", "101"),
  formColumn("bedrooms", "bedrooms", "2"),
  formColumn("bathrooms", "bathrooms", "1.5"),
  formColumn("bed_bath", "bed_bath", "2/1.5"),
  formColumn("square_feet", "square_feet", "850"),
  formColumn("market_rent", "market_rent", "1550.00"),
  formColumn("primary_tenant_name", "primary_tenant_name", "Sam Sample"),
  formColumn("email", "email", "sam@example.com"),
  formColumn("phone", "phone", "860-555-0142"),
  formColumn("status", "status", "occupied"),
  formColumn("lease_status", "lease_status", "active"),
  formColumn("term_type", "term_type", "fixed"),
  formColumn("start_date", "start_date", "2026-01-01"),
  formColumn("end_date", "end_date", "2026-12-31"),
  formColumn("move_in_date", "move_in_date", "2026-01-01"),
  formColumn("rent", "rent", "1495.00"),
  formColumn("rent_charge_day", "rent_charge_day", "1"),
  formColumn("amount_held", "amount_held", "1495.00"),
  formColumn("bank_account", "bank_account", "Deposit trust account"),
  formColumn("received_date", "received_date", "2025-12-28"),
  formColumn("balance", "balance", "120.00"),
  formColumn("prepaid", "prepaid", "0.00"),
  formColumn("as_of", "as_of", "2026-06-30"),
];

const occupiedOnly = { requires: ["primary_tenant_name"] } satisfies Partial<RowOutput>;
const fullName = { full_name: "primary_tenant_name" };
/** Fields that no column has: a tenant with an e-mail address is identified by it in all units, and the contact data is that of the first tenant. */
const inNoUnit = { property_name: "no_property", property_source_id: "no_property", unit_number: "no_unit" };
const withoutContact = { email: "no_email", phone: "no_phone" };

/** Tenants of a row: the first with the contact data, also when the row has several. */
const tenants: readonly RowOutput[] = [
  { entityType: "tenant", tenants: "first", requires: ["primary_tenant_name", "email"], sourceFields: { ...fullName, ...inNoUnit } },
  { entityType: "tenant", tenants: "first", ...occupiedOnly, skipIf: { field: "email", matches: /@/ }, sourceFields: fullName },
  { entityType: "tenant", tenants: "rest", ...occupiedOnly, sourceFields: { ...fullName, ...withoutContact } },
];

/** Status of a unit that says that its lease is not the present one. */
const LEASE_STATUS = /^(?:past|former|evict|future|pending|upcoming|expired|ended|terminated|moved out)/i;
/** Status of a unit whose tenant lives there, also when the term of the lease has passed. */
const OCCUPIED = /^(?:current|occupied|active|rented|leased|notice)/i;

/** Removes the tenant of a vacant unit, names a property without a name by its address, and reads the status of a lease from that of its unit. */
function prepare(fields: Record<string, string>): void {
  const { status } = fields;
  if (status !== undefined && LEASE_STATUS.test(status)) fields["lease_status"] ??= status;
  else if (status !== undefined && OCCUPIED.test(status)) fields["lease_status"] ??= "current";
  if (/^(?:vacant|empty|available)\b/i.test(fields["primary_tenant_name"] ?? "")) delete fields["primary_tenant_name"];
  if (fields["street_line1"] !== undefined) fields["property_name"] ??= fields["street_line1"];
}

export const genericRentRoll: Form = {
  name: "rent_roll",
  description: "One row for each unit, with its tenants, lease, deposit and balance.",
  columns,
  outputs: [
    { entityType: "unit", sourceFields: { monthly_rent: "rent" } },
    { entityType: "property", requires: ["street_line1", "city", "state", "postal_code"], sourceFields: { name: "property_name" } },
    { entityType: "lease", sourceFields: { status: "lease_status" }, tenants: "first", ...occupiedOnly },
    ...tenants,
    { entityType: "occupant", sourceFields: { tenant_name: "primary_tenant_name" }, tenants: "rest", ...occupiedOnly },
    ...depositAndBalanceOutputs(occupiedOnly),
  ],
  requires: [["primary_tenant_name"], ["start_date"]],
  prepare,
};
