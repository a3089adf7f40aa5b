/** Letter-size pages with the organization's letterhead, used by all documents for tenants. */
import type { Readable } from "node:stream";
import { createPdf, drawText, layOut, type Pdf, type TextStyle } from "./text-block.ts";

export const MARGIN = 54;
export const WIDTH = 612 - 2 * MARGIN;
/** Lower edge of the text area, above the page numbers. */
export const BOTTOM = 792 - MARGIN - 18;

/** Height of the letterhead, whose left half is free for a logo. */
const LETTERHEAD_HEIGHT = 72;
const LABEL_WIDTH = 100;

/** Letter in progress: its document, and the vertical position below the last text. */
export interface Letter {
  document: Pdf;
  y: number;
}

/** Starts a letter with letterhead, heading and labelled details. A letter with a time of its own has the same bytes whenever it is written. */
export function startLetter(
  organizationName: string,
  heading: string,
  title: string,
  details: readonly (readonly [label: string, value: string])[],
  createdAt?: Date,
): Letter {
  const document = createPdf({ title, author: organizationName, createdAt }, MARGIN);
  const letterhead = layOut(document, organizationName, { width: WIDTH / 2, size: 12, isBold: true, align: "right" });
  const letter = { document, y: MARGIN + Math.max(LETTERHEAD_HEIGHT, letterhead.height + 12) };
  drawText(document, organizationName, MARGIN + WIDTH / 2, MARGIN, letterhead.style);
  write(letter, heading, { width: WIDTH, size: 20, isBold: true });
  letter.y += 8;
  for (const [label, value] of details) {
    drawText(document, `${label}:`, MARGIN, letter.y, { width: LABEL_WIDTH, isBold: true });
    letter.y += drawText(document, value, MARGIN + LABEL_WIDTH, letter.y, { width: WIDTH - LABEL_WIDTH }) + 2;
  }
  letter.y += 12;
  return letter;
}

/** Adds a page if a height does not fit below the last text. Returns true if it did. */
export function ensureSpace(letter: Letter, height: number): boolean {
  if (letter.y + height <= BOTTOM) return false;
  letter.document.addPage();
  letter.y = MARGIN;
  return true;
}

/** Writes a text below the last one; on the next page when it does not fit. */
export function write(letter: Letter, text: string, style: TextStyle): void {
  ensureSpace(letter, layOut(letter.document, text, style).height);
  letter.y += drawText(letter.document, text, MARGIN, letter.y, style);
}

/** Returns the PDF as a stream, which can be read while the letter is written. */
export const outputOf = ({ document }: Letter): Readable => document;

/** Numbers the pages, names the document at the foot of each, and ends the document. */
export function finishLetter({ document }: Letter, name: string): void {
  const { count } = document.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    document.switchToPage(page);
    const y = BOTTOM + 12;
    drawText(document, name, MARGIN, y, { width: WIDTH - 100, size: 8, color: "#555555" });
    drawText(document, `Page ${page + 1} of ${count}`, MARGIN + WIDTH - 100, y, { width: 100, size: 8, align: "right", color: "#555555" });
  }
  document.end();
}
