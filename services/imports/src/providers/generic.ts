/** The columns of our own import format: what the template prints and what an importer reads, stated once. */

import { chargeTypes } from "@freehold/contract/accounts";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { paymentMethods } from "@freehold/contract/payments";
import type { Form } from "./form.ts";

export interface Column {
  name: string;
  /** What goes in, in plain words. */
  says: string;
  /** A value a spreadsheet leaves as it is: no cell begins like a formula. */
  example: string;
  isRequired?: true;
}

export interface Sheet {
  /** The file's name without `.csv`. */
  file: string;
  /** What one row becomes. */
  entityType: ImportEntityType;
  says: string;
  columns: readonly Column[];
}

const oneOf = (values: readonly string[]) => `${values.slice(0, -1).join(", ")} or ${values.at(-1)}.`;
const column = (name: string, example: string, says: string): Column => ({ name, says, example });
const required = (name: string, example: string, says: string): Column => ({ name, says, example, isRequired: true });
const sourceId = (example: string, what: string) =>
  required("source_id", example, `The id of the ${what} in the system you come from. Any text; the same id in a later import means the same ${what}.`);
const address = (line1: string, line2: string, city: string, state: string, postalCode: string): Column[] => [
  column("street_line1", line1, "Street and house number."),
  column("street_line2", line2, "Suite, floor or building, if there is one."),
  column("city", city, "City."),
  column("state", state, "Two-letter state code."),
  column("postal_code", postalCode, "ZIP code, 5 digits or ZIP+4."),
];
const contact = (email: string, phone: string): Column[] => [
  column("email", email, "E-mail address. Several are separated by commas; the first is the main one."),
  column("phone", phone, "Phone number. Several are separated by commas; the first is the main one."),
];
const flag1099 = column("include_1099", "yes", "Whether payments are reported on a 1099: yes or no.");
const leaseRef = required("lease_source_id", "L-1001", "The source_id of the lease in leases.csv.");
const amount = (name: string, example: string, says: string) => required(name, example, `${says} Dollars and cents, for example 1095.00.`);
const categoryCode = column("category_code", "4000", "The code of the income category in your chart of accounts. Empty: the usual one for the kind.");

