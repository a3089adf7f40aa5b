/** Supported exports and import templates of Buildium under their names in Buildium. */
import { depositAndBalanceOutputs, type Form, formColumn, type FormColumn, type RowOutput } from "./form.ts";

const property: FormColumn[] = [
  formColumn("Property name", "property_name", "Maple Court", "Property", "PropertyName", "buildingName"),
  formColumn("PropertyId", "property_source_id", "100", "Property Id"),
];
const unit: FormColumn[] = [formColumn("Unit number", "unit_number", "101", "Unit", "UnitNumber"), formColumn("UnitId", "unit_source_id", "2101", "Unit Id")];
const lease = formColumn("LeaseId", "lease_source_id", "9001", "Lease Id");
const address: FormColumn[] = [
  formColumn("AddressLine1", "street_line1", "12 Maple Street", "Address line 1", "Street address"),
  formColumn("AddressLine2", "street_line2", "", "Address line 2"),
  formColumn("City", "city", "Hartford"),
  formColumn("State", "state", "CT", "Address state"),
  formColumn("PostalCode", "postal_code", "06103", "Zip", "Zip code", "Postal code"),
];
const names: FormColumn[] = [formColumn("FirstName", "first_name", "Sam", "First name"), formColumn("LastName", "last_name", "Sample", "Last name")];
const contact: FormColumn[] = [
  formColumn("Email", "email", "sam@example.com", "Email address", "Primary email"),
  formColumn("Phone", "phone", "(860) 555-0142", "Phone number", "Mobile phone", "Primary phone"),
];
const occupiedOnly = { skipIf: { field: "primary_tenant_name", matches: /^vacant/i }, requires: ["primary_tenant_name"] } satisfies Partial<RowOutput>;

