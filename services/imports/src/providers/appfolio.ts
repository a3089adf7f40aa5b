/** Supported exports of AppFolio under their names in AppFolio. */
import { balanceOutput, depositAndBalanceOutputs, type Form, formColumn, type FormColumn, type RowOutput } from "./form.ts";

const property: FormColumn[] = [
  formColumn("Property Name", "property_name", "Maple Court", "Property"),
  formColumn("Property ID", "property_source_id", "100", "property_id"),
];
const unit: FormColumn[] = [formColumn("Unit", "unit_number", "101", "Unit Name"), formColumn("Unit ID", "unit_source_id", "2101", "unit_id")];
const occupancy = formColumn("Occupancy ID", "lease_source_id", "9001", "occupancy_id", "Occupancy Import UID");
const street = (prefix = ""): FormColumn[] => [
  formColumn(`${prefix}Street Address 1`, "street_line1", "12 Maple Street", `${prefix}Street`, `${prefix}Street 1`),
  formColumn(`${prefix}Street Address 2`, "street_line2", "", `${prefix}Street 2`, `${prefix}Street2`),
  formColumn(`${prefix}City`, "city", "Hartford"),
  formColumn(`${prefix}State`, "state", "CT"),
  formColumn(`${prefix}Zip`, "postal_code", "06103", `${prefix}Zip Code`, `${prefix}Postal Code`),
];
const contact: FormColumn[] = [
  formColumn("Phone Numbers", "phone", "Mobile: (860) 555-0142", "Phone", "Tenant Phone Number", "Phone Number"),
  formColumn("Email", "email", "sam@example.com", "Emails", "Tenant Email", "Email Address"),
];
const rentedOnly = { requires: ["primary_tenant_name"] } satisfies Partial<RowOutput>;
const rentRollOutputs: RowOutput[] = [
  { entityType: "unit", sourceFields: { source_id: "unit_source_id", monthly_rent: "rent" } },
  { entityType: "lease", sourceFields: { source_id: "lease_source_id", primary_tenant_name: "primary_tenant_name" }, tenants: "first", ...rentedOnly },
  // The lease tells apart two people of one name, of whom the tenant directory has the ids.
  { entityType: "tenant", sourceFields: { full_name: "primary_tenant_name" }, extraFields: ["lease_source_id"], tenants: "all", ...rentedOnly },
  { entityType: "occupant", sourceFields: { tenant_name: "primary_tenant_name" }, tenants: "rest", ...rentedOnly },
  ...depositAndBalanceOutputs(rentedOnly),
];

/** Removes the tenant of a vacant unit, unless the row has a future tenant, whose lease without a first day begins with the move-in. */
function removeFormerTenant(fields: Record<string, string>): void {
  const { status = "", primary_tenant_name: tenant = "", start_date, move_in_date } = fields;
  if (!/^vacant/i.test(status)) return;
  const firstDay = start_date ?? move_in_date;
  if (!/^vacant\W*rented/i.test(status) || /^vacant$/i.test(tenant)) delete fields["primary_tenant_name"];
  else if (firstDay !== undefined) fields["start_date"] = firstDay;
}