export const generic: readonly Sheet[] = [
  {
    file: "properties",
    entityType: "property",
    says: "One row for each building or site you manage.",
    columns: [
      sourceId("P-100", "property"),
      required("name", "Maple Court", "What you call the property."),
      column("asset_class", "residential", "residential, commercial or mixed."),
      ...address("12 Maple Street", "", "Hartford", "CT", "06103"),
      column("units", "8", "How many units it has. Only a check: the units come from units.csv."),
      column("reserve", "500.00", "What is kept back for the property before the owner is paid. Dollars and cents."),
      column("management_start_date", "2024-01-01", "The day you took over the management."),
    ],
  },
  {
    file: "units",
    entityType: "unit",
    says: "One row for each unit that can be let.",
    columns: [
      sourceId("U-101", "unit"),
      column("property_source_id", "P-100", "The source_id of its property. Needed unless property_name is given."),
      column("property_name", "Maple Court", "The name of its property, used when property_source_id is empty."),
      required("unit_number", "101", "The number or name on the door; once in each property."),
      column("unit_type", "residential", "residential, commercial, parking_space, storage or other."),
      column("bedrooms", "2", "Number of bedrooms; 0 for a studio."),
      column("bathrooms", "1.5", "Number of bathrooms; halves are fine."),
      column("square_feet", "850", "Living area in square feet."),
      column("market_rent", "1550.00", "What the unit would let for today, a month. Dollars and cents."),
      column("monthly_rent", "1495.00", "What it lets for, a month. Dollars and cents."),
      column("status", "occupied", "occupied, vacant or maintenance."),
    ],
  },
  {
    file: "owners",
    entityType: "owner",
    says: "One row for each person or company you manage for.",
    columns: [
      sourceId("O-10", "owner"),
      required("full_name", "Jordan Example", "The person's name. For a company, the person to speak to."),
      column("company_name", "Example Holdings LLC", "The company's name, if the owner is one."),
      ...contact("jordan@example.com", "860-555-0110"),
      ...address("40 Oak Avenue", "Suite 2", "Hartford", "CT", "06105"),
      column("tax_id_type", "ein", "ssn or ein. The number itself is never imported."),
      flag1099,
    ],
  },
  {
    file: "ownership",
    entityType: "ownership",
    says: "One row for each owner of each property. The shares of a property add up to 100.",
    columns: [
      required("property_source_id", "P-100", "The source_id of the property."),
      required("owner_source_id", "O-10", "The source_id of the owner."),
      required("share_percent", "100", "The owner's share in percent; decimals are fine."),
      column("effective_date", "2024-01-01", "The day the share begins. Empty: since always."),
    ],
  },
  {
    file: "vendors",
    entityType: "vendor",
    says: "One row for each company or person who works for you.",
    columns: [
      sourceId("V-7", "vendor"),
      required("name", "Brightwater Plumbing", "The vendor's name."),
      column("trade", "plumbing", "What the vendor does."),
      ...contact("office@example.com", "860-555-0170"),
      column("insurance_provider", "Example Mutual", "The insurer."),
      column("insurance_policy", "PL-55021", "The policy's number."),
      column("insurance_expires", "2027-06-30", "The day the insurance ends."),
      flag1099,
      column("notes", "Has a key to the boiler room.", "Anything worth knowing."),
    ],
  },
  {
    file: "tenants",
    entityType: "tenant",
    says: "One row for each person or company that rents.",
    columns: [
      sourceId("T-501", "tenant"),
      column("full_name", "Sam Sample", "The whole name; Last, First is understood. Needed unless first_name and last_name are given."),
      column("first_name", "Sam", "First name."),
      column("last_name", "Sample", "Last name."),
      ...contact("sam@example.com", "860-555-0142"),
      column("preferred_language", "en", "Language code for messages; en when empty."),
      column("date_of_birth", "1990-02-28", "Date of birth."),
    ],
  },
  {
    file: "leases",
    entityType: "lease",
    says: "One row for each lease, past ones included if you want their history.",
    columns: [
      sourceId("L-1001", "lease"),
      column(
        "property_source_id",
        "P-100",
        "The source_id of the property. Needed with unit_number when unit_source_id is empty, unless property_name is given.",
      ),
      column("unit_source_id", "U-101", "The source_id of the unit. Needed unless the unit is named by property and unit_number."),
      column("property_name", "Maple Court", "The property's name, used when the ids are empty."),
      column("unit_number", "101", "The unit's number, used when unit_source_id is empty."),
      column("primary_tenant_source_id", "T-501", "The source_id of the tenant who signs first. Needed unless primary_tenant_name is given."),
      column("primary_tenant_name", "Sam Sample", "That tenant's name, used when the id is empty."),
      column("co_tenants", "T-502; T-503", "The other tenants' source_ids or names, separated by semicolons."),
      column("lease_kind", "residential", "residential or commercial."),
      column("term_type", "fixed", "fixed, fixed_with_rollover or month_to_month."),
      column("status", "active", "draft, active, pending, expired or terminated."),
      required("start_date", "2026-01-01", "The first day of the lease."),
      column("end_date", "2026-12-31", "The last day. Empty for month_to_month."),
      column("move_in_date", "2026-01-01", "The day of moving in, if it is another than the first."),
      amount("rent", "1495.00", "The rent a month."),
      column("rent_charge_day", "1", "The day of the month rent is due, 1 to 31; the last day of shorter months."),
      column("late_fee_type", "flat", "none, flat, percent or daily."),
      column("late_fee_amount", "50.00", "The late fee when it is flat, or the fee a day when it is daily. Dollars and cents."),
      column("late_fee_percent", "", "The late fee when it is a percentage of the rent."),
      column("late_fee_grace_days", "5", "Days after the due day before a late fee."),
    ],
  },
  {
    file: "recurring_charges",
    entityType: "recurring_charge",
    says: "One row for each charge that returns every month besides what leases.csv says.",
    columns: [
      sourceId("RC-1", "recurring charge"),
      leaseRef,
      required("label", "Parking space 4", "What the tenant reads."),
      column("kind", "fee", "rent or fee."),
      amount("amount", "75.00", "The charge a month."),
      column("day_of_month", "1", "The day it is due, 1 to 31."),
      required("start_date", "2026-01-01", "The first day it may be due."),
      column("end_date", "2026-12-31", "The last day it may be due. Empty: until it is ended."),
      categoryCode,
    ],
  },
  {
    file: "deposits",
    entityType: "deposit",
    says: "One row for each security deposit that is held.",
    columns: [
      leaseRef,
      amount("amount_held", "1495.00", "What is held now."),
      column("holder", "manager", "Who holds it: manager or owner."),
      column("bank_account", "Deposit trust account", "The name of the bank account it lies in."),
      column("received_date", "2025-12-28", "The day it was received."),
    ],
  },
  {
    file: "opening_balances",
    entityType: "opening_balance",
    says: "One row for each lease that owes, or has paid ahead, on the day you switch. An alternative to charges.csv and payments.csv.",
    columns: [
      leaseRef,
      required("as_of", "2026-06-30", "The day of the balance."),
      amount("balance", "120.00", "What the tenants owe; 0.00 when nothing."),
      column("prepaid", "0.00", "What they have paid ahead. Dollars and cents."),
    ],
  },
  {
    file: "charges",
    entityType: "charge",
    says: "One row for each charge, if you bring the history.",
    columns: [
      sourceId("C-9001", "charge"),
      leaseRef,
      required("date", "2026-06-01", "The day it was charged."),
      column("due_date", "2026-06-05", "The day it is due. Empty: the day it was charged."),
      column("type", "rent", oneOf(chargeTypes)),
      column("label", "June rent", "What the tenant reads."),
      amount("amount", "1495.00", "The charge."),
      categoryCode,
    ],
  },
  {
    file: "payments",
    entityType: "payment",
    says: "One row for each payment received, if you bring the history.",
    columns: [
      sourceId("PMT-7001", "payment"),
      leaseRef,
      column("tenant_source_id", "T-501", "The source_id of the tenant who paid. Empty: the first tenant of the lease."),
      required("received_date", "2026-06-03", "The day the money came in."),
      amount("amount", "1495.00", "What came in."),
      column("method", "check", oneOf(paymentMethods)),
      column("check_number", "2041", "The check's number."),
      column("applied_to_charge_source_id", "C-9001", "The source_id of the charge it pays. Empty: the oldest open charges of the lease."),
    ],
  },
];

