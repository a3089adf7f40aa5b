/** Columns of the generic template, from which the template is generated and its files are read. */
import { chargeTypes } from "@freehold/contract/identity/accounts";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { paymentMethods } from "@freehold/contract/ledger/payments";
import { expenseCategories } from "@freehold/contract/payables/expenses";

export interface SheetColumn {
  name: string;
  /** Explanation in the template's README. */
  description: string;
  /** Example value that spreadsheets do not convert, for instance to a formula. */
  example: string;
}

export interface Sheet {
  /** File name without `.csv`. */
  file: string;
  /** Entity type of a row. */
  entityType: ImportEntityType;
  description: string;
  columns: readonly SheetColumn[];
}

const oneOf = (values: readonly string[]) => `${values.slice(0, -1).join(", ")} or ${values.at(-1)}.`;
const column = (name: string, example: string, description: string): SheetColumn => ({ name, description, example });
const sourceId = (example: string, resource: string) =>
  column(
    "source_id",
    example,
    `ID of the ${resource} in your previous system, if it has one. Any text; the same ID in a later import updates the same ${resource}.`,
  );
const address = (line1: string, line2: string, city: string, state: string, postalCode: string): SheetColumn[] => [
  column("street_line1", line1, "Street and house number."),
  column("street_line2", line2, "Suite, floor or building, if there is one."),
  column("city", city, "City."),
  column("state", state, "Two-letter state code."),
  column("postal_code", postalCode, "ZIP code, 5 digits or ZIP+4."),
];
const contact = (email: string, phone: string): SheetColumn[] => [
  column("email", email, "E-mail address. Separate several with commas; the first is the primary one."),
  column("phone", phone, "Phone number. Separate several with commas; the first is the primary one."),
];
const flag1099 = column("include_1099", "yes", "Report payments on Form 1099: yes or no.");
const leaseRef = column(
  "lease_source_id",
  "L-1001",
  "source_id of the lease in leases.csv. Without IDs, add the columns property_name and unit_number, and tenant_name or tenant_email if the unit has had several tenants.",
);
const amount = (name: string, example: string, description: string) => column(name, example, `${description} Dollars and cents, for example 1095.00.`);
const categoryCode = column("category_code", "4000", "Code of the income account in your chart of accounts. Default: the account for the kind of charge.");

