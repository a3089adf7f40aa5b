/** Receipt of a payment as a page of letter size. */
import type { PaymentReceipt } from "@freehold/contract/ledger/payments";
import PDFDocument from "pdfkit";
import type { Readable } from "node:stream";
import { dollars, printable, usDate } from "./receipt.rules.ts";

const MARGIN = 54;
/** Height of the letterhead, whose left half is free for a logo. */
const LETTERHEAD_HEIGHT = 72;
const WIDTH = 612 - 2 * MARGIN;

const methodNames: Record<PaymentReceipt["payment"]["paymentMethod"], string> = {
  ach: "Bank transfer (ACH)",
  card: "Card",
  cash: "Cash",
  check: "Check",
  money_order: "Money order",
  other: "Other",
};

/** Returns the PDF of a receipt: letterhead, payer, amount and method, a table of the allocations, and the balance of the lease. */
export function receiptPdf(receipt: PaymentReceipt): Readable {
  const title = `Receipt ${receipt.number}`;
  const document = new PDFDocument({ size: "LETTER", margin: MARGIN, info: { Title: title, Author: printable(receipt.organizationName) } });
  document.font("Helvetica-Bold").fontSize(12);
  document.text(printable(receipt.organizationName), MARGIN + WIDTH / 2, MARGIN, { width: WIDTH / 2, align: "right" });
  document.fontSize(20).text("Receipt", MARGIN, MARGIN + LETTERHEAD_HEIGHT);
  document.moveDown(0.5).font("Helvetica").fontSize(10);
  for (const [label, value] of detailsOf(receipt)) {
    document.font("Helvetica-Bold").text(`${label}: `, { continued: true }).font("Helvetica").text(printable(value));
    document.moveDown(0.2);
  }
  document.moveDown();
  document.table({
    columnStyles: [WIDTH - 190, 90, 100],
    data: [
      ["Applied to", "Due", { text: "Amount", align: { x: "right", y: "top" } }],
      ...rowsOf(receipt).map(([name, due, amount]) => [printable(name), due, { text: amount, align: { x: "right" as const, y: "top" as const } }]),
    ],
  });
  if (receipt.leaseBalanceCents !== null)
    document
      .moveDown()
      .font("Helvetica-Bold")
      .text(`Balance of the lease on ${usDate(receipt.issuedOn)}: ${dollars(receipt.leaseBalanceCents)}`, MARGIN);
  document.end();
  return document as unknown as Readable;
}

function detailsOf({ number, receivedOn, payment }: PaymentReceipt): [label: string, value: string][] {
  const { tenant, property, unit, paymentMethod, checkNumber, amountCents, status } = payment;
  const home = property && [property.name, unit?.unitNumber].filter(Boolean).join(", unit ");
  return [
    ["Number", number],
    ["Received on", usDate(receivedOn)],
    ["Received from", tenant.fullName],
    ...(home ? [["For", home] as [string, string]] : []),
    ["Method", checkNumber === null ? methodNames[paymentMethod] : `${methodNames[paymentMethod]}, number ${checkNumber}`],
    ["Amount", dollars(amountCents)],
    ...(status === "reversed" ? [["Status", "The payment was returned, so this receipt is void."] as [string, string]] : []),
  ];
}

/** Returns the rows of the table: the allocations, then what is left as credit, what was refunded, and the total. */
function rowsOf({ payment }: PaymentReceipt): [name: string, due: string, amount: string][] {
  const { allocations, unallocatedCents, refundedCents, amountCents } = payment;
  return [
    ...allocations.map((allocation): [string, string, string] => [allocation.charge.name, usDate(allocation.charge.dueDate), dollars(allocation.amountCents)]),
    ...(unallocatedCents > 0 ? [["Credit for future charges", "", dollars(unallocatedCents)] as [string, string, string]] : []),
    ...(refundedCents > 0 ? [["Refunded", "", dollars(refundedCents)] as [string, string, string]] : []),
    ["Total", "", dollars(amountCents)],
  ];
}
