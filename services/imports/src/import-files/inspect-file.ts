/** Inspection of an uploaded file: detects its format and columns, counts its rows, and requires that every row can be read. */
import { truncate } from "@freehold/kit/truncate";
import { MAX_IMPORT_ROWS, type BundleFile, type ImportProvider } from "@freehold/contract/imports/import-bundles";
import { availableForms } from "../providers/forms.ts";
import { type CsvFormat, type CsvRow, readCsvRows } from "../reading/csv-rows.ts";
import { detectDelimiter } from "../reading/delimiter.ts";
import { type Bytes, detectEncoding, type Encoding, toUtf8 } from "../reading/encoding.ts";
import { detectHeader, HEADER_SEARCH_ROWS, uniqueColumnNames } from "../reading/header.ts";
import { classifyRow } from "../reading/row-kind.ts";
import { UnreadableFileError } from "../reading/unreadable-file.ts";
import { type FileWarning, holdsData } from "./file-warnings.rules.ts";
import { columnNameMatcher, type Samples } from "./map-columns.ts";

export interface FileInspection extends Pick<BundleFile, "encoding" | "delimiter" | "headerRow" | "header" | "rowCount" | "skippedRows"> {
  warnings: FileWarning[];
}

/** Length of the beginning of a file from which the delimiter is detected. */
const HEAD_CHARACTERS = 65_536;
const MAX_SAMPLES = 60;
const MAX_WARNINGS = 50;
const MAX_WARNING_CELL_CHARACTERS = 80;

/** Returns the first characters of a file. */
async function readHead(bytes: Bytes, encoding: Encoding): Promise<string> {
  let head = "";
  for await (const chunk of toUtf8(bytes, encoding)) if ((head += chunk.toString("utf8")).length >= HEAD_CHARACTERS) break;
  return head.slice(0, HEAD_CHARACTERS);
}

const skipReasons: Record<"total" | "remark" | "heading" | "header", string> = {
  total: "is a total and is skipped",
  remark: "is a remark of the report and is skipped",
  heading: "is a heading; the rows below belong to it",
  header: "repeats the names of the columns and is skipped",
};

export interface InspectionOptions {
  /** Returns whether a normalized cell of a header is a known column name. */
  isColumnName: (name: string) => boolean;
  /** Maximum number of data rows. */
  maxRows: number;
}

/**
 * Inspects a file and samples its first data rows. Opens it four times. Throws `UnreadableFileError`, with the row if one row
 * is the cause, for a file that is empty, is not text, has no header, has too many rows or columns, or has a row that cannot
 * be read.
 */
export async function inspectFile(
  open: () => Bytes,
  provider: ImportProvider,
  { isColumnName, maxRows }: InspectionOptions = { isColumnName: columnNameMatcher(availableForms(provider)), maxRows: MAX_IMPORT_ROWS },
): Promise<{ file: FileInspection; samples: Samples }> {
  const encoding = await detectEncoding(open());
  const delimiter = detectDelimiter(await readHead(open(), encoding));
  const format = { encoding, delimiter };
  const headerRow = await readHeader(open(), format, isColumnName);
  const header = uniqueColumnNames(headerRow);
  const file: FileInspection = { ...format, headerRow: headerRow.number, header, rowCount: 0, skippedRows: 0, warnings: [] };
  const samples: string[][] = [];
  const emptyColumns = new Set(header.keys());
  for await (const row of readCsvRows(open(), format)) {
    if (row.number <= headerRow.number) continue;
    // The limit on rowCount below does not count blank and skipped rows. This limit on all rows bounds the time for a file of such rows.
    if (row.number > 2 * maxRows)
      throw new UnreadableFileError(`There are more than ${2 * maxRows} rows including blank rows and totals. Split the file.`, row.number);
    const kind = classifyRow(row, header, { allowHeadings: provider !== "generic" });
    if (kind === "data") {
      file.rowCount += 1;
      if (file.rowCount > maxRows) throw new UnreadableFileError(`There are more than ${maxRows} rows. Split the file.`, row.number);
      if (samples.length < MAX_SAMPLES) samples.push(row.cells);
      for (const index of emptyColumns) if (holdsData(row.cells[index] ?? "")) emptyColumns.delete(index);
    } else if (kind !== "blank") {
      file.skippedRows += 1;
      if (file.warnings.length < MAX_WARNINGS) file.warnings.push({ row: row.number, message: `"${firstCell(row)}" ${skipReasons[kind]}.` });
    }
  }
  const filled = header.filter((_, index) => !emptyColumns.has(index));
  file.warnings.push(...filled.map((column) => ({ row: headerRow.number, message: "", column })));
  return { file, samples };
}

/** Returns the first filled cell, shortened. NUL characters and unpaired surrogates are removed or replaced, because PostgreSQL cannot store them. */
function firstCell({ cells }: CsvRow): string {
  const text = (cells.find((cell) => cell.trim() !== "") ?? "").trim().replaceAll("\0", "").toWellFormed();
  return truncate(text, MAX_WARNING_CELL_CHARACTERS);
}

async function readHeader(bytes: Bytes, format: CsvFormat, isColumnName: InspectionOptions["isColumnName"]): Promise<CsvRow> {
  const rows: CsvRow[] = [];
  for await (const row of readCsvRows(bytes, format)) if (rows.push(row) === HEADER_SEARCH_ROWS) break;
  return detectHeader(rows, isColumnName);
}