export const templateSheets: readonly Sheet[] = [
  {
    file: "properties",
    entityType: "property",
    description: "One row for each building or site you manage.",
    columns: [
      sourceId("P-100", "property"),
      column("name", "Maple Court", "Name of the property. Default: street_line1."),
      column("asset_class", "residential", "residential, commercial or mixed."),
      ...address("12 Maple Street", "", "Hartford", "CT", "06103"),
      column("units", "8", "Number of units, for information only; the units themselves come from units.csv."),
      column("reserve", "500.00", "Amount held back for the property before owners are paid. Dollars and cents."),
      column("management_start_date", "2024-01-01", "First day of the management."),
    ],
  },
  {
    file: "units",
    entityType: "unit",
    description: "One row for each unit.",
    columns: [
      sourceId("U-101", "unit"),
      column("property_source_id", "P-100", "source_id of the property. Required unless property_name is given."),
      column("property_name", "Maple Court", "Name of the property, used when property_source_id is empty."),
      column("unit_number", "101", "Unit number as shown on the door, unique within the property."),
      column("unit_type", "residential", "residential, commercial, parking_space, storage or other."),
      column("bedrooms", "2", "Number of bedrooms; 0 for a studio."),
      column("bathrooms", "1.5", "Number of bathrooms; halves are fine."),
      column("square_feet", "850", "Living area in square feet."),
      column("market_rent", "1550.00", "Monthly market rent of the unit. Dollars and cents."),
      column("monthly_rent", "1495.00", "Current monthly rent of the unit. Dollars and cents."),
      column("status", "occupied", "occupied, vacant or maintenance."),
    ],
  },
  {
    file: "owners",
    entityType: "owner",
    description: "One row for each property owner.",
    columns: [
      sourceId("O-10", "owner"),
      column("full_name", "Jordan Example", "Name of the person, or of the contact person of a company."),
      column("company_name", "Example Holdings LLC", "Name of the company, if the owner is a company."),
      ...contact("jordan@example.com", "860-555-0110"),
      ...address("40 Oak Avenue", "Suite 2", "Hartford", "CT", "06105"),
      column("tax_id_type", "ein", "ssn or ein, for your own check: tax IDs are not imported. Enter them with the owner."),
      flag1099,
    ],
  },
  {
    file: "ownership",
    entityType: "ownership",
    description: "One row for each owner of each property. The shares of a property add up to 100.",
    columns: [
      column("property_source_id", "P-100", "source_id of the property. Without IDs, add the column property_name."),
      column("owner_source_id", "O-10", "source_id of the owner. Without IDs, add the column owner_name with the name or the e-mail address."),
      column("share_percent", "100", "Share of the owner in percent, with up to two decimals."),
      column("effective_date", "2024-01-01", "First day of the share. Default: the day of the import."),
    ],
  },
  {
    file: "vendors",
    entityType: "vendor",
    description: "One row for each vendor.",
    columns: [
      sourceId("V-7", "vendor"),
      column("name", "Brightwater Plumbing", "Name of the vendor."),
      column("trade", "plumbing", "Trade of the vendor."),
      ...contact("office@example.com", "860-555-0170"),
      column("insurance_provider", "Example Mutual", "Name of the insurer."),
      column("insurance_policy", "PL-55021", "Policy number."),
      column("insurance_expires", "2027-06-30", "Expiry date of the insurance."),
      flag1099,
      column("notes", "Has a key to the boiler room.", "Notes about the vendor."),
    ],
  },
  {
    file: "tenants",
    entityType: "tenant",
    description: "One row for each tenant.",
    columns: [
      sourceId("T-501", "tenant"),
      column("full_name", "Sam Sample", "Full name; Last, First is accepted. Required unless first_name and last_name are given."),
      column("first_name", "Sam", "First name."),
      column("last_name", "Sample", "Last name."),
      ...contact("sam@example.com", "860-555-0142"),
      column("preferred_language", "en", "Language code for messages. Default: en."),
      column("date_of_birth", "1990-02-28", "Date of birth."),
    ],
  },
  {
    file: "leases",
    entityType: "lease",
    description: "One row for each lease, including past leases to keep their history.",
    columns: [
      sourceId("L-1001", "lease"),
      column(
        "property_source_id",
        "P-100",
        "source_id of the property. Required with unit_number when unit_source_id is empty, unless property_name is given.",
      ),
      column("unit_source_id", "U-101", "source_id of the unit. Required unless the property and unit_number are given."),
      column("property_name", "Maple Court", "Name of the property, used when the IDs are empty."),
      column("unit_number", "101", "Unit number, used when unit_source_id is empty."),
      column("primary_tenant_source_id", "T-501", "source_id of the primary tenant. Required unless the name or the column primary_tenant_email is given."),
      column("primary_tenant_name", "Sam Sample", "Name or e-mail address of the primary tenant, used when the ID is empty."),
      column("co_tenants", "T-502; T-503", "source_ids, names or e-mail addresses of the co-tenants, separated by semicolons."),
      column("lease_kind", "residential", "residential or commercial."),
      column("term_type", "fixed", "fixed, fixed_with_rollover or month_to_month."),
      column(
        "status",
        "active",
        "draft, active, pending, expired, terminated or cancelled. A terminated lease runs until its end_date; a renewed one is expired.",
      ),
      column("start_date", "2026-01-01", "First day of the lease."),
      column("end_date", "2026-12-31", "Last day of the lease. Empty for month_to_month."),
      column("move_in_date", "2026-01-01", "Move-in date, if it differs from start_date."),
      amount("rent", "1495.00", "Monthly rent."),
      column("rent_charge_day", "1", "Day of the month on which rent is due, 1 to 31; in shorter months the last day."),
      column("late_fee_type", "flat", "none, flat, percent or daily."),
      column("late_fee_amount", "50.00", "Amount of a flat late fee, or of each day of a daily one. Dollars and cents."),
      column("late_fee_percent", "", "Percentage of the rent for a percent late fee."),
      column("late_fee_grace_days", "5", "Number of days after the due date before a late fee is charged."),
    ],
  },
  {
    file: "recurring_charges",
    entityType: "recurring_charge",
    description: "One row for each monthly charge in addition to the rent in leases.csv.",
    columns: [
      sourceId("RC-1", "recurring charge"),
      leaseRef,
      column("label", "Parking space 4", "Label shown to the tenant."),
      column("kind", "fee", "rent or fee."),
      amount("amount", "75.00", "Monthly amount."),
      column("day_of_month", "1", "Day of the month on which the charge is due, 1 to 31."),
      column("start_date", "2026-01-01", "First day on which the charge can be due."),
      column("end_date", "2026-12-31", "Last day on which the charge can be due. Empty for an open end."),
      categoryCode,
    ],
  },
  {
    file: "deposits",
    entityType: "deposit",
    description: "One row for each security deposit held.",
    columns: [
      leaseRef,
      amount("amount_held", "1495.00", "Amount currently held."),
      column("holder", "manager", "Holder of the deposit: manager (or organization) or owner. Money that the owner holds is in none of your accounts."),
      column(
        "bank_account",
        "Deposit trust account",
        "Name of the trust account that holds the deposit. Default: your only active account for security deposits; without exactly one, the money is undeposited until you deposit it. The opening balance of the account must not include the deposits that you import.",
      ),
      column("received_date", "2025-12-28", "Date on which the deposit was received. Default: the day of the import."),
    ],
  },
  {
    file: "opening_balances",
    entityType: "opening_balance",
    description: "One row for each lease with a balance due or a prepayment on the day you switch systems. An alternative to charges.csv and payments.csv.",
    columns: [
      leaseRef,
      column("as_of", "2026-06-30", "Date of the balance. Default: the day of the import."),
      amount("balance", "120.00", "Balance due from the tenants; 0.00 if none."),
      column("prepaid", "0.00", "Amount prepaid by the tenants. Dollars and cents."),
    ],
  },
  {
    file: "charges",
    entityType: "charge",
    description: "One row for each past charge, to keep the history.",
    columns: [
      sourceId("C-9001", "charge"),
      leaseRef,
      column("date", "2026-06-01", "Date of the charge."),
      column("due_date", "2026-06-05", "Due date. Default: the date of the charge."),
      column("type", "rent", oneOf(chargeTypes)),
      column("label", "June rent", "Label shown to the tenant."),
      amount("amount", "1495.00", "Amount of the charge."),
      categoryCode,
    ],
  },
  {
    file: "payments",
    entityType: "payment",
    description: "One row for each past payment, to keep the history.",
    columns: [
      sourceId("PMT-7001", "payment"),
      leaseRef,
      column("tenant_source_id", "T-501", "source_id of the tenant who paid. Default: the primary tenant of the lease."),
      column("received_date", "2026-06-03", "Date on which the payment was received."),
      amount("amount", "1495.00", "Amount of the payment."),
      column("method", "check", oneOf(paymentMethods)),
      column("check_number", "2041", "Check number."),
      column("applied_to_charge_source_id", "C-9001", "source_id of the charge that is paid. Default: the oldest open charges of the lease."),
    ],
  },
];

