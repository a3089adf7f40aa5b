/** Statement of an owner as a PDF of letter size. */
import type { OwnerStatement } from "@freehold/contract/trust/owner-statements";
import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH } from "../../pdf/letter.ts";
import { drawHeader, placeRow, type Row } from "../../pdf/table.ts";
import { dollars, usDate } from "../../pdf/values.ts";
import type { StatementFigures } from "./owner-statement.rules.ts";

const AMOUNT_WIDTH = 90;
const columns = [
  { header: "Date", width: 64 },
  { header: "Description", width: WIDTH - 64 - 2 * AMOUNT_WIDTH },
  { header: "Amount", width: AMOUNT_WIDTH, align: "right" as const },
  { header: "Balance", width: AMOUNT_WIDTH, align: "right" as const },
];

/** Returns the PDF of a statement, the same bytes each time: letterhead, owner and period, a summary, and a table of the entries of each property. */
export function ownerStatementPdf(statement: OwnerStatement): Readable {
  const period = `${usDate(statement.periodStart)} to ${usDate(statement.periodEnd)}`;
  const title = `Owner statement of ${statement.ownerName}, ${period}`;
  const details: [string, string][] = [
    ["Owner", statement.ownerName],
    ["Period", period],
    ["Basis", statement.basis === "cash" ? "Cash" : "Accrual"],
    ["Ledger version", String(statement.ledgerVersion)],
  ];
  const letter = startLetter(statement.organizationName, "Owner statement", title, details, new Date(statement.createdAt));
  const output = outputOf(letter);
  const draw = async () => {
    drawHeader(letter, columns);
    for (const row of rowsOf(statement)) {
      if (placeRow(letter, columns, row)) await setImmediate();
      if (output.destroyed) return;
    }
    finishLetter(letter, title);
  };
  draw().catch((error: Error) => output.destroy(error));
  return output;
}

function* rowsOf(statement: OwnerStatement): Iterable<Row> {
  yield* summaryRows("All properties", statement);
  for (const property of statement.properties) {
    yield { cells: ["", property.propertyName, "", ""], isBold: true };
    for (const { date, description, accountName, vendorName, shareBps, amountCents, balanceCents } of property.entries) {
      const vendor = vendorName === null ? [] : [vendorName];
      const share = shareBps === null || shareBps === 10_000 ? [] : [`Share ${shareBps / 100} %`];
      yield {
        cells: [usDate(date), description, dollars(amountCents), dollars(balanceCents)],
        notes: { column: 1, texts: [[accountName, ...vendor, ...share].join(", ")] },
      };
    }
    yield* summaryRows(property.propertyName, property);
  }
}

function* summaryRows(name: string, figures: StatementFigures & { additionalReserveNote?: string | null }): Iterable<Row> {
  const row = (label: string, cents: number): Row => ({ cells: ["", label, dollars(cents), ""] });
  yield { cells: ["", `${name}: beginning balance`, "", dollars(figures.beginningCents)], isBold: true };
  yield row("Income", figures.incomeCents);
  yield row("Expenses", 0 - figures.expenseCents);
  yield row("Management fees", 0 - figures.feesCents);
  yield row("Contributions", figures.contributionsCents);
  yield row("Payouts to the owner", 0 - figures.distributionsCents);
  yield { cells: ["", `${name}: ending balance`, "", dollars(figures.endingCents)], isBold: true };
  if (figures.reserveCents > 0) yield row("Reserve of the property", figures.reserveCents);
  const { additionalReserveCents, additionalReserveNote } = figures;
  if (additionalReserveCents > 0)
    yield {
      ...row("Additional reserve of the property", additionalReserveCents),
      ...(additionalReserveNote && { notes: { column: 1, texts: [additionalReserveNote] } }),
    };
}
