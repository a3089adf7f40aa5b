/** README.txt of a template archive, generated from the same sheets as the CSV files. */
import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { TemplateSheet } from "./provider-sheets.ts";

const introduction = `Importing into Freehold
=======================

Fill in the files you have data for and leave out the others. Each file has its column names in the
first row and one example row: replace the example with your own rows.

Formats
- Dates: 2026-01-31. 01/31/2026 and 1/31/26 are read as month, day, year.
- Money: dollars and cents, 1095.00. $1,095.00 is accepted, and (50.00) is read as minus 50.
- An empty cell means "not known", which is different from 0.
- Save as CSV (UTF-8, or the CSV format of your spreadsheet) or as an Excel workbook (.xlsx) with one sheet for each file. Commas, semicolons and tabs are accepted as separators.
- Columns can be in any order, and need not have these names: "Unit #", "Sq Ft", "Monthly Rent" or "Lease From" are recognized.
  Unknown columns are stored with the row and have no effect; each one with data is listed in the warnings of its file.

References between rows
- A row refers to another row by its source_id, for example lease_source_id in charges.csv. The order of the files does not matter.
- Files without IDs are fine: leave the columns out. A row is then identified by what it contains, the same in every import:
  properties by their name, units by property and number, tenants, owners and vendors by their name and e-mail address, leases
  by unit, first day and tenant. Other rows refer to them by property_name, unit_number, and the name or the e-mail address of a
  person.
- leases.csv can contain money of the lease, too: the columns amount_held (such as "Security Deposit") and balance (such as
  "Balance Due"), and with them bank_account, holder, received_date, prepaid and as_of as in deposits.csv and opening_balances.csv.
- A rent roll, one row for each unit with its address, tenants and their contact data, lease, deposit and balance, is accepted as
  a single file instead of the others.
- Each import has a namespace of your choice, in which source IDs are remembered. When you import a file again under the same
  namespace, rows that were imported before are recognized and not duplicated.

How rows are matched with existing records, in this order
1. By source_id, if a row with it was imported before under the same namespace.
2. By e-mail address; properties by street address, units by their number in the property, leases by their first day in
   the unit.
3. By name, for vendors.
If only the name of a person or a property matches, or two records match equally well, the row is marked ambiguous and waits
for your decision. Nothing is written before you have reviewed the validation and started the import.

Records are written in this order: owners, vendors, properties, ownership, units, tenants, leases, occupants,
recurring charges, deposits, opening balances, charges, payments, expenses, work orders.

An asterisk marks a required column. Where one of several columns is required, their descriptions say so.
`;

const nameColumnWidth = (sheet: TemplateSheet): number => Math.max(...sheet.columns.map(({ name }) => name.length)) + 3;

function sheetSection(sheet: TemplateSheet): string {
  const title = `${sheet.file}.csv`;
  const width = nameColumnWidth(sheet);
  const lines = sheet.columns.map(({ name, description, isRequired }) => `  ${`${name}${isRequired ? " *" : ""}`.padEnd(width)}${description}`);
  return [title, "-".repeat(title.length), sheet.description, "", ...lines, ""].join("\n");
}

const systemNames = { appfolio: "AppFolio", buildium: "Buildium" };

const systemSection = (system: string): string => `Files of ${system}
${"-".repeat(`Files of ${system}`.length)}
These files have the names and columns of ${system}'s own reports and templates: export them there and send them unchanged,
including titles, totals and headings. Columns can be in any order; listed ones can be missing, and others are accepted. A file
can contain several kinds of records: a rent roll contains units, leases, tenants, deposits and balances. For data that
${system} does not export, use the files of the generic template.
`;

/** Returns the text of the README with a description of every column, with Windows line endings. */
export function templateReadme(sheets: readonly TemplateSheet[], provider: ImportProvider): string {
  const system = provider === "generic" ? [] : [systemSection(systemNames[provider])];
  return [introduction, ...system, ...sheets.map(sheetSection)].join("\n").replaceAll("\n", "\r\n");
}