export const buildium: readonly Form[] = [
  {
    name: "properties",
    description: "Properties: one row for each property.",
    columns: [
      formColumn("Name", "name", "Maple Court", "Property name"),
      formColumn("Id", "source_id", "100", "PropertyId"),
      formColumn("RentalType", "asset_class", "Residential", "Rental type"),
      formColumn("RentalSubType", null, "MultiFamily"),
      ...address,
      formColumn("NumberUnits", "units", "8", "Number of units"),
      formColumn("Reserve", "reserve", "500.00", "Property reserve"),
      formColumn("YearBuilt", null, "1998"),
    ],
    outputs: [{ entityType: "property", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "units",
    description: "Units: one row for each unit.",
    columns: [
      ...property,
      formColumn("UnitNumber", "unit_number", "101", "Unit number", "Unit"),
      formColumn("Id", "source_id", "2101", "UnitId"),
      formColumn("MarketRent", "market_rent", "1550.00", "Market rent"),
      formColumn("UnitBedrooms", "bedrooms", "TwoBed", "Bedrooms"),
      formColumn("UnitBathrooms", "bathrooms", "OnePointFiveBath", "Bathrooms"),
      formColumn("UnitSize", "square_feet", "850", "Size", "Square feet"),
    ],
    outputs: [{ entityType: "unit", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "owners",
    description: "Rental owners: one row for each owner.",
    columns: [
      ...names,
      formColumn("Id", "source_id", "10", "OwnerId"),
      formColumn("CompanyName", "company_name", "Example Holdings LLC", "Company name"),
      formColumn("IsCompany", null, "TRUE"),
      ...contact,
      ...address,
      formColumn("TaxPayerIdType", "tax_id_type", "EIN"),
      formColumn("IncludeIn1099", "include_1099", "TRUE"),
      formColumn("ManagementAgreementStartDate", null, "01/01/2024"),
    ],
    outputs: [{ entityType: "owner", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "vendors",
    description: "Vendors: one row for each vendor.",
    columns: [
      formColumn("CompanyName", "name", "Brightwater Plumbing", "Company name", "Vendor"),
      ...names,
      formColumn("Id", "source_id", "7", "VendorId"),
      formColumn("Category", "trade", "Plumbing", "CategoryId"),
      ...contact,
      formColumn("InsuranceProvider", "insurance_provider", "Example Mutual", "Insurance provider"),
      formColumn("PolicyNumber", "insurance_policy", "PL-55021", "Policy number"),
      formColumn("ExpirationDate", "insurance_expires", "06/30/2027", "Expiration date"),
      formColumn("IncludeIn1099", "include_1099", "TRUE"),
      formColumn("AccountNumber", null, ""),
      formColumn("Website", null, ""),
    ],
    outputs: [{ entityType: "vendor", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "tenants",
    description: "Import template Tenants: one row for each tenant.",
    columns: [
      formColumn("Property", "property_name", "Maple Court", "Property name"),
      formColumn("Unit number", "unit_number", "101", "Unit"),
      formColumn("First name", "first_name", "Sam", "FirstName"),
      formColumn("Last name", "last_name", "Sample", "LastName"),
      formColumn("Id", "source_id", "501", "TenantId"),
      ...contact,
      formColumn("Date of birth", "date_of_birth", "02/28/1990", "DateOfBirth"),
      formColumn("Lease start date", null, "01/01/2026", "Lease start"),
      formColumn("Recurring charge amount", null, "1495.00"),
      formColumn("Recurring charge frequency", null, "Monthly"),
    ],
    outputs: [{ entityType: "tenant", sourceFields: { source_id: "source_id" } }],
  },
  {
    name: "leases",
    description: "Leases: one row for each lease.",
    columns: [
      formColumn("Id", "source_id", "9001", "LeaseId"),
      ...property,
      ...unit,
      formColumn("LeaseFromDate", "start_date", "01/01/2026", "Lease start", "Start date"),
      formColumn("LeaseToDate", "end_date", "12/31/2026", "Lease end", "End date"),
      formColumn("LeaseType", "term_type", "Fixed", "Lease type", "TermType"),
      formColumn("LeaseStatus", "status", "Active", "Lease status"),
      formColumn("PaymentDueDay", "rent_charge_day", "1", "Payment due day"),
      formColumn("Rent", "rent", "1495.00"),
      formColumn("SecurityDeposit", "amount_held", "1495.00", "Security deposit"),
      formColumn("Tenants", "primary_tenant_name", "Sam Sample", "Tenant"),
    ],
    outputs: [
      { entityType: "lease", sourceFields: { source_id: "source_id" }, tenants: "first" },
      { entityType: "occupant", sourceFields: { lease_source_id: "source_id", tenant_name: "primary_tenant_name" }, tenants: "rest" },
      {
        entityType: "deposit",
        sourceFields: { lease_source_id: "source_id", tenant_name: "primary_tenant_name" },
        tenants: "first",
        requires: ["amount_held"],
        nonZero: ["amount_held"],
        isOptional: true,
      },
    ],
  },
  {
    name: "rent_roll",
    description: "Report Rent Roll: one row for each lease. Contains units, leases, tenants, deposits and balances.",
    columns: [
      formColumn("Property", "property_name", "Maple Court", "Property name"),
      formColumn("Unit", "unit_number", "101", "Unit number"),
      formColumn("Tenants", "primary_tenant_name", "Sam Sample, Alex Sample", "Tenant"),
      lease,
      formColumn("Lease Start", "start_date", "01/01/2026", "Lease start date"),
      formColumn("Lease End", "end_date", "12/31/2026", "Lease end date"),
      formColumn("Bed/Bath", "bed_bath", "2/1.5"),
      formColumn("Rent", "rent", "1,495.00"),
      formColumn("Deposits Held", "amount_held", "1,495.00"),
      formColumn("Prepayments", "prepaid", "0.00"),
      formColumn("Balance Due", "balance", "0.00"),
      formColumn("Rent Cycle", null, "Monthly"),
      formColumn("Rent Start", null, "01/01/2026"),
      formColumn("Recurring Charges", null, "0.00"),
      formColumn("Recurring Credits", null, "0.00"),
      formColumn("Total", null, "1,495.00"),
    ],
    outputs: [
      { entityType: "unit", sourceFields: { monthly_rent: "rent" } },
      { entityType: "lease", sourceFields: { source_id: "lease_source_id" }, tenants: "first", ...occupiedOnly },
      { entityType: "tenant", sourceFields: { full_name: "primary_tenant_name" }, tenants: "all", ...occupiedOnly },
      { entityType: "occupant", sourceFields: { tenant_name: "primary_tenant_name" }, tenants: "rest", ...occupiedOnly },
      ...depositAndBalanceOutputs(occupiedOnly),
    ],
    hasSections: true,
  },
  {
    name: "charges_and_payments",
    description: "Import template Charges and payments: one row for each transaction.",
    columns: [
      formColumn("Date", "date", "06/01/2026"),
      formColumn("Transaction type", "transaction_type", "Charge", "Type"),
      formColumn("Property name", "property_name", "Maple Court", "Property"),
      formColumn("Unit number", "unit_number", "101", "Unit"),
      lease,
      formColumn("Payment method", "method", ""),
      formColumn("Paid by", "tenant_name", ""),
      formColumn("Amount", "amount", "1495.00"),
      formColumn("General Ledger Allocation", "gl_account", "Rent Income", "GL account"),
      formColumn("Memo", "label", "June rent"),
      formColumn("Check number", "check_number", ""),
      formColumn("Id", "source_id", "700001", "TransactionId"),
    ],
    outputs: [
      { entityType: "charge", sourceFields: { source_id: "source_id" } },
      { entityType: "payment", sourceFields: { source_id: "source_id", received_date: "date" } },
    ],
    rowType: {
      field: "transaction_type",
      values: { charge: /\b(charges?|bill|invoice)\b|^debit$/i, payment: /payments?\b|receipt/i },
      // Refunds, reversals and credits move money the other way or move none.
      unsupported: /refund|revers|return|void|credit|appl(y|ied)|waive|bounced|nsf payment|payment nsf/i,
      suggestion: "Charge or Payment",
    },
  },
];
