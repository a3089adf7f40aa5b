import { describe, expect, test } from "@jest/globals";
import { findDelimiter, type Delimiter } from "./delimiter.ts";
import { findEncoding, type Encoding } from "./encoding.ts";
import { columnNames, findHeader } from "./header.ts";
import { kindOfRow } from "./row-kind.ts";
import { readRows } from "./csv-rows.ts";

/** Bytes as a file gives them, in pieces that break characters and rows. */
async function* inPieces(bytes: Buffer, size = 7): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}
const whole = async function* (bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
};

const text = "name,city\r\nCafé Müller,Zürich\r\n";
const utf16 = (order: "le" | "be", mark: boolean) => {
  const bytes = Buffer.from(`${mark ? "\uFEFF" : ""}${text}`, "utf16le");
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

describe("a file in", () => {
  test.each(encoded)("%s is told, and read as the same rows", async (_, bytes, encoding) => {
    expect(await findEncoding(whole(bytes))).toBe(encoding);
    const rows = await Array.fromAsync(readRows(inPieces(bytes), { encoding, delimiter: "," }));
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["name", "city"],
      ["Café Müller", "Zürich"],
    ]);
  });

  test("Windows-1252 is told where its first letter stands far down", async () => {
    const bytes = Buffer.concat([Buffer.from("name\r\n".repeat(20_000)), Buffer.from([0x93, 0xe9, 0x94])]);
    expect(await findEncoding(inPieces(bytes, 65_536))).toBe("windows-1252");
  });

  test.each([
    ["nothing", Buffer.alloc(0), "empty"],
    ["a workbook", Buffer.from("PK\x03\x04rest", "latin1"), "Excel"],
    ["an old workbook", Buffer.from("\xd0\xcf\x11\xe0rest", "latin1"), "Excel"],
    ["a PDF", Buffer.from("%PDF-1.7"), "PDF"],
    ["a program", Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"), "no text"],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), "no text"],
    ["bytes by chance", Buffer.from(Array.from({ length: 4_000 }, (_, at) => 1 + ((at * 7919) % 255))), "no text"],
  ])("%s is refused", async (_, bytes, sentence) => {
    await expect(findEncoding(whole(bytes))).rejects.toThrow(sentence);
  });
});

describe("the delimiter", () => {
  const cases: [name: string, text: string, delimiter: Delimiter][] = [
    ["commas", "a,b,c\n1,2,3\n", ","],
    ["semicolons, with decimal commas", "name;rent;city\nA;1.095,00;X\nB;900,50;Y\n", ";"],
    ["semicolons, with a decimal comma in every cell", "a;b\n1,5;2,5\n3,5;4,5\n", ";"],
    ["tabs", "a\tb\n1,5\t2\n", "\t"],
    ["bars", "a|b|c\n1|2|3\n", "|"],
    ["commas, with others in quotes", 'a,b\n"x;y;z","1;2;3"\n"p;q;r","4;5;6"\n', ","],
    ["nothing", "name\nAda\n", ","],
    ["a title above", "Rent Roll\nAs of 06/30/2026\n\nUnit;Rent\n1;2\n3;4\n5;6\n", ";"],
  ];
  test.each(cases)("is found between %s", (_, head, delimiter) => {
    expect(findDelimiter(head)).toBe(delimiter);
  });
});

