/** Statement of a lease or tenant as a PDF of letter size. */
import type { AccountStatement } from "@freehold/contract/ledger/ledgers";
import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH, type Letter } from "../../pdf/letter.ts";
import { drawHeader, placeRow, type Row } from "../../pdf/table.ts";
import { dollars, usDate } from "../../pdf/values.ts";
import type { StatementNames } from "./statement-names.ts";

type Entry = AccountStatement["entries"][number];

const AMOUNT_WIDTH = 82;
const columns = [
  { header: "Date", width: 64 },
  { header: "Description", width: WIDTH - 64 - 3 * AMOUNT_WIDTH },
  { header: "Charges", width: AMOUNT_WIDTH, align: "right" as const },
  { header: "Payments", width: AMOUNT_WIDTH, align: "right" as const },
  { header: "Balance", width: AMOUNT_WIDTH, align: "right" as const },
];
const DESCRIPTION = 1;
/** Maximum number of allocations in a table row: few enough that the tallest possible row, with the longest names of the widest characters, fits on a page. */
const ALLOCATIONS_PER_ROW = 3;

/** Returns the PDF of a statement: letterhead, tenant and period, and a table of opening balance, entries with their allocations, and closing balance. */
export function statementPdf(statement: AccountStatement, names: StatementNames): Readable {
  const period = `${usDate(statement.from)} to ${usDate(statement.to)}`;
  const title = `Statement of ${names.tenantName}, ${period}`;
  const letter = startLetter(names.organizationName, "Statement", title, detailsOf(statement, names, period));
  const output = outputOf(letter);
  drawRows(letter, rowsOf(statement, names), () => output.destroyed).then(
    () => output.destroyed || finishLetter(letter, title),
    (error: Error) => output.destroy(error),
  );
  return output;
}

function detailsOf({ ledgerVersion }: AccountStatement, { tenantName, propertyName, unitNumber }: StatementNames, period: string): [string, string][] {
  const unit = [propertyName, unitNumber].filter((name) => name !== null).join(", unit ");
  return [["Tenant", tenantName], ...(unit ? [["Lease", unit] as [string, string]] : []), ["Period", period], ["Ledger version", String(ledgerVersion)]];
}

/** Draws a table. Yields to other requests at each new page, and stops when the client has disconnected. */
async function drawRows(letter: Letter, rows: Iterable<Row>, isAborted: () => boolean): Promise<void> {
  drawHeader(letter, columns);
  for (const row of rows) {
    const isNextPage = placeRow(letter, columns, row);
    if (isNextPage) await setImmediate();
    if (isAborted()) return;
  }
}

function* rowsOf(statement: AccountStatement, names: StatementNames): Iterable<Row> {
  const { from, to, openingBalanceCents, closingBalanceCents, debitTotalCents, creditTotalCents } = statement;
  yield { cells: [usDate(from), "Opening balance", "", "", dollars(openingBalanceCents)], isBold: true };
  for (const entry of statement.entries) yield* rowsOfEntry(entry, names);
  yield { cells: [usDate(to), "Closing balance", dollars(debitTotalCents), dollars(creditTotalCents), dollars(closingBalanceCents)], isBold: true };
}

/** Returns the row of an entry with its first allocations, and rows with the others, so that each row fits on a page. */
function* rowsOfEntry(entry: Entry, names: StatementNames): Iterable<Row> {
  let cells = [usDate(entry.date), entry.description, amount(entry.debitCents), amount(entry.creditCents), dollars(entry.balanceCents)];
  let start = 0;
  do {
    const allocations = entry.allocations.slice(start, start + ALLOCATIONS_PER_ROW);
    yield { cells, notes: { column: DESCRIPTION, texts: allocations.map((allocation) => noteOf(entry, allocation, names)) } };
    cells = [];
    start += ALLOCATIONS_PER_ROW;
  } while (start < entry.allocations.length);
}

const amount = (cents: number): string => (cents === 0 ? "" : dollars(cents));

/** Returns the note on an allocation: the payment that settles the charge of the entry, or the charge that its payment settles. */
function noteOf({ kind }: Entry, { chargeId, paymentId, amountCents }: Entry["allocations"][number], { charges, payments }: StatementNames): string {
  const [charge, payment] = [charges.get(chargeId), payments.get(paymentId)];
  return kind === "charge"
    ? `Paid ${dollars(amountCents)}${payment ? ` on ${usDate(payment.date)}` : ""}`
    : `Applied ${dollars(amountCents)} to ${charge ? `${charge.name} due ${usDate(charge.date)}` : "a charge"}`;
}