/** Sheets that are read but not part of the template. */
const untemplatedSheets: readonly Sheet[] = [
  {
    file: "occupants",
    entityType: "occupant",
    description: "One row for each occupant of a unit other than the primary tenant.",
    columns: [
      leaseRef,
      column("tenant_source_id", "T-502", "source_id of the tenant."),
      column("tenant_name", "Alex Sample", "Name of the tenant, used when the ID is empty."),
      column("role", "co_tenant", "co_tenant, occupant or guarantor."),
      column("move_in_date", "2026-01-01", "Move-in date."),
    ],
  },
  {
    file: "expenses",
    entityType: "expense",
    description: "One row for each bill or other expense of a property that is not paid yet.",
    columns: [
      sourceId("E-301", "expense"),
      column("property_source_id", "P-100", "source_id of the property. Required unless property_name is given."),
      column("property_name", "Maple Court", "Name of the property, used when the ID is empty."),
      column("unit_source_id", "U-101", "source_id of the unit."),
      column("unit_number", "101", "Unit number, used when the ID is empty."),
      column("vendor_source_id", "V-7", "source_id of the vendor who is paid."),
      column("vendor_name", "Brightwater Plumbing", "Name of the vendor, used when the ID is empty."),
      column("date", "2026-06-01", "Date on which the expense was incurred."),
      column("due_date", "2026-06-30", "Due date."),
      column("category", "maintenance", `${oneOf(expenseCategories)} Required unless category_code is given.`),
      column("category_code", "5000", "Code of the expense account in your chart of accounts. Default: the account of the category."),
      amount("amount", "185.00", "Amount of the expense."),
      column("label", "Repair of the kitchen tap", "Name of the expense."),
      column("description", "Replaced the cartridge in unit 101.", "Description of the expense."),
      column("invoice_number", "INV-2041", "Number of the vendor's invoice."),
    ],
  },
  {
    file: "work_orders",
    entityType: "work_order",
    description: "One row for each work order.",
    columns: [
      sourceId("WO-1", "work order"),
      column("property_source_id", "P-100", "source_id of the property. Required unless property_name is given."),
      column("property_name", "Maple Court", "Name of the property, used when the ID is empty."),
      column("unit_source_id", "U-101", "source_id of the unit."),
      column("unit_number", "101", "Unit number, used when the ID is empty."),
      column("title", "The tap drips", "Title of the work order, in one line."),
      column("description", "The kitchen tap drips day and night.", "Description of the work."),
      column("status", "open", "open, in_progress, completed or cancelled."),
      column("priority", "normal", "low, normal, high or emergency."),
      column("vendor_source_id", "V-7", "source_id of the vendor."),
      column("vendor_name", "Brightwater Plumbing", "Name of the vendor, used when the ID is empty."),
      column("created_date", "2026-06-01", "Date of the request."),
      column("scheduled_date", "2026-06-05", "Scheduled date, with a time of day in the time zone of the office if it is known, such as 2026-06-05 10:00."),
      column("completed_date", "", "Completion date."),
      column("estimate", "120.00", "Estimated cost. Dollars and cents."),
    ],
  },
];