describe("readRows", () => {
  const read = async (bytes: Buffer | string, delimiter: Delimiter = ",") =>
    Array.fromAsync(readRows(inPieces(Buffer.from(bytes), 1_024), { encoding: "utf-8", delimiter }));

  test("counts rows as a spreadsheet does: blank ones, and one of several lines as one", async () => {
    const rows = await read('a,b\n\n"two\nlines",x\n1\n1,2,3\n');
    expect(rows).toEqual([
      { number: 1, cells: ["a", "b"] },
      { number: 2, cells: [""] },
      { number: 3, cells: ["two\nlines", "x"] },
      { number: 4, cells: ["1"] },
      { number: 5, cells: ["1", "2", "3"] },
    ]);
  });

  test.each(["\r\n", "\n", "\r"])("takes lines that end with %j", async (end) => {
    expect((await read(["a,b", "1,2", ""].join(end))).map(({ cells }) => cells)).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });

  test("takes quotes inside a cell that none opens", async () => {
    expect((await read('a,b\n5" pipe,"say ""hi"""\n'))[1]!.cells).toEqual(['5" pipe', 'say "hi"']);
  });

  test("names the row of a quote that is never closed", async () => {
    await expect(read('a,b\n1,2\n3,"4\n5,6\n')).rejects.toMatchObject({ row: 3, message: expect.stringContaining("quotation mark") });
  });

  test("names a row without an end, and reads no further", async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from("a,b\n1,2\n");
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536, ((given += 65_536), "x")));
    }
    await expect(Array.fromAsync(readRows(endless(), { encoding: "utf-8", delimiter: "," }))).rejects.toMatchObject({ row: 3 });
    expect(given).toBeLessThan(2_000_000);
  });

  test("names a row of cells without an end, though nothing stands in them", async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from("a,b\n1,2\n");
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536, ((given += 65_536), ",")));
    }
    await expect(Array.fromAsync(readRows(endless(), { encoding: "utf-8", delimiter: "," }))).rejects.toMatchObject({ row: 3 });
    expect(given).toBeLessThan(2_000_000);
  });

  test("lets go of the file when nobody reads on", async () => {
    let ended = false;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield await Promise.resolve(Buffer.from("1,2\n".repeat(10_000)));
      } finally {
        ended = true;
      }
    }
    for await (const row of readRows(source(), { encoding: "utf-8", delimiter: "," })) if (row.number === 5) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ended).toBe(true);
  });
});

describe("the header", () => {
  const rows = (...lines: string[][]) => lines.map((cells, index) => ({ number: index + 1, cells }));
  const known = (name: string) => ["unit", "tenant", "rent"].includes(name);

  test("is the row with the most known names, below titles and dates", () => {
    expect(findHeader(rows(["Rent Roll"], ["As of:", "06/30/2026"], [""], ["Unit", "Tenant", "Rent"], ["1", "Ada", "5"]), known).number).toBe(4);
  });
  test("is the first row that is as wide as the rest where no name is known", () => {
    expect(findHeader(rows(["My houses"], ["House", "Street", "Town"], ["Oak", "7 Oak Street", "Albany"]), known).number).toBe(2);
  });
  test("is missed in a file of blanks", () => {
    expect(() => findHeader(rows([""], ["", ""]), known)).toThrow("names of its columns");
  });
  test("gives every column a name of its own", () => {
    expect(columnNames({ number: 1, cells: ["Notes", "Unit  No", "", "notes", "Notes", ""] })).toEqual([
      "Notes",
      "Unit No",
      "Column 3",
      "notes (2)",
      "Notes (3)",
    ]);
  });
  test("of more than 500 columns is refused, naming the row", () => {
    expect(() => columnNames({ number: 3, cells: Array.from({ length: 501 }, (_, at) => `c${at}`) })).toThrow("501 columns");
  });
});

describe("a row is", () => {
  const header = ["Property", "Unit", "Rent"];
  const kind = (cells: string[], hasSections = true) => kindOfRow({ number: 9, cells }, header, hasSections);
  test.each([
    ["data", ["Maple", "1", "5.00"]],
    ["blank", ["", " ", "-"]],
    ["total", ["Total", "", "1,095.00"]],
    ["total", ["Total for Maple Court", "8", "$1,095.00"]],
    ["total", ["Grand Total:", "", "5.00"]],
    ["total", ["", "Subtotal", "5.00"]],
    ["total", ["Total Units: 8", "", ""]],
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
    ["data", ["Totally Fine Flats", "Unit A", "5.00"]],
  ])("%s: %j", (expected, cells) => {
    expect(kind(cells)).toBe(expected);
  });
  test("data where a file has no sections, however little it says", () => {
    expect(kind(["Maple Court", "", ""], false)).toBe("data");
  });
});
