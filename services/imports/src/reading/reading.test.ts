import { describe, expect, test } from "@jest/globals";
import { type Delimiter, detectDelimiter } from "./delimiter.ts";
import { detectEncoding, type Encoding } from "./encoding.ts";
import { detectHeader, uniqueColumnNames } from "./header.ts";
import { classifyRow } from "./row-kind.ts";
import { readCsvRows } from "./csv-rows.ts";

/** Streams bytes in chunks that split characters and rows. */
async function* inChunks(bytes: Buffer, size = 7): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += size) yield await Promise.resolve(bytes.subarray(offset, offset + size));
}
const asOneChunk = async function* (bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
};

const text = "name,city\r\nCafé Müller,Zürich\r\n";
const utf16 = (order: "le" | "be", hasMark: boolean) => {
  const bytes = Buffer.from(`${hasMark ? "\uFEFF" : ""}${text}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};
const encoded: [name: string, bytes: Buffer, encoding: Encoding][] = [
  ["UTF-8", Buffer.from(text), "utf-8"],
  ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${text}`), "utf-8"],
  ["Windows-1252", Buffer.from(text, "latin1"), "windows-1252"],
  ["UTF-16 little endian", utf16("le", true), "utf-16le"],
  ["UTF-16 big endian", utf16("be", true), "utf-16be"],
  ["UTF-16 without a mark", utf16("le", false), "utf-16le"],
];

describe("detectEncoding", () => {
  test.each(encoded)("detects %s, with which readCsvRows decodes the rows", async (_, bytes, encoding) => {
    expect(await detectEncoding(asOneChunk(bytes))).toBe(encoding);
    const rows = await Array.fromAsync(readCsvRows(inChunks(bytes), { encoding, delimiter: "," }));
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["name", "city"],
      ["Café Müller", "Zürich"],
    ]);
  });

  test("detects Windows-1252 by a letter far from the beginning", async () => {
    const bytes = Buffer.concat([Buffer.from("name\r\n".repeat(20_000)), Buffer.from([0x93, 0xe9, 0x94])]);
    expect(await detectEncoding(inChunks(bytes, 65_536))).toBe("windows-1252");
  });

  test.each([
    ["an empty file", Buffer.alloc(0), "empty"],
    ["a workbook", Buffer.from("PK\x03\x04rest", "latin1"), "Excel"],
    ["an old workbook", Buffer.from("\xd0\xcf\x11\xe0rest", "latin1"), "Excel"],
    ["a PDF", Buffer.from("%PDF-1.7"), "PDF"],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"), "not a text file"],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), "not a text file"],
    ["random bytes", Buffer.from(Array.from({ length: 4_000 }, (_, index) => 1 + ((index * 7919) % 255))), "not a text file"],
  ])("refuses %s", async (_, bytes, message) => {
    await expect(detectEncoding(asOneChunk(bytes))).rejects.toThrow(message);
  });
});

describe("detectDelimiter", () => {
  const cases: [name: string, text: string, delimiter: Delimiter][] = [
    ["commas", "a,b,c\n1,2,3\n", ","],
    ["semicolons, with decimal commas", "name;rent;city\nA;1.095,00;X\nB;900,50;Y\n", ";"],
    ["semicolons, with a decimal comma in every cell", "a;b\n1,5;2,5\n3,5;4,5\n", ";"],
    ["tabs", "a\tb\n1,5\t2\n", "\t"],
    ["vertical bars", "a|b|c\n1|2|3\n", "|"],
    ["commas, with other delimiters in quotes", 'a,b\n"x;y;z","1;2;3"\n"p;q;r","4;5;6"\n', ","],
    ["commas by default", "name\nAda\n", ","],
    ["semicolons below a title", "Rent Roll\nAs of 06/30/2026\n\nUnit;Rent\n1;2\n3;4\n5;6\n", ";"],
  ];
  test.each(cases)("detects %s", (_, head, delimiter) => {
    expect(detectDelimiter(head)).toBe(delimiter);
  });
});

