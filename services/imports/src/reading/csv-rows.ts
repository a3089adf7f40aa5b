/** The rows of a CSV file, one after the other: no more of it is kept in memory than a row. */
import { parse, type CsvError } from "csv-parse";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { utf8Of, type Bytes, type Encoding } from "./encoding.ts";
import type { Delimiter } from "./delimiter.ts";
import { Unreadable } from "./unreadable-file.ts";

/** How a file is to be read. */
export interface Format {
  encoding: Encoding;
  delimiter: Delimiter;
}

export interface Row {
  /** Counted from 1, as a spreadsheet does: blank rows count, and a cell with several lines is in one. */
  number: number;
  cells: string[];
}

/** No row of a person's file is longer. */
const ROW_CHARACTERS = 262_144;
const MOST_BYTES_A_CHARACTER = 4;

/**
 * The parser counts what stands in cells, and a line of nothing but empty ones would have no end for it: one that is
 * longer than any row can be ends in a cell that the parser refuses.
 */
async function* withoutEndlessLines(bytes: Bytes): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    const end = Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13));
    length = end === -1 ? length + chunk.length : chunk.length - end - 1;
    yield chunk;
    if (length > MOST_BYTES_A_CHARACTER * ROW_CHARACTERS) {
      yield Buffer.alloc(2 * ROW_CHARACTERS, "x");
      return;
    }
  }
}

/** Every row of a file, blank ones included. Rows may have any number of cells, and quotes may stand where they should not. */
export async function* readRows(bytes: Bytes, { encoding, delimiter }: Format): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: ROW_CHARACTERS,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  const flowing = pipeline(Readable.from(withoutEndlessLines(utf8Of(bytes, encoding))), parser);
  // What goes wrong is told to whoever reads the rows.
  flowing.catch(() => undefined);
  let number = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1;
      yield { number, cells };
    }
    await flowing;
  } catch (error) {
    throw readable(error);
  } finally {
    parser.destroy();
  }
}

/** What the parser refuses, with the row in which it stands: rows before it may not have been asked for yet. */
function readable(error: unknown): unknown {
  const { code, records } = error as CsvError & { records?: number };
  const row = (records ?? 0) + 1;
  switch (code) {
    case "CSV_MAX_RECORD_SIZE":
      return new Unreadable(`The row is longer than ${ROW_CHARACTERS / 1024} KiB. Is a quotation mark missing at the end of a cell?`, row);
    case "CSV_QUOTE_NOT_CLOSED":
      return new Unreadable("A quotation mark opens a cell and none closes it. Write it twice where it is part of the text.", row);
    default:
      return (code as string | undefined)?.startsWith("CSV_") ? new Unreadable("The row cannot be read as CSV.", row) : error;
  }
}
