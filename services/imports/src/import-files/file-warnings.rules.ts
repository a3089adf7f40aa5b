/** Warnings of a file about columns whose data would be lost silently. */
import type { BundleFile } from "@freehold/contract/imports/import-bundles";
import { cleanCell } from "../parsing/parsed.ts";
import { columnNameKey } from "../providers/column-name.ts";
import type { Form } from "../providers/form.ts";
import { mappableFields } from "../providers/forms.ts";

type Warning = BundleFile["warnings"][number];

/**
 * Stored warning of a file. With `column`, that column holds data, and the warning is shown while the column is not mapped. With `code`, the
 * warning was found by the validation, and each validation replaces it.
 */
export interface FileWarning extends Warning {
  column?: string;
  code?: "future_as_of" | "passed_term" | "equal_row";
}

/** Maximum number of columns that warnings name. */
const MAX_COLUMNS = 50;

/** Tells whether a cell holds data: not an empty one, a placeholder or a zero amount. */
export const holdsData = (cell: string): boolean => {
  const text = cleanCell(cell);
  return text !== "" && !/^[$\s]*0*(?:\.0*)?$/.test(text);
};

/** Words in the names of columns with money, and the fields to which the money belongs, with the files that have them. */
const moneyFields: readonly { words: RegExp; fields: readonly string[]; files: string }[] = [
  { words: /\b(?:prepaid|prepayment|credit)\b/, fields: ["prepaid"], files: "prepaid in leases.csv or opening_balances.csv" },
  { words: /\b(?:deposit|security)\b/, fields: ["amount_held"], files: "amount_held in leases.csv or deposits.csv" },
  {
    words: /\b(?:balance|owed|owing|due|arrear|delinquent|delinquency|outstanding|unpaid)\b/,
    fields: ["balance"],
    files: "balance in leases.csv or opening_balances.csv",
  },
  { words: /\b(?:payment|paid|received)\b/, fields: ["amount"], files: "amount in payments.csv" },
  { words: /\b(?:fee|charge|parking|pet|utility)\b/, fields: ["amount"], files: "amount in recurring_charges.csv or charges.csv" },
  { words: /\brent\b/, fields: ["rent", "monthly_rent", "market_rent"], files: "rent in leases.csv, or monthly_rent or market_rent in units.csv" },
  { words: /\breserve\b/, fields: ["reserve"], files: "reserve in properties.csv" },
];

/** Returns the sentence that says where the money of a column belongs, or undefined for a column without money. */
function moneyAdvice(form: Form | undefined, column: string, mapped: ReadonlySet<string>): string | undefined {
  const kind = moneyFields.find(({ words }) => words.test(columnNameKey(column)));
  if (!kind) return undefined;
  const mappable = form ? mappableFields(form) : new Set<string>();
  const field = kind.fields.find((each) => mappable.has(each) && !mapped.has(each));
  return field === undefined ? `If it is money to import, it belongs in ${kind.files}.` : `If it is money to import, map it to ${field}.`;
}

/** Returns the warnings of a file for its view: columns with data that are not mapped, then those of its rows. */
export function currentWarnings(form: Form | undefined, mapping: BundleFile["mapping"], stored: readonly FileWarning[]): Warning[] {
  const mapped = new Set(Object.values(mapping).filter((field) => field !== null));
  const lost = stored.filter(({ column }) => column !== undefined && (mapping[column] ?? null) === null).slice(0, MAX_COLUMNS);
  const taxIds = stored.filter(({ column }) => column !== undefined && mapping[column] === "tax_id_type");
  return [
    ...taxIds.map(({ row, column }) => ({
      row,
      message: `The column "${column}" is only stored with its rows: tax IDs are not imported. Enter them with the owners.`,
    })),
    ...lost.map(({ row, column }) => {
      const advice = moneyAdvice(form, column!, mapped) ?? "Map it to a field if it should be imported.";
      return { row, message: `The column "${column}" holds data that is not imported, only stored with its rows. ${advice}` };
    }),
    ...stored.flatMap(({ row, message, column }) => (column === undefined ? [{ row, message }] : [])),
  ];
}
