/** Forms of the sheets of the generic template, with columns that spreadsheets without ids have in addition. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { type Form, formColumn, type FormColumn, type RowOutput } from "./form.ts";
import { allSheets, type Sheet } from "./generic.ts";

const property = formColumn("property_name", "property_name", "Maple Court");
const unit = formColumn("unit_number", "unit_number", "101");
const tenant = [formColumn("tenant_name", "tenant_name", "Sam Sample"), formColumn("tenant_email", "tenant_email", "sam@example.com")];

/** Columns of deposits and balances in a file of leases. */
const moneyOfLeases = [
  formColumn("amount_held", "amount_held", "1495.00"),
  formColumn("holder", "holder", "manager"),
  formColumn("bank_account", "bank_account", "Deposit trust account"),
  formColumn("received_date", "received_date", "2025-12-28"),
  formColumn("balance", "balance", "120.00"),
  formColumn("prepaid", "prepaid", "0.00"),
  formColumn("as_of", "as_of", "2026-06-30"),
];

/** Columns that are read, but are not part of the template. */
const untemplatedColumns: Partial<Record<ImportEntityType, readonly FormColumn[]>> = {
  unit: [formColumn("bed_bath", "bed_bath", "2/1.5")],
  owner: [formColumn("first_name", "first_name", "Jordan"), formColumn("last_name", "last_name", "Example")],
  ownership: [property, formColumn("owner_name", "owner_name", "Jordan Example")],
  vendor: [formColumn("contact_name", "contact_name", "Pat Brightwater")],
  tenant: [formColumn("company_name", "company_name", ""), property, unit],
  lease: [
    formColumn("primary_tenant_email", "primary_tenant_email", "sam@example.com"),
    formColumn("tenant_names", "tenant_names", "Sam Sample; Alex Sample"),
    ...moneyOfLeases,
  ],
  recurring_charge: [property, unit],
  deposit: [property, unit, ...tenant],
  opening_balance: [property, unit, ...tenant],
  charge: [property, unit],
  payment: [property, unit, ...tenant],
  occupant: [property, unit, tenant[1]!],
};

/** Ids by which a row of leases names its unit; its deposit, balance and occupants belong to the same unit. */
const unitIds = ["property_source_id", "unit_source_id"];
const ofLease = { lease_source_id: "source_id", tenant_name: "primary_tenant_name", tenant_email: "primary_tenant_email" };

/** Candidates that a row of leases produces besides the lease: its co-tenants, and its deposit and balance if it has them. */
const outputsOfLeases: readonly RowOutput[] = [
  {
    entityType: "occupant",
    sourceFields: { lease_source_id: "source_id", tenant_name: "co_tenants" },
    extraFields: unitIds,
    splitBy: "co_tenants",
    requires: ["co_tenants"],
  },
  { entityType: "deposit", sourceFields: ofLease, extraFields: unitIds, requires: ["amount_held"], nonZero: ["amount_held"], isOptional: true },
  { entityType: "opening_balance", sourceFields: ofLease, extraFields: unitIds, asOfReportDate: true, nonZero: ["balance", "prepaid"], isOptional: true },
];

/** Columns of charges and payments of which a file needs one, or it may be a list of all kinds of transactions. */
const kindColumns: Partial<Record<ImportEntityType, readonly string[]>> = {
  charge: ["label", "due_date", "source_id"],
  payment: ["method", "check_number", "source_id"],
};

/** Forms of the sheets. */
export const genericForms: readonly Form[] = allSheets.map(sheetForm);

function sheetForm({ file, entityType, description, columns }: Sheet): Form {
  return {
    name: file,
    description,
    columns: [...columns.map(({ name, example }) => formColumn(name, name, example)), ...(untemplatedColumns[entityType] ?? [])],
    outputs: [{ entityType, sourceFields: { source_id: "source_id" } }, ...(entityType === "lease" ? outputsOfLeases : [])],
    ...(kindColumns[entityType] && { kindColumns: kindColumns[entityType] }),
  };
}
