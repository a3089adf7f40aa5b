/** Reading of the rows of a sheet. */
import { MAX_IMPORT_ROWS } from "@freehold/contract/imports/import-bundles";
import { UnreadableFileError } from "../unreadable-file.ts";
import { columnIndexOf, decodeText, numberText, type NumberFormat, requireCellLength } from "./cell.rules.ts";
import { parseXml } from "./xml.ts";

/** Parts of a workbook that the cells of all sheets refer to. */
export interface SharedParts {
  texts: readonly string[];
  /** Formats of numbers by the index of the cell's style. */
  formats: readonly NumberFormat[];
  calendar: 1900 | 1904;
}

const MAX_ROW = 2 * MAX_IMPORT_ROWS;
const MAX_COLUMNS = 500;
/** Length from which on lines are passed on, so that few rows are in memory. */
const LINES_LENGTH = 1_048_576;

interface OpenCell {
  type: string;
  style: number;
  index: number;
  value: string;
}

/** Returns the text of a cell. */
function cellText({ type, style, value }: OpenCell, { texts, formats, calendar }: SharedParts): string {
  if (value === "") return "";
  if (type === "s") return texts[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "yes" : "no";
  if (type === "d") return value.slice(0, 10);
  return type === "n" ? numberText(value, formats[style], calendar) : decodeText(value);
}

interface SheetRow {
  /** Row number from 1. */
  number: number;
  cells: string[];
}

/** Collects the rows of a sheet from its elements. */
class RowCollector {
  /** Rows that are complete. */
  rows: SheetRow[] = [];
  private row: SheetRow = { number: 0, cells: [] };
  private cell: OpenCell | undefined;
  private isValue = false;
  private readonly shared: SharedParts;
  constructor(shared: SharedParts) {
    this.shared = shared;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "row") this.row = { number: this.nextNumber(attributes["r"]), cells: [] };
    else if (name === "c") {
      const index = columnIndexOf(attributes["r"] ?? "") ?? this.row.cells.length;
      this.cell = { type: attributes["t"] ?? "n", style: Number(attributes["s"] ?? 0), index, value: "" };
    } else this.isValue = this.cell !== undefined && (name === "v" || name === "t");
  }

  text(text: string): void {
    if (!this.isValue) return;
    this.cell!.value += text;
    requireCellLength(this.cell!.value);
  }

  close(name: string): void {
    this.isValue = false;
    if (name === "row") this.rows.push(this.row);
    if (name !== "c" || !this.cell) return;
    const { index } = this.cell;
    const text = cellText(this.cell, this.shared);
    this.cell = undefined;
    if (text === "") return;
    if (index >= MAX_COLUMNS) throw new UnreadableFileError(`The row has more than ${MAX_COLUMNS} columns.`, this.row.number);
    while (this.row.cells.length < index) this.row.cells.push("");
    this.row.cells[index] = text;
  }

  private nextNumber(reference: string | undefined): number {
    const number = reference === undefined ? this.row.number + 1 : Number(reference);
    if (!Number.isInteger(number) || number <= this.row.number) throw new UnreadableFileError("The rows of the sheet are out of order.");
    if (number > MAX_ROW) throw new UnreadableFileError(`There are more than ${MAX_ROW} rows including blank rows. Split the sheet.`, number);
    return number;
  }
}

/** Yields the rows of a sheet in the order of their numbers. Rows without cells may be missing. */
export async function* readSheetRows(xml: AsyncIterable<Buffer>, shared: SharedParts): AsyncGenerator<SheetRow[]> {
  const collector = new RowCollector(shared);
  const handlers = {
    open: (name: string, attributes: Readonly<Record<string, string>>) => collector.open(name, attributes),
    close: (name: string) => collector.close(name),
    text: (text: string) => collector.text(text),
  };
  for await (const _ of parseXml(xml, handlers)) {
    if (collector.rows.length > 0) yield collector.rows;
    collector.rows = [];
  }
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Yields a sheet as CSV with the same row numbers, or nothing for a sheet without data. */
export async function* sheetAsCsv(xml: AsyncIterable<Buffer>, shared: SharedParts): AsyncGenerator<Buffer> {
  let nextNumber = 1;
  let blankLines = "";
  for await (const rows of readSheetRows(xml, shared)) {
    let lines = "";
    for (const { number, cells } of rows) {
      blankLines += "\r\n".repeat(number - nextNumber);
      nextNumber = number + 1;
      if (cells.every((cell) => cell.trim() === "")) blankLines += "\r\n";
      else {
        lines += `${blankLines}${cells.map(quoted).join(",")}\r\n`;
        blankLines = "";
      }
      if (lines.length < LINES_LENGTH) continue;
      yield Buffer.from(lines);
      lines = "";
    }
    if (lines !== "") yield Buffer.from(lines);
  }
}
