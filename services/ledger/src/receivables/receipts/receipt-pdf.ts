/** Receipt of a payment as a page of letter size. */
import type { PortalReceipt } from "@freehold/contract/portals/tenant-portal-money";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH, write } from "../../pdf/letter.ts";
import { drawHeader, placeRow } from "../../pdf/table.ts";
import { dollars, usDate } from "../../pdf/values.ts";

const methodNames: Record<PortalReceipt["payment"]["paymentMethod"], string> = {
  ach: "Bank transfer (ACH)",
  card: "Card",
  cash: "Cash",
  check: "Check",
  money_order: "Money order",
  other: "Other",
};

const columns = [
  { header: "Applied to", width: WIDTH - 190 },
  { header: "Due", width: 90 },
  { header: "Amount", width: 100, align: "right" as const },
];

/** Returns the PDF of a receipt: letterhead, payer, amount and method, a table of the allocations, and the balance of the lease. */
export function receiptPdf(receipt: PortalReceipt): Readable {
  const title = `Receipt ${receipt.number}`;
  const letter = startLetter(receipt.organizationName, "Receipt", title, detailsOf(receipt));
  drawHeader(letter, columns);
  for (const cells of rowsOf(receipt)) placeRow(letter, columns, { cells });
  if (receipt.leaseBalanceCents !== null) {
    letter.y += 12;
    write(letter, `Balance of the lease on ${usDate(receipt.issuedOn)}: ${dollars(receipt.leaseBalanceCents)}`, { width: WIDTH, isBold: true });
  }
  finishLetter(letter, title);
  return outputOf(letter);
}

function detailsOf({ number, receivedOn, payment }: PortalReceipt): [label: string, value: string][] {
  const { tenant, property, unit, paymentMethod, checkNumber, amountCents, status } = payment;
  const home = property && [property.name, unit?.unitNumber].filter(Boolean).join(", unit ");
  return [
    ["Number", number],
    ["Received on", usDate(receivedOn)],
    ["Received from", tenant.fullName],
    ...(home ? [["For", home] as [string, string]] : []),
    ["Method", checkNumber === null ? methodNames[paymentMethod] : `${methodNames[paymentMethod]}, number ${checkNumber}`],
    ["Amount", dollars(amountCents)],
    ...(status === "reversed" ? [["Status", "The payment was reversed. This receipt is void."] as [string, string]] : []),
  ];
}

/** Returns the rows of the table: the allocations, then what is left as credit, what was refunded, and the total. */
function rowsOf({ payment }: PortalReceipt): [name: string, due: string, amount: string][] {
  const { allocations, unallocatedCents, refundedCents, amountCents } = payment;
  return [
    ...allocations.map((allocation): [string, string, string] => [allocation.charge.name, usDate(allocation.charge.dueDate), dollars(allocation.amountCents)]),
    ...(unallocatedCents > 0 ? [["Credit for future charges", "", dollars(unallocatedCents)] as [string, string, string]] : []),
    ...(refundedCents > 0 ? [["Refunded", "", dollars(refundedCents)] as [string, string, string]] : []),
    ["Total", "", dollars(amountCents)],
  ];
}