/** What is read in our words besides the templates. */
const unprinted: readonly Sheet[] = [
  {
    file: "occupants",
    entityType: "occupant",
    says: "One row for each person who lives in a unit besides the first tenant of its lease.",
    columns: [
      leaseRef,
      column("tenant_source_id", "T-502", "The source_id of the tenant."),
      column("tenant_name", "Alex Sample", "The tenant's name, used when the id is empty."),
      column("role", "co_tenant", "co_tenant, occupant or guarantor."),
      column("move_in_date", "2026-01-01", "The day of moving in."),
    ],
  },
  {
    file: "work_orders",
    entityType: "work_order",
    says: "One row for each work order.",
    columns: [
      sourceId("WO-1", "work order"),
      column("property_source_id", "P-100", "The source_id of the property. Needed unless property_name is given."),
      column("property_name", "Maple Court", "The property's name, used when the id is empty."),
      column("unit_source_id", "U-101", "The source_id of the unit."),
      column("unit_number", "101", "The unit's number, used when the id is empty."),
      required("title", "The tap drips", "What is to be done, in one line."),
      column("description", "The kitchen tap drips day and night.", "What is to be done."),
      column("status", "open", "open, in_progress, completed or cancelled."),
      column("priority", "normal", "low, normal, high or emergency."),
      column("vendor_source_id", "V-7", "The source_id of the vendor."),
      column("vendor_name", "Brightwater Plumbing", "The vendor's name, used when the id is empty."),
      column("created_date", "2026-06-01", "The day it was asked for."),
      column("scheduled_date", "2026-06-05", "The day it is to be done."),
      column("completed_date", "", "The day it was done."),
      column("estimate", "120.00", "What it should cost."),
    ],
  },
];

/** What is understood of an entity although no template asks for it: what other systems say of it, and other ways to name what it belongs to. */
const alsoUnderstood: Partial<Record<Sheet["entityType"], readonly string[]>> = {
  owner: ["first_name", "last_name"],
  ownership: ["property_name", "owner_name"],
  vendor: ["contact_name", "street_line1", "street_line2", "city", "state", "postal_code"],
  tenant: ["company_name", "property_name", "unit_number"],
  recurring_charge: ["property_name", "unit_number"],
  deposit: ["property_name", "unit_number"],
  opening_balance: ["property_name", "unit_number", "tenant_name"],
  charge: ["property_name", "unit_number"],
  payment: ["property_name", "unit_number", "tenant_name"],
  occupant: ["property_name", "unit_number"],
};

export const sheets: readonly Sheet[] = [...generic, ...unprinted];

/** The fields of an entity, in the words of the generic template. */
export const fieldsOf = (entityType: Sheet["entityType"]): string[] => [
  ...new Set([...(sheets.find((sheet) => sheet.entityType === entityType)?.columns ?? []).map(({ name }) => name), ...(alsoUnderstood[entityType] ?? [])]),
];

/** The sheets as forms like those of other systems. */
export const genericForms: readonly Form[] = sheets.map(({ file, entityType, says, columns }) => ({
  name: file,
  says,
  columns: columns.map(({ name, example }) => ({ header: name, field: name, example })),
  feeds: [
    { entityType, from: { source_id: "source_id" } },
    ...(entityType === "lease"
      ? [{ entityType: "occupant", from: { lease_source_id: "source_id", tenant_name: "co_tenants" }, eachOf: "co_tenants", when: ["co_tenants"] } as const]
      : []),
  ],
}));
