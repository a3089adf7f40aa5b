/** Letter to the tenant about the disposition of a security deposit. */
import type { DispositionStatement } from "@freehold/contract/trust/security-deposit.schema";
import type { Readable } from "node:stream";
import { finishLetter, outputOf, startLetter, WIDTH, write } from "../../../pdf/letter.ts";
import { drawHeader, placeRow } from "../../../pdf/table.ts";
import { dollars, usDate } from "../../../pdf/values.ts";

const columns = [
  { header: "Deduction", width: WIDTH - 190 },
  { header: "Category", width: 90 },
  { header: "Amount", width: 100, align: "right" as const },
];

/** Returns the PDF of a disposition: the deposit, the itemized deductions, and the amount to be refunded. A draft says so; a final one has the same bytes each time. */
export function dispositionLetter(disposition: DispositionStatement): Readable {
  const title = "Disposition of the security deposit";
  const { organizationName, isFinal, sentAt } = disposition;
  const createdAt = sentAt === null ? undefined : new Date(sentAt);
  const letter = startLetter(organizationName, isFinal ? title : `${title} (draft)`, title, detailsOf(disposition), createdAt);
  drawHeader(letter, columns);
  placeRow(letter, columns, { cells: ["Security deposit held", "", dollars(disposition.heldCents)] });
  for (const { description, category, amountCents } of disposition.deductions)
    placeRow(letter, columns, { cells: [description, category, dollars(0 - amountCents)] });
  placeRow(letter, columns, { cells: ["Refund to the tenant", "", dollars(disposition.refundCents)], isBold: true });
  letter.y += 12;
  write(letter, closingSentence(disposition), { width: WIDTH });
  finishLetter(letter, title);
  return outputOf(letter);
}

function detailsOf({
  tenantName,
  propertyName,
  unitNumber,
  forwardingAddress,
  moveOutDate,
  dispositionDueOn,
  sentOn,
}: DispositionStatement): [label: string, value: string][] {
  const optional = (label: string, value: string | null): [string, string][] => (value ? [[label, value]] : []);
  return [
    ["Tenant", tenantName],
    ["For", [propertyName, unitNumber].filter(Boolean).join(", unit ")],
    ...optional("Address", forwardingAddress),
    ...optional("Move-out", moveOutDate && usDate(moveOutDate)),
    ...optional("Due on", dispositionDueOn && usDate(dispositionDueOn)),
    ...optional("Sent on", sentOn && usDate(sentOn)),
  ];
}

const closingSentence = ({ refundCents, deductionsCents, heldCents }: DispositionStatement): string =>
  refundCents > 0
    ? `Of the deposit of ${dollars(heldCents)}, ${dollars(deductionsCents)} are withheld and ${dollars(refundCents)} are refunded to you.`
    : `The deposit of ${dollars(heldCents)} is withheld in full.`;
