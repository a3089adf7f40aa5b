/** Report of a reconciliation as a PDF of letter size. */
import type { ReconciliationItem, ThreeWay } from "@freehold/contract/trust/reconciliations";
import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH, type Letter } from "../../../pdf/letter.ts";
import { placeRow, startTable, type Column, type Row } from "../../../pdf/table.ts";
import { dollars, usDate } from "../../../pdf/values.ts";
import type { ReconciliationReport } from "./reconciliation-report.ts";

const AMOUNT = { width: 110, align: "right" as const };
const itemColumns: readonly Column[] = [
  { header: "Date", width: 70 },
  { header: "Description", width: WIDTH - 70 - AMOUNT.width },
  { header: "Amount", ...AMOUNT },
];
const balanceColumns: readonly Column[] = [
  { header: "Balance", width: WIDTH - AMOUNT.width },
  { header: "Amount", ...AMOUNT },
];
const beneficiaryNames = { owner: "Owners", deposit: "Security deposit", prepaid: "Prepaid rent", manager: "Manager" } as const;

/** Returns the name of a beneficiary, with that of the property whose money it is when an owner is named. */
const beneficiaryName = ({ kind, name, propertyName }: ThreeWay["byBeneficiary"][number]): string =>
  `${beneficiaryNames[kind]}: ${kind === "owner" && propertyName !== null && propertyName !== name ? `${name}, ${propertyName}` : name}`;

/** Part of a report: a table below its heading. */
interface Section {
  heading: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/** Returns the PDF of a report: the statement, the cleared and the outstanding transactions, and the proof by beneficiary. */
export function reconciliationPdf(report: ReconciliationReport): Readable {
  const { names, reconciliation } = report;
  const title = `Reconciliation of ${names.bankAccountName}, ${usDate(reconciliation.statementEndDate)}`;
  const createdAt = new Date(reconciliation.finalizedAt ?? reconciliation.updatedAt);
  const letter = startLetter(names.organizationName, "Bank reconciliation", title, detailsOf(report), createdAt);
  const output = outputOf(letter);
  drawSections(letter, sectionsOf(report), () => output.destroyed).then(
    () => output.destroyed || finishLetter(letter, title),
    (error: Error) => output.destroy(error),
  );
  return output;
}

function detailsOf({ names, reconciliation }: ReconciliationReport): [label: string, value: string][] {
  const { statementStartDate, statementEndDate, finalizedAt, voidReason, status, varianceNote } = reconciliation;
  return [
    ["Account", `${names.bankAccountName}, ${names.institutionName}, ending in ${names.accountMask}`],
    ["Statement", `${usDate(statementStartDate)} to ${usDate(statementEndDate)}`],
    ["Finalized", finalizedAt === null ? "Not finalized: this is a draft." : `${finalizedAt.slice(0, 16).replace("T", " ")} UTC`],
    ...(varianceNote === null ? [] : [["Variance", varianceNote] as [string, string]]),
    ...(status === "voided"
      ? [["Status", voidReason === null ? "The reconciliation was voided." : `The reconciliation was voided: ${voidReason}`] as [string, string]]
      : []),
  ];
}

/** Draws tables one below the other. Yields to other requests at each new page, and stops when the client has disconnected. */
async function drawSections(letter: Letter, sections: readonly Section[], isAborted: () => boolean): Promise<void> {
  for (const { heading, columns, rows } of sections) {
    startTable(letter, heading, columns, rows[0]);
    for (const row of rows) {
      if (placeRow(letter, columns, row)) await setImmediate();
      if (isAborted()) return;
    }
  }
}

function sectionsOf({ reconciliation, items }: ReconciliationReport): Section[] {
  const { openingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents, statementEndingBalanceCents } = reconciliation;
  const threeWay = reconciliation.threeWay!;
  const { depositsInTransitCents, outstandingChecksCents, adjustedBankCents, bookCents, liabilityCents, byBeneficiary, isBalanced } = threeWay;
  const part = (isCleared: boolean, sign: 1 | -1) => items.filter((item) => item.isCleared === isCleared && Math.sign(item.amountCents) === sign);
  return [
    balances("Statement", [
      ["Opening balance", openingBalanceCents],
      ["Cleared deposits", clearedDepositsCents],
      ["Cleared withdrawals", 0 - clearedWithdrawalsCents],
      ["Ending balance", statementEndingBalanceCents],
    ]),
    balances(isBalanced ? "Three-way proof" : "Three-way proof, which does not balance", [
      ["Ending balance of the statement", statementEndingBalanceCents],
      ["Deposits in transit", depositsInTransitCents],
      ["Outstanding checks", 0 - outstandingChecksCents],
      ["Adjusted bank balance", adjustedBankCents],
      ["Balance in the books", bookCents],
      ["Owed to beneficiaries", liabilityCents],
    ]),
    balances(
      "Beneficiaries",
      byBeneficiary.map((beneficiary) => [beneficiaryName(beneficiary), beneficiary.balanceCents]),
    ),
    transactions("Cleared deposits", part(true, 1)),
    transactions("Cleared withdrawals", part(true, -1)),
    transactions("Deposits in transit", part(false, 1)),
    transactions("Outstanding checks and other withdrawals", part(false, -1)),
  ];
}

const balances = (heading: string, rows: readonly (readonly [name: string, cents: number])[]): Section => ({
  heading,
  columns: balanceColumns,
  rows: rows.map(([name, cents]) => ({ cells: [name, dollars(cents)] })),
});

const transactions = (heading: string, items: readonly ReconciliationItem[]): Section => ({
  heading,
  columns: itemColumns,
  rows: [
    ...items.map(({ date, description, amountCents }) => ({ cells: [usDate(date), description, dollars(amountCents)] })),
    { cells: ["", "Total", dollars(items.reduce((sum, { amountCents }) => sum + amountCents, 0))], isBold: true },
  ],
});
