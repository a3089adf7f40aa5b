/** Names that people give to the columns of their own spreadsheets, by entity type and field. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";

/** Names of one field, separated by commas. */
export interface Synonyms {
  /** Names that mean the field in any file. */
  names?: string;
  /** Names that mean the field only in a file of its entity type, such as `Date`. */
  ownNames?: string;
  /** Names that probably mean the field. */
  likelyNames?: string;
}
type FieldSynonyms = Readonly<Record<string, Synonyms>>;

const propertyName: FieldSynonyms = {
  property_name: {
    names: "Property, Property Name, Building, Building Name, Site, Complex, Community",
    likelyNames: "Property Address, Building Address, Address, Location",
  },
  property_source_id: { names: "Property ID, Property Code, Building ID" },
};
const unitNumber: FieldSynonyms = {
  unit_number: {
    names: "Unit, Unit Number, Unit Name, Suite, Suite Number, Space, Space Number, Door, Room, Room Number, Lot, Lot Number",
    likelyNames: "Number",
  },
  unit_source_id: { names: "Unit ID, Unit Code" },
};
const leaseReference: FieldSynonyms = {
  ...propertyName,
  ...unitNumber,
  lease_source_id: { names: "Lease ID, Lease Number, Lease Code", likelyNames: "Lease" },
};
const tenantName = "Tenant, Tenant Name, Tenant Full Name, Primary Tenant, Primary Tenant Name";
const tenantEmail = "Tenant Email, Tenant Email Address, Primary Tenant Email";
const tenantReference: FieldSynonyms = {
  tenant_name: { names: `${tenantName}, Payer, Received From`, ownNames: "Name, Paid By", likelyNames: "Tenants" },
  tenant_email: { names: tenantEmail, ownNames: "Email, Email Address" },
  tenant_source_id: { names: "Tenant ID, Tenant Code" },
};
const address: FieldSynonyms = {
  street_line1: {
    names:
      "Address, Street, Street Address, Address 1, Address Line 1, Street 1, Street Address 1, Mailing Address, Property Address, Building Address, Site Address",
  },
  street_line2: { names: "Address 2, Address Line 2, Street 2, Street Address 2", likelyNames: "Suite" },
  city: { names: "City, Town, Municipality, Property City, Mailing City" },
  state: { names: "State, ST, Province, State Province, Property State, Mailing State" },
  postal_code: { names: "Zip, Zip Postal Code, Property Zip, Mailing Zip" },
};
/** Names of the contact fields of a person or a company, whose kind may precede them. */
const contact = (kind: string): FieldSynonyms => {
  const both = (...names: string[]) => names.flatMap((name) => [name, `${kind} ${name}`]).join();
  return {
    email: { names: both("Email", "Email Address", "Primary Email", "Contact Email", "Personal Email", "Work Email") },
    phone: {
      names: both(
        "Phone",
        "Phone Number",
        "Mobile Phone",
        "Mobile Phone Number",
        "Primary Phone",
        "Home Phone",
        "Work Phone",
        "Office Phone",
        "Day Phone",
        "Contact Phone",
        "Contact Number",
      ),
    },
    first_name: { names: both("First Name", "First") },
    last_name: { names: both("Last Name", "Last") },
    company_name: {
      names: both("Company", "Company Name", "Business", "Business Name", "Entity", "Entity Name", "Organization", "LLC"),
      likelyNames: "Legal Name",
    },
  };
};
const include1099: Synonyms = {
  names: "1099, Send 1099, Include 1099, Issue 1099, Needs 1099, Gets 1099, Receives 1099, 1099 Required, 1099 Eligible, 1099 Vendor",
};
const startDate: Synonyms = {
  names: "Start, Start Date, Lease Start, Lease Start Date, Lease From, Lease From Date, From, From Date, Term Start, Term Start Date",
  likelyNames: "Lease Date, Effective Date",
};
const endDate: Synonyms = {
  names:
    "End, End Date, Lease End, Lease End Date, Lease To, Lease To Date, To, To Date, Term End, Term End Date, Until, Thru, Through, Lease Thru, Expiration, Expiration Date, Lease Expiration, Lease Expiration Date",
};
const dueDay = "Due Day, Rent Due Day, Payment Due Day, Rent Day";
const categoryCode: Synonyms = { names: "Account Code, GL Code, GL Account, GL Account Number, Account Number, Income Account" };
const propertyNames = "Property, Property Name, Building, Building Name, Site, Site Name, Complex, Community";

