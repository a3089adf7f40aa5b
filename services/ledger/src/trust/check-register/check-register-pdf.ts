/** Check register as a PDF of letter size. */
import type { Check, CheckRegister } from "@freehold/contract/trust/check-register";
import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH, write } from "../../pdf/letter.ts";
import { drawHeader, placeRow, type Row } from "../../pdf/table.ts";
import { dollars, usDate } from "../../pdf/values.ts";

const [NUMBER_WIDTH, DATE_WIDTH, STATUS_WIDTH, AMOUNT_WIDTH] = [80, 64, 110, 90];
const columns = [
  { header: "Number", width: NUMBER_WIDTH },
  { header: "Date", width: DATE_WIDTH },
  { header: "Payee", width: WIDTH - NUMBER_WIDTH - DATE_WIDTH - STATUS_WIDTH - AMOUNT_WIDTH },
  { header: "Status", width: STATUS_WIDTH },
  { header: "Amount", width: AMOUNT_WIDTH, align: "right" as const },
];
const purposes: Record<Check["entityType"], string> = {
  expense_payment: "Expenses",
  owner_payable: "Payout to an owner",
  security_deposit: "Refund of a security deposit",
  payment: "Refund of a payment",
};

/** Returns the PDF of a register: its checks by number, their sums, and the numbers that are missing. */
export function checkRegisterPdf(organizationName: string, register: CheckRegister): Readable {
  const { bankAccountName, from, to, missingNumbers } = register;
  const period = `${usDate(from)} to ${usDate(to)}`;
  const title = `Check register of ${bankAccountName}, ${period}`;
  const letter = startLetter(organizationName, "Check register", title, [
    ["Account", bankAccountName],
    ["Period", period],
  ]);
  const output = outputOf(letter);
  const draw = async () => {
    drawHeader(letter, columns);
    for (const row of rowsOf(register)) {
      if (placeRow(letter, columns, row)) await setImmediate();
      if (output.destroyed) return;
    }
    letter.y += 12;
    if (missingNumbers.length === 0) write(letter, "No number is missing.", { width: WIDTH });
    else for (const row of missingRows(missingNumbers)) placeRow(letter, missingColumns, row);
    finishLetter(letter, title);
  };
  draw().catch((error: Error) => output.destroy(error));
  return output;
}

function* rowsOf({ checks, totals }: CheckRegister): Iterable<Row> {
  for (const { number, date, payee, amountCents, status, clearedOn, entityType } of checks)
    yield {
      cells: [number ?? "", usDate(date), payee ?? "", clearedOn === null ? status : `cleared by ${usDate(clearedOn)}`, dollars(amountCents)],
      notes: { column: 2, texts: [purposes[entityType]] },
    };
  const total = (label: string, cents: number): Row => ({ cells: ["", "", label, "", dollars(cents)], isBold: true });
  yield total("Total without voided checks", totals.amountCents);
  yield total("Cleared", totals.clearedCents);
  yield total("Outstanding", totals.outstandingCents);
  yield total("Voided", totals.voidedCents);
}

const missingColumns = [{ header: "Missing numbers", width: WIDTH }];

function* missingRows(missingNumbers: CheckRegister["missingNumbers"]): Iterable<Row> {
  yield { cells: ["Missing numbers"], isBold: true };
  for (const { firstNumber, lastNumber } of missingNumbers)
    yield { cells: [firstNumber === lastNumber ? String(firstNumber) : `${firstNumber} to ${lastNumber}`] };
}
