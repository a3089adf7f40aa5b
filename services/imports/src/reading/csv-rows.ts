/** Streaming CSV reader: the memory it needs depends on the maximum length of a row, not on the size of the file. */
import { parse, type CsvError } from "csv-parse";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Bytes, type Encoding, toUtf8 } from "./encoding.ts";
import type { Delimiter } from "./delimiter.ts";
import { UnreadableFileError } from "./unreadable-file.ts";

export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
}

export interface CsvRow {
  /** Row number from 1 as in a spreadsheet: blank rows count, and a row with line breaks in a cell counts once. */
  number: number;
  cells: string[];
}

const MAX_ROW_CHARACTERS = 262_144;
const MAX_BYTES_PER_CHARACTER = 4;

/**
 * Limits the length of lines. The parser limits only the characters in cells, so it would buffer a line of empty cells without
 * limit. After a line that is too long, yields a cell above the parser's limit, so that the parser throws.
 */
async function* limitLineLength(bytes: Bytes): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of bytes) {
    const end = Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13));
    length = end === -1 ? length + chunk.length : chunk.length - end - 1;
    yield chunk;
    if (length > MAX_BYTES_PER_CHARACTER * MAX_ROW_CHARACTERS) {
      yield Buffer.alloc(2 * MAX_ROW_CHARACTERS, "x");
      return;
    }
  }
}

/** Yields every row of a file, including blank ones. Rows may have any number of cells, and quotes may occur within cells. */
export async function* readCsvRows(bytes: Bytes, { encoding, delimiter }: CsvFormat): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: MAX_ROW_CHARACTERS,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  const parsing = pipeline(Readable.from(limitLineLength(toUtf8(bytes, encoding))), parser);
  // Errors are thrown by the iteration and by the await below.
  parsing.catch(() => undefined);
  let number = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1;
      yield { number, cells };
    }
    await parsing;
  } catch (error) {
    throw translateCsvError(error);
  } finally {
    parser.destroy();
  }
}

/** Converts a parser error to an `UnreadableFileError`. The row number is that of the parser, which reads ahead of the iteration. */
function translateCsvError(error: unknown): unknown {
  const { code, records } = error as CsvError & { records?: number };
  const row = (records ?? 0) + 1;
  switch (code) {
    case "CSV_MAX_RECORD_SIZE":
      return new UnreadableFileError(`The row is longer than ${MAX_ROW_CHARACTERS / 1024} KiB. Is a quotation mark missing at the end of a cell?`, row);
    case "CSV_QUOTE_NOT_CLOSED":
      return new UnreadableFileError("A quotation mark opens a cell and is never closed. Write it twice where it is part of the text.", row);
    default:
      return (code as string | undefined)?.startsWith("CSV_") ? new UnreadableFileError("The row cannot be read as CSV.", row) : error;
  }
}