export const synonyms: Partial<Record<ImportEntityType, FieldSynonyms>> = {
  property: {
    source_id: { names: "Property ID, Property Code, Building ID", ownNames: "ID" },
    name: { names: propertyNames, likelyNames: "Location" },
    ...address,
    units: { names: "Unit Count, Number of Units, Total Units, Door Count, Doors, Units" },
    asset_class: { names: "Type, Property Type, Building Type, Asset Type, Property Class, Building Class, Use", likelyNames: "Class, Category" },
    reserve: { names: "Operating Reserve, Property Reserve, Owner Reserve, Reserve Amount, Reserve Fund", likelyNames: "Minimum Balance" },
    management_start_date: {
      names: "Managed Since, Management Since, Management Start, Management Start Date, Under Management Since, Date Managed",
      likelyNames: "Start Date",
    },
  },
  unit: {
    source_id: { names: "Unit ID, Unit Code", ownNames: "ID" },
    ...propertyName,
    unit_number: unitNumber["unit_number"]!,
    unit_type: { names: "Unit Type, Unit Category", ownNames: "Type, Use" },
    bedrooms: { names: "Bed, Number of Beds, Bed Count" },
    bathrooms: { names: "Bath, Number of Baths, Bath Count" },
    bed_bath: { names: "Bed Bath" },
    square_feet: { names: "Area, Unit Area, Living Area, Floor Area, Size, Unit Size, Size Sq Ft, Rentable Area, Rentable Sq Ft" },
    market_rent: {
      names: "Market Rent, Market Rate, Asking Rent, List Rent, Listed Rent, Advertised Rent, Target Rent, Fair Market Rent, Monthly Market Rent",
    },
    monthly_rent: { names: "Rent, Monthly Rent, Current Rent, Actual Rent, Rent Amount, Monthly Rent Amount, Contract Rent, Lease Rent, Current Monthly Rent" },
    status: { names: "Occupancy, Occupancy Status, Unit Status, Occupied" },
  },
  owner: {
    source_id: { names: "Owner ID, Owner Code", ownNames: "ID" },
    full_name: { names: "Name, Owner, Owner Name, Contact, Contact Name, Contact Person, Owner Full Name" },
    ...contact("Owner"),
    ...address,
    tax_id_type: { names: "Tax ID Type, Tax Type, TIN Type" },
    include_1099: include1099,
  },
  ownership: {
    ...propertyName,
    owner_name: { names: "Owner, Owner Name, Owner Email", ownNames: "Name" },
    owner_source_id: { names: "Owner ID, Owner Code" },
    share_percent: {
      names: "Ownership Percent, Share, Share Percent, Ownership Share, Percent, Percent Owned, Interest, Ownership Interest",
      ownNames: "Ownership",
    },
    effective_date: { names: "Since, Effective, Effective Date, Owner Since, From, Start Date, Start" },
  },
  vendor: {
    source_id: { names: "Vendor ID, Vendor Code", ownNames: "ID" },
    ...contact("Vendor"),
    name: { names: "Vendor, Vendor Name, Company, Company Name, Business, Business Name" },
    contact_name: { names: "Contact, Contact Name, Contact Person" },
    trade: { names: "Trade, Category, Specialty, Service, Service Type, Vendor Type, Type, Type of Work, Skill" },
    insurance_provider: { names: "Insurance, Insurer, Insurance Company, Insurance Carrier, Carrier" },
    insurance_policy: { names: "Policy, Policy Number, Insurance Policy Number, Insurance Number" },
    insurance_expires: {
      names:
        "Insurance Expiration, Insurance Expiration Date, COI Expiration, COI Expiration Date, COI, Policy Expiration, Policy Expiration Date, Expiration, Expiration Date, Insured Until",
    },
    include_1099: include1099,
    notes: { names: "Note, Comment, Remark, Memo" },
    ...address,
  },
  tenant: {
    source_id: { names: "Tenant ID, Tenant Code", ownNames: "ID" },
    full_name: { names: `Name, Full Name, ${tenantName}, Tenants, Tenant Names`, likelyNames: "Names" },
    ...contact("Tenant"),
    date_of_birth: { names: "Date of Birth, Tenant Date of Birth, Born" },
    preferred_language: { names: "Language, Lang, Preferred Language, Language Code" },
    ...propertyName,
    ...unitNumber,
  },
  lease: {
    source_id: { names: "Lease ID, Lease Number, Lease Code", ownNames: "ID" },
    ...propertyName,
    ...unitNumber,
    primary_tenant_name: { names: tenantName, ownNames: "Name" },
    primary_tenant_email: { names: tenantEmail, ownNames: "Email, Email Address" },
    primary_tenant_source_id: { names: "Tenant ID, Tenant Code, Primary Tenant ID" },
    tenant_names: { names: "Tenants, Tenants Names, Tenant Names, All Tenants, Names" },
    co_tenants: { names: "Co-Tenants, Co-Tenant Names, Other Tenants, Additional Tenants, Roommates" },
    lease_kind: { likelyNames: "Lease Type, Type" },
    term_type: { names: "Term, Lease Term, Term Type, Tenancy Type, Agreement Type", likelyNames: "Lease Type, Type" },
    status: { names: "Lease Status, Tenancy Status", ownNames: "Status, Tenant Status" },
    start_date: startDate,
    end_date: endDate,
    move_in_date: { names: "Move In, Move In Date, Occupied Since" },
    rent: {
      names: "Rent, Monthly Rent, Rent Amount, Monthly Rent Amount, Base Rent, Current Rent, Lease Rent, Contract Rent, Tenant Rent",
      likelyNames: "Amount",
    },
    rent_charge_day: { names: `${dueDay}, Day Due`, likelyNames: "Rent Due, Due On, Due" },
    late_fee_amount: { names: "Late Fee, Late Charge, Late Fee Amount" },
    late_fee_percent: { names: "Late Fee Percent, Late Charge Percent" },
    late_fee_grace_days: { names: "Grace, Grace Days, Grace Period, Grace Period Days, Late Fee Grace Period, Late Fee Grace Days" },
  },
  occupant: {
    ...leaseReference,
    ...tenantReference,
    role: { names: "Role, Relationship", ownNames: "Type" },
    move_in_date: { names: "Move In, Move In Date" },
  },
  recurring_charge: {
    source_id: { ownNames: "ID" },
    ...leaseReference,
    label: { names: "Charge, Charge Name, Description, Item, Name, Label" },
    kind: { names: "Type, Kind, Charge Type" },
    amount: { names: "Amount, Monthly Amount, Charge Amount, Monthly Charge, Price", likelyNames: "Fee, Rate" },
    day_of_month: { names: `${dueDay}, Day Due, Day, Day of Month, Charge Day` },
    start_date: startDate,
    end_date: endDate,
    category_code: categoryCode,
  },
  deposit: {
    ...leaseReference,
    ...tenantReference,
    amount_held: {
      names:
        "Deposit, Deposit Amount, Deposit Held, Deposit Paid, Security, Security Deposit, Security Deposit Amount, Security Deposit Held, Security Deposit Paid, Amount Held, Deposit Amount Held, Deposit Balance, Security Deposit Balance, Deposit On Hand",
      ownNames: "Amount, Held",
      likelyNames: "SD",
    },
    holder: { names: "Held By, Deposit Holder, Deposit Held By" },
    bank_account: {
      names: "Trust Account, Escrow Account, Bank Account, Bank Account Name, Deposit Account, Deposit Bank Account, Security Deposit Account",
      ownNames: "Bank, Account, Held In, Held At",
    },
    received_date: {
      names: "Deposit Date, Deposit Received, Deposit Received Date, Deposit Received On, Deposit Paid On",
      ownNames: "Date, Date Received, Received, Received On, Paid On, Date Paid",
    },
  },
  opening_balance: {
    ...leaseReference,
    ...tenantReference,
    balance: {
      names:
        "Balance, Balance Due, Balance Owed, Past Due, Past Due Amount, Past Due Balance, Amount Owed, Amount Past Due, Owed, Owing, Outstanding, Outstanding Balance, Outstanding Amount, Opening Balance, Current Balance, Open Balance, Unpaid, Unpaid Balance, Account Balance, Tenant Balance, Lease Balance, Arrears, Delinquent, Delinquent Amount, Delinquency",
      ownNames: "Amount, Due",
      likelyNames: "Amount Due, Total Due",
    },
    prepaid: { names: "Prepaid, Prepaid Rent, Prepayment, Prepaid Amount, Credit Balance, Tenant Credit, Unapplied Credit" },
    as_of: { names: "As Of, As Of Date, Balance Date, Balance As Of, Balance As Of Date, Date As Of", ownNames: "Date" },
  },
  charge: {
    source_id: { names: "Charge ID, Transaction ID", ownNames: "ID" },
    ...leaseReference,
    date: { names: "Date, Charge Date, Transaction Date, Posted, Posted On, Posting Date, Date Posted" },
    due_date: { names: "Due, Due On, Date Due, Due Date" },
    type: { names: "Type, Charge Type, Kind", likelyNames: "Category" },
    label: { names: "Description, Label, Memo, Detail, Item, Charge Name, Name, Note", likelyNames: "Charge" },
    amount: { names: "Amount, Charge Amount", likelyNames: "Total" },
    category_code: categoryCode,
  },
  payment: {
    source_id: { names: "Payment ID, Transaction ID", ownNames: "ID" },
    ...leaseReference,
    ...tenantReference,
    received_date: { names: "Date, Payment Date, Date Received, Received, Received On, Paid On, Date Paid, Transaction Date", likelyNames: "Deposit Date" },
    amount: { names: "Amount, Amount Paid, Payment, Payment Amount, Paid, Amount Received", likelyNames: "Total" },
    method: { names: "Method, Payment Method, Payment Type, Paid With, Paid Via", likelyNames: "Type" },
    check_number: { names: "Check, Check Number, Reference Number", likelyNames: "Reference" },
  },
  expense: {
    source_id: { names: "Expense ID, Bill ID, Transaction ID", ownNames: "ID" },
    ...propertyName,
    ...unitNumber,
    vendor_name: { names: "Vendor, Vendor Name, Payee, Payee Name, Supplier, Pay To, Paid To" },
    vendor_source_id: { names: "Vendor ID, Payee ID" },
    date: { names: "Date, Expense Date, Bill Date, Invoice Date, Transaction Date, Incurred, Incurred On" },
    due_date: { names: "Due, Due On, Date Due, Due Date" },
    category: { names: "Category, Expense Category, Expense Type", likelyNames: "Type, Account Name, Expense Account" },
    category_code: { names: "Account, Account Code, Account Number, GL Account, GL Code, Category Code" },
    amount: { names: "Amount, Bill Amount, Expense Amount, Invoice Amount", likelyNames: "Total, Cost" },
    label: { names: "Description, Label, Memo, Item, Expense, Expense Name", likelyNames: "Name" },
    description: { names: "Detail, Note, Comment" },
    invoice_number: { names: "Invoice, Invoice Number, Invoice ID, Bill Number, Reference Number", likelyNames: "Reference" },
  },
  work_order: {
    source_id: { names: "Work Order ID, Work Order Number, WO Number, Ticket Number", ownNames: "ID" },
    ...propertyName,
    ...unitNumber,
    title: { names: "Title, Issue, Summary, Subject, Problem, Request, Work Order, Task" },
    description: { names: "Description, Detail, Note, Instruction, Comment" },
    status: { names: "Status, Work Order Status" },
    priority: { names: "Priority, Urgency" },
    vendor_name: { names: "Vendor, Vendor Name, Assigned Vendor", likelyNames: "Assigned To" },
    created_date: {
      names: "Date, Created, Created On, Created At, Date Created, Reported, Date Reported, Requested, Date Requested, Request Date, Opened, Date Opened",
    },
    scheduled_date: { names: "Scheduled, Scheduled For, Date Scheduled, Appointment, Scheduled On" },
    completed_date: { names: "Completed, Completed On, Date Completed, Completion Date, Closed, Date Closed" },
    estimate: { names: "Estimate, Estimated Cost, Cost Estimate, Estimate Amount" },
  },
};
