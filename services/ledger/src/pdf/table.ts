/** Tables that span several pages and repeat their header on each. */
import { ensureSpace, MARGIN, WIDTH, write, type Letter } from "./letter.ts";
import { drawBlock, layOut, type TextBlock } from "./text-block.ts";

export interface Column {
  header: string;
  width: number;
  align?: "left" | "right";
}

export interface Row {
  /** Text of each column. */
  cells: readonly string[];
  isBold?: boolean;
  /** Small texts below the cell of the column with the index. */
  notes?: { column: number; texts: readonly string[] };
}

const PADDING = 3;
/** Space between a table and the heading of the next one. */
const HEADING_GAP = 10;
const LINE_COLOR = "#999999";

const layOutHeader = (letter: Letter, columns: readonly Column[]): Cell[] =>
  layOutCells(letter, columns, { cells: columns.map(({ header }) => header), isBold: true });

/** Draws the header of a table. */
export const drawHeader = (letter: Letter, columns: readonly Column[]): void => drawCells(letter, columns, layOutHeader(letter, columns));

/** Draws a heading with the header of the table below it; on the next page when its first row would not fit as well. */
export function startTable(letter: Letter, heading: string, columns: readonly Column[], firstRow: Row | undefined): void {
  const style = { width: WIDTH, size: 12, isBold: true };
  const cells = [layOutHeader(letter, columns), ...(firstRow ? [layOutCells(letter, columns, firstRow)] : [])];
  const tableHeight = cells.reduce((sum, row) => sum + heightOf(row), 0);
  if (!ensureSpace(letter, HEADING_GAP + layOut(letter.document, heading, style).height + tableHeight)) letter.y += HEADING_GAP;
  write(letter, heading, style);
  drawHeader(letter, columns);
}

/** Draws a row with a line below it; on the next page, below the header, when it does not fit. Returns true if a page was added. */
export function placeRow(letter: Letter, columns: readonly Column[], row: Row): boolean {
  const cells = layOutCells(letter, columns, row);
  const isNextPage = ensureSpace(letter, heightOf(cells));
  if (isNextPage) drawHeader(letter, columns);
  drawCells(letter, columns, cells);
  return isNextPage;
}

/** Blocks of a cell, one below the other. */
type Cell = readonly TextBlock[];

const layOutCells = ({ document }: Letter, columns: readonly Column[], { cells, isBold = false, notes }: Row): Cell[] =>
  columns.map(({ width, align = "left" }, index) => {
    const style = { width: width - 2 * PADDING, align };
    const texts = notes?.column === index ? notes.texts : [];
    return [
      layOut(document, cells[index] ?? "", { ...style, size: 9, isBold }),
      ...texts.map((text) => layOut(document, text, { ...style, size: 7.5, color: "#555555" })),
    ];
  });

const heightOf = (cells: readonly Cell[]): number => Math.max(...cells.map((blocks) => blocks.reduce((sum, { height }) => sum + height, 0))) + 2 * PADDING;

function drawCells(letter: Letter, columns: readonly Column[], cells: readonly Cell[]): void {
  const { document, y } = letter;
  let x = MARGIN;
  for (const [index, blocks] of cells.entries()) {
    let top = y + PADDING;
    for (const block of blocks) {
      drawBlock(document, block, x + PADDING, top);
      top += block.height;
    }
    x += columns[index]!.width;
  }
  letter.y += heightOf(cells);
  document.moveTo(MARGIN, letter.y).lineTo(x, letter.y).lineWidth(0.5).strokeColor(LINE_COLOR).stroke();
}
