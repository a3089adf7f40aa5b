/** One pass over a file that came: how it is to be read, which columns it has, how many rows, and whether all of it can be read. */
import { IMPORT_ROWS_AT_MOST, type BundleFile, type ImportProvider } from "@freehold/contract/import-bundles";
import { findDelimiter } from "../reading/delimiter.ts";
import { findEncoding, utf8Of, type Bytes, type Encoding } from "../reading/encoding.ts";
import { columnNames, findHeader, HEADER_WITHIN } from "../reading/header.ts";
import { kindOfRow } from "../reading/row-kind.ts";
import { readRows, type Row } from "../reading/csv-rows.ts";
import { Unreadable } from "../reading/unreadable-file.ts";
import { knownNames, type Samples } from "./map-columns.ts";

export type Inspected = Pick<BundleFile, "encoding" | "delimiter" | "headerRow" | "header" | "rowCount" | "skippedRows" | "warnings">;

const HEAD_BYTES = 65_536;
const SAMPLES = 60;
const WARNINGS = 50;
const WARNING_CHARACTERS = 80;

/** The first characters of a file. */
async function headOf(bytes: Bytes, encoding: Encoding): Promise<string> {
  let head = "";
  for await (const chunk of utf8Of(bytes, encoding)) if ((head += chunk.toString("utf8")).length >= HEAD_BYTES) break;
  return head.slice(0, HEAD_BYTES);
}

const says: Record<"total" | "remark" | "heading" | "header", string> = {
  total: "is a total and is passed over",
  remark: "is a remark of the report and is passed over",
  heading: "is a heading; the rows under it belong to it",
  header: "repeats the names of the columns and is passed over",
};

export interface Expected {
  /** Whether a cell of a header is the name of a column. */
  isKnown: (name: string) => boolean;
  rowsAtMost: number;
}

/** Looks at a whole file, opening it as often as it needs. What cannot be read throws `Unreadable`, naming the row. */
export async function inspectFile(
  open: () => Bytes,
  provider: ImportProvider,
  { isKnown, rowsAtMost }: Expected = { isKnown: knownNames(provider), rowsAtMost: IMPORT_ROWS_AT_MOST },
): Promise<{ file: Inspected; samples: Samples }> {
  const encoding = await findEncoding(open());
  const delimiter = findDelimiter(await headOf(open(), encoding));
  const format = { encoding, delimiter };
  const header = await headerOf(open(), format, isKnown);
  const names = columnNames(header);
  const file: Inspected = { ...format, headerRow: header.number, header: names, rowCount: 0, skippedRows: 0, warnings: [] };
  const samples: string[][] = [];
  for await (const row of readRows(open(), format)) {
    if (row.number <= header.number) continue;
    // Rows that are passed over are read as well, so they count: a file of nothing else has an end too.
    if (row.number > 2 * rowsAtMost) throw new Unreadable(`There are more than ${2 * rowsAtMost} rows with blank ones and totals. Split the file.`, row.number);
    const kind = kindOfRow(row, names, provider !== "generic");
    if (kind === "data") {
      file.rowCount += 1;
      if (file.rowCount > rowsAtMost) throw new Unreadable(`There are more than ${rowsAtMost} rows. Split the file.`, row.number);
      if (samples.length < SAMPLES) samples.push(row.cells);
    } else if (kind !== "blank") {
      file.skippedRows += 1;
      if (file.warnings.length < WARNINGS) file.warnings.push({ row: row.number, message: `"${firstCell(row)}" ${says[kind]}.` });
    }
  }
  return { file, samples };
}

const firstCell = ({ cells }: Row): string => (cells.find((cell) => cell.trim() !== "") ?? "").trim().slice(0, WARNING_CHARACTERS);

async function headerOf(bytes: Bytes, format: { encoding: Encoding; delimiter: Inspected["delimiter"] }, isKnown: Expected["isKnown"]): Promise<Row> {
  const first: Row[] = [];
  for await (const row of readRows(bytes, format)) if (first.push(row) === HEADER_WITHIN) break;
  return findHeader(first, isKnown);
}
