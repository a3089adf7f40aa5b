/** The README.txt of a template ZIP: written from the same table as the headers, so the two cannot disagree. */
import type { ImportProvider } from "@freehold/contract/import-bundles";
import type { Sheet } from "../providers/generic.ts";

const opening = `Importing into Freehold
=======================

Fill in the files you have data for and leave out the others. Each file has its column names in the
first row and one example row: replace the example with your own rows.

How to write values
- Dates: 2026-01-31. 01/31/2026 and 1/31/26 are understood as month, day, year.
- Money: dollars and cents, 1095.00. $1,095.00 is understood, and (50.00) as minus 50.
- An empty cell means "not known", which is not the same as 0.
- Save as CSV (UTF-8, or what your spreadsheet calls CSV). Commas, semicolons and tabs all work as separators.
- Column names may stand in any order. Columns we do not know are kept with the row and change nothing.

How rows find each other
- A row names another one by its source_id, for example lease_source_id in charges.csv. The files may come in any order.
- The import has a namespace that you choose, and source ids are remembered in it. Importing a file again with the
  same namespace updates nothing twice: rows already imported are recognised.

How rows find what is already in Freehold, in this order
1. The source_id, if a row with it was imported before in the same namespace.
2. The same e-mail address; for properties the same street address, for units the same number in the property, for leases
   the same first day in the unit.
3. The same name, for vendors.
If only the name of a person or a property fits, or two records fit equally well, the row is marked ambiguous and waits
for you to choose. Nothing is written before you have seen the result of the check and started the import.

The files are read in this order: owners, vendors, properties, ownership, units, tenants, leases, recurring charges,
deposits, opening balances and charges, payments.

A star marks a column that must be filled in.
`;

const widthOf = (sheet: Sheet): number => Math.max(...sheet.columns.map(({ name }) => name.length)) + 3;

function chapter(sheet: Sheet): string {
  const title = `${sheet.file}.csv`;
  const width = widthOf(sheet);
  const lines = sheet.columns.map(({ name, says, isRequired }) => `  ${`${name}${isRequired ? " *" : ""}`.padEnd(width)}${says}`);
  return [title, "-".repeat(title.length), sheet.says, "", ...lines, ""].join("\n");
}

const systems = { appfolio: "AppFolio", buildium: "Buildium" };

const ofSystem = (system: string): string => `Files of ${system}
${"-".repeat(`Files of ${system}`.length)}
These files have the names and columns of ${system}'s own reports and templates: export them there and send them as they are,
titles, totals and headings included. Columns may be missing, stand in any order, and be more than are listed here. One file
may say several things: a rent roll gives units, leases, tenants, deposits and balances. What ${system} has no export for
can be sent in the generic template's files.
`;

/** Explains every column of every sheet, with the line ends that the simplest editors want. */
export function readme(sheets: readonly Sheet[], provider: ImportProvider): string {
  const about = provider === "generic" ? [] : [ofSystem(systems[provider])];
  return [opening, ...about, ...sheets.map(chapter)].join("\n").replaceAll("\n", "\r\n");
}
