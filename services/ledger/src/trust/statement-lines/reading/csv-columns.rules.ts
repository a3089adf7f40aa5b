/** Columns of bank statements in CSV, by the names that banks give them. */

const aliases = {
  date: ["date", "posted date", "posting date", "post date", "posted", "transaction date", "date posted", "booking date", "value date"],
  amount: ["amount", "transaction amount", "amount usd", "net amount"],
  debit: ["debit", "debits", "debit amount", "withdrawal", "withdrawals", "withdrawal amount", "paid out", "money out", "payments"],
  credit: ["credit", "credits", "credit amount", "deposit", "deposits", "deposit amount", "paid in", "money in", "receipts"],
  description: ["description", "transaction description", "memo", "details", "payee", "name", "narrative", "transaction"],
  reference: ["reference", "ref", "reference number", "check number", "check no", "check", "check or slip", "cheque number", "number", "serial number"],
  currency: ["currency", "currency code", "curr"],
  accountNumber: ["account number", "account no", "account id"],
} as const;

export type Column = keyof typeof aliases;
/** Index of each column of a file. */
export type Columns = Partial<Record<Column, number>>;

/** Returns a name without case, punctuation and double spaces. */
const normalize = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();

/** Returns the columns of a header row by the first name that is known, or undefined for a row that is no header: without a date or an amount. */
export function findColumns(cells: readonly string[]): Columns | undefined {
  const names = cells.map(normalize);
  const columns: Columns = {};
  for (const [column, known] of Object.entries(aliases) as [Column, readonly string[]][]) {
    const alias = known.find((each) => names.includes(each));
    if (alias !== undefined) columns[column] = names.indexOf(alias);
  }
  const hasAmount = columns.amount !== undefined || columns.debit !== undefined || columns.credit !== undefined;
  return columns.date !== undefined && hasAmount ? columns : undefined;
}