export const appfolio: readonly Form[] = [
  {
    name: "property_directory",
    description: "Report Property Directory: one row for each property.",
    columns: [
      formColumn("Property Name", "name", "Maple Court", "Property"),
      formColumn("Property ID", "source_id", "100", "property_id", "Property Integration ID"),
      ...street("Property "),
      formColumn("Units", "units", "8"),
      formColumn("Reserve", "reserve", "500.00"),
      formColumn("Property Type", "asset_class", "Residential"),
      formColumn("Management Start Date", "management_start_date", "01/01/2024"),
      formColumn("Owners", null, "Jordan Example"),
    ],
    outputs: [{ entityType: "property", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "unit_directory",
    description: "Report Unit Directory: one row for each unit.",
    columns: [
      ...property,
      formColumn("Unit Name", "unit_number", "101", "Unit"),
      formColumn("Unit ID", "source_id", "2101", "unit_id", "Unit Integration ID"),
      formColumn("Unit Type", "unit_type", "Apartment"),
      formColumn("Bedrooms", "bedrooms", "2", "Beds"),
      formColumn("Bathrooms", "bathrooms", "1.5", "Baths"),
      formColumn("BD/BA", "bed_bath", "2/1.50", "bd_ba"),
      formColumn("Sqft", "square_feet", "850", "Square Feet"),
      formColumn("Market Rent", "market_rent", "1,550.00", "Advertised Rent"),
    ],
    outputs: [{ entityType: "unit", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "owner_directory",
    description: "Report Owner Directory: one row for each owner.",
    columns: [
      formColumn("Name", "full_name", "Example, Jordan", "Owner Name"),
      formColumn("Owner ID", "source_id", "10", "owner_id", "Owner Integration ID"),
      formColumn("Company Name", "company_name", "Example Holdings LLC"),
      formColumn("First Name", "first_name", "Jordan"),
      formColumn("Last Name", "last_name", "Example"),
      formColumn("Phone Numbers", "phone", "Office: (860) 555-0110", "Phone"),
      formColumn("Email", "email", "jordan@example.com", "Emails"),
      formColumn("Street", "street_line1", "40 Oak Avenue"),
      formColumn("Street 2", "street_line2", "Suite 2"),
      formColumn("City", "city", "Hartford"),
      formColumn("State", "state", "CT"),
      formColumn("Zip", "postal_code", "06105"),
      formColumn("Properties Owned", null, "Maple Court"),
    ],
    outputs: [{ entityType: "owner", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "vendor_directory",
    description: "Report Vendor Directory: one row for each vendor.",
    columns: [
      formColumn("Company Name", "name", "Brightwater Plumbing", "Vendor Name"),
      formColumn("Name", "contact_name", "Pat Brightwater"),
      formColumn("Vendor ID", "source_id", "7", "vendor_id", "Vendor Integration ID"),
      formColumn("Vendor Trades", "trade", "Plumbing", "Trade"),
      formColumn("Phone Numbers", "phone", "Office: (860) 555-0170", "Phone"),
      formColumn("Email", "email", "office@example.com"),
      formColumn("Liability Ins. Expires", "insurance_expires", "06/30/2027"),
      formColumn("Send 1099", "include_1099", "Yes", "Send 1099?"),
      formColumn("Street", "street_line1", "3 Mill Road"),
      formColumn("City", "city", "Hartford"),
      formColumn("State", "state", "CT"),
      formColumn("Zip", "postal_code", "06106"),
    ],
    outputs: [{ entityType: "vendor", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "tenant_directory",
    description: "Report Tenant Directory: one row for each tenant. Contains tenants, and those of them who live on a lease of the Rent Roll or guarantee it.",
    columns: [
      formColumn("Property Name", "property_name", "Maple Court", "Property"),
      formColumn("Unit", "unit_number", "101"),
      formColumn("Tenant", "full_name", "Sample, Sam", "Tenant Name", "Name"),
      formColumn("Tenant ID", "source_id", "501", "selected_tenant_id", "Tenant Integration ID"),
      occupancy,
      formColumn("Status", "status", "Current"),
      formColumn("Tenant Type", "role", "Financially Responsible"),
      ...contact,
      formColumn("First Name", "first_name", "Sam"),
      formColumn("Last Name", "last_name", "Sample"),
      formColumn("Company Name", "company_name", ""),
      formColumn("Tenant Birthdate", "date_of_birth", "02/28/1990"),
      formColumn("Move-in", null, "01/01/2026"),
      formColumn("Lease To", null, "12/31/2026"),
      formColumn("Rent", null, "1,495.00"),
      formColumn("Deposit", null, "1,495.00"),
      formColumn("Tenant Tags", null, ""),
    ],
    outputs: [
      { entityType: "tenant", sourceFields: { source_id: "source_id" }, extraFields: ["lease_source_id", "role", "status"] },
      {
        entityType: "occupant",
        sourceFields: { tenant_source_id: "source_id", tenant_name: "full_name" },
        requires: ["lease_source_id", "full_name"],
        // Somebody who has left may have left a lease that is still running.
        skipIf: { field: "status", matches: /^(?:past|former|evicted|cancel|denied)/i },
        isLeaseOptional: true,
      },
    ],
  },
  {
    name: "rent_roll",
    description: "Report Rent Roll: one row for each unit. Contains units and, for occupied and rented ones, leases, tenants, deposits and balances.",
    columns: [
      ...property,
      ...unit,
      formColumn("Tenant", "primary_tenant_name", "Sample, Sam", "Tenants"),
      occupancy,
      formColumn("Status", "status", "Current"),
      formColumn("BD/BA", "bed_bath", "2/1.50", "bd_ba"),
      formColumn("Sqft", "square_feet", "850"),
      formColumn("Market Rent", "market_rent", "1,550.00"),
      formColumn("Rent", "rent", "1,495.00"),
      formColumn("Deposit", "amount_held", "1,495.00"),
      formColumn("Lease From", "start_date", "01/01/2026"),
      formColumn("Lease To", "end_date", "12/31/2026"),
      formColumn("Move-in", "move_in_date", "01/01/2026", "Move In"),
      formColumn("Past Due", "balance", "0.00"),
      formColumn("Move-out", null, ""),
      formColumn("NSF Count", null, "0"),
      formColumn("Late Count", null, "1"),
    ],
    outputs: rentRollOutputs,
    hasSections: true,
    isLastFirst: true,
    prepare: removeFormerTenant,
  },
  {
    name: "delinquency",
    description: "Report Delinquency: balance of each lease on the day of the report.",
    columns: [
      formColumn("Property Name", "property_name", "Maple Court", "Property"),
      formColumn("Property ID", null, "100", "property_id"),
      formColumn("Unit", "unit_number", "101", "Unit Name"),
      formColumn("Unit ID", null, "2101", "unit_id"),
      occupancy,
      formColumn("Name", "primary_tenant_name", "Sample, Sam"),
      formColumn("Amount Receivable", "balance", "120.00"),
      formColumn("0-30", null, "120.00"),
      formColumn("Delinquent Rent", null, "120.00"),
      formColumn("Tenant Status", null, "Current"),
    ],
    outputs: [balanceOutput],
    hasSections: true,
    isLastFirst: true,
  },
  {
    name: "work_order",
    description: "Report Work Order: one row for each work order.",
    columns: [
      ...property,
      formColumn("Unit", "unit_number", "101"),
      formColumn("Unit ID", "unit_source_id", "2101"),
      formColumn("Work Order Number", "source_id", "1042-1"),
      formColumn("Job Description", "title", "The tap drips"),
      formColumn("Instructions", "description", "The key is with the neighbour."),
      formColumn("Status", "status", "New"),
      formColumn("Priority", "priority", "Normal"),
      formColumn("Vendor", "vendor_name", "Brightwater Plumbing"),
      formColumn("Vendor ID", "vendor_source_id", "7"),
      formColumn("Created At", "created_date", "06/01/2026"),
      formColumn("Scheduled Start", "scheduled_date", "06/05/2026"),
      formColumn("Completed On", "completed_date", ""),
      formColumn("Estimate Amount", "estimate", "120.00"),
    ],
    outputs: [{ entityType: "work_order", sourceFields: { source_id: "source_id" } }],
  },
];