describe("readCsvRows", () => {
  const read = async (bytes: Buffer | string, delimiter: Delimiter = ",") =>
    Array.fromAsync(readCsvRows(inChunks(Buffer.from(bytes), 1_024), { encoding: "utf-8", delimiter }));

  test("numbers rows as a spreadsheet does: blank rows count, and a row of several lines counts once", async () => {
    const rows = await read('a,b\n\n"two\nlines",x\n1\n1,2,3\n');
    expect(rows).toEqual([
      { number: 1, cells: ["a", "b"] },
      { number: 2, cells: [""] },
      { number: 3, cells: ["two\nlines", "x"] },
      { number: 4, cells: ["1"] },
      { number: 5, cells: ["1", "2", "3"] },
    ]);
  });

  test.each(["\r\n", "\n", "\r"])("accepts lines that end with %j", async (lineEnd) => {
    expect((await read(["a,b", "1,2", ""].join(lineEnd))).map(({ cells }) => cells)).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });

  test("accepts quotes within an unquoted cell", async () => {
    expect((await read('a,b\n5" pipe,"say ""hi"""\n'))[1]!.cells).toEqual(['5" pipe', 'say "hi"']);
  });

  test("refuses a quote that is never closed, naming the row", async () => {
    await expect(read('a,b\n1,2\n3,"4\n5,6\n')).rejects.toMatchObject({ row: 3, message: expect.stringContaining("quotation mark") });
  });

  test("refuses an endless row, naming it, and stops reading", async () => {
    let produced = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from("a,b\n1,2\n");
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536, ((produced += 65_536), "x")));
    }
    await expect(Array.fromAsync(readCsvRows(endless(), { encoding: "utf-8", delimiter: "," }))).rejects.toMatchObject({ row: 3 });
    expect(produced).toBeLessThan(2_000_000);
  });

  test("refuses an endless row of empty cells, naming it, and stops reading", async () => {
    let produced = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from("a,b\n1,2\n");
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536, ((produced += 65_536), ",")));
    }
    await expect(Array.fromAsync(readCsvRows(endless(), { encoding: "utf-8", delimiter: "," }))).rejects.toMatchObject({ row: 3 });
    expect(produced).toBeLessThan(2_000_000);
  });

  test("closes the source when the iteration stops", async () => {
    const closed = Promise.withResolvers<void>();
    async function* source(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield await Promise.resolve(Buffer.from("1,2\n".repeat(10_000)));
      } finally {
        closed.resolve();
      }
    }
    for await (const row of readCsvRows(source(), { encoding: "utf-8", delimiter: "," })) if (row.number === 5) break;
    await expect(closed.promise).resolves.toBeUndefined();
  });
});

describe("detectHeader", () => {
  const rows = (...lines: string[][]) => lines.map((cells, index) => ({ number: index + 1, cells }));
  const isColumnName = (name: string) => ["unit", "tenant", "rent"].includes(name);

  test("returns the row with the most known names, below titles and dates", () => {
    expect(detectHeader(rows(["Rent Roll"], ["As of:", "06/30/2026"], [""], ["Unit", "Tenant", "Rent"], ["1", "Ada", "5"]), isColumnName).number).toBe(4);
  });
  test("returns the first row as wide as the others when no name is known", () => {
    expect(detectHeader(rows(["My houses"], ["House", "Street", "Town"], ["Oak", "7 Oak Street", "Albany"]), isColumnName).number).toBe(2);
  });
  test("refuses a file of blank rows", () => {
    expect(() => detectHeader(rows([""], ["", ""]), isColumnName)).toThrow("names of its columns");
  });
});

describe("uniqueColumnNames", () => {
  test("numbers repeated names and names empty ones by position", () => {
    expect(uniqueColumnNames({ number: 1, cells: ["Notes", "Unit  No", "", "notes", "Notes", ""] })).toEqual([
      "Notes",
      "Unit No",
      "Column 3",
      "notes (2)",
      "Notes (3)",
    ]);
  });
  test("refuses more than 500 columns", () => {
    expect(() => uniqueColumnNames({ number: 3, cells: Array.from({ length: 501 }, (_, index) => `c${index}`) })).toThrow("501 columns");
  });
});

describe("classifyRow", () => {
  const header = ["Property", "Unit", "Rent"];
  const classify = (cells: string[], allowHeadings = true) => classifyRow({ number: 9, cells }, header, { allowHeadings });
  test.each([
    ["data", ["Maple", "1", "5.00"]],
    ["blank", ["", " ", "-"]],
    ["total", ["Total", "", "1,095.00"]],
    ["total", ["Total for Maple Court", "8", "$1,095.00"]],
    ["total", ["Grand Total:", "", "5.00"]],
    ["total", ["", "Subtotal", "5.00"]],
    ["total", ["Total Units: 8", "", ""]],
    ["total", ["Total tenants: 1", "", ""]],
    ["total", ["Total Vendors", "12", ""]],
    ["total", ["Total - Maple Court", "8", "1,095.00"]],
    ["total", ["Maple Court Total", "8 units", "1,095.00"]],
    ["total", ["8 Units, 87.5% Occupied", "", "1,095.00"]],
    ["total", ["Average", "", "1,095.00"]],
    ["remark", ["Page 1 of 3", "", ""]],
    ["remark", ["Printed on 06/30/2026", "", ""]],
    ["heading", ["Maple Court", "", ""]],
    ["data", ["Subtotal House", "Unit A", "5.00"]],
    ["header", ["PROPERTY", "unit", "Rent"]],
    ["data", ["Total Care Center", "1", "5.00"]],
    ["data", ["Total Vendors LLC", "(518) 555-0101", ""]],
    ["data", ["Totally Fine Flats", "Unit A", "5.00"]],
  ])("returns %s for %j", (expected, cells) => {
    expect(classify(cells)).toBe(expected);
  });
  test("returns data for a single cell where headings are not allowed", () => {
    expect(classify(["Maple Court", "", ""], false)).toBe("data");
  });
});