/** Fields of an entity type that the template does not contain: data of other systems, and other references to related records. */
const additionalFields: Partial<Record<Sheet["entityType"], readonly string[]>> = {
  owner: ["first_name", "last_name"],
  ownership: ["property_name", "owner_name"],
  vendor: ["contact_name", "first_name", "last_name", "street_line1", "street_line2", "city", "state", "postal_code"],
  tenant: ["company_name", "property_name", "unit_number"],
  lease: ["primary_tenant_email"],
  recurring_charge: ["property_name", "unit_number"],
  deposit: ["property_name", "unit_number", "tenant_name", "tenant_email"],
  opening_balance: ["property_name", "unit_number", "tenant_name", "tenant_email"],
  charge: ["property_name", "unit_number"],
  payment: ["property_name", "unit_number", "tenant_name", "tenant_email"],
  occupant: ["property_name", "unit_number", "tenant_email"],
};

export const allSheets: readonly Sheet[] = [...templateSheets, ...untemplatedSheets];

/** Returns the fields of an entity type. */
export const entityFields = (entityType: Sheet["entityType"]): string[] => [
  ...new Set([...(allSheets.find((sheet) => sheet.entityType === entityType)?.columns ?? []).map(({ name }) => name), ...(additionalFields[entityType] ?? [])]),
];
