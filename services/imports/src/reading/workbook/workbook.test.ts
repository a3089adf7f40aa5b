import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styles, workbookParts, zipParts, type Cell, type SheetOfCells } from "../../../test/workbooks.ts";
import { type UnpackedFile, unzip } from "../unzip.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "workbook-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Unpacks a workbook and returns the content of each file by its name, or the error message. */
async function unpack(parts: Record<string, string | Buffer>, name = "Book.xlsx"): Promise<Record<string, string> | string> {
  const path = join(dir, "workbook");
  await writeFile(path, await zipParts(parts));
  const files: UnpackedFile[] = [];
  try {
    await unzip(path, { name, dir, maxFileBytes: 26_214_400, maxFiles: 20 }, files);
    return Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await readFile(file.path, "utf8")])));
  } catch (error) {
    return (error as Error).message;
  } finally {
    await Promise.all([path, ...files.map((file) => file.path)].map((each) => rm(each, { force: true })));
    expect(await readdir(dir)).toEqual([]);
  }
}

const sheetOf = (...rows: Cell[][]): SheetOfCells => ({ name: "Sheet1", rows });
const linesOf = async (sheet: SheetOfCells, options = {}): Promise<string[]> =>
  ((await unpack(workbookParts([sheet], options))) as Record<string, string>)["Book.csv"]!.split("\r\n").slice(0, -1);

test("a workbook with a longer text than a cell can have is refused, since many cells may refer to it", async () => {
  expect(await unpack(workbookParts([sheetOf(["x".repeat(32_767)])]))).toHaveProperty(["Book.csv"]);
  expect(await unpack(workbookParts([sheetOf(["x".repeat(32_768)])]))).toMatch(/A cell has more than 32767 characters/);
});

describe("a sheet as CSV", () => {
  test("has texts, dates, amounts, percentages, ZIP codes, formulas by their value, and booleans as people see them", async () => {
    const row: Cell[] = [
      'He said "no", twice',
      { value: 46_023, style: styles.date },
      { value: 46_387.75, style: styles.longDate },
      { value: 1_495.000_000_000_000_2, style: styles.money },
      { value: 0.6, style: styles.percent },
      { value: 6_103, style: styles.zipCode },
      { xml: "<c><f>A1+B1</f><v>-12.5</v></c>" },
      { xml: '<c t="str"><f>A1&amp;"x"</f><v>R&amp;D</v></c>' },
      { xml: '<c t="b"><v>1</v></c>' },
      { xml: '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>' },
      0,
    ];
    expect(await linesOf(sheetOf(row))).toEqual(['"He said ""no"", twice",2026-01-01,2026-12-31,1495,60%,06103,-12.5,R&D,yes,inline,0']);
  });

  test("has the row numbers of the sheet, empty cells, and cells of several lines", async () => {
    const rows = { 2: ["Unit", "", "Note"], 5: ["", "x", "two\nlines"], 6: [""], 8: ["last"] };
    expect(await linesOf({ name: "Sheet1", rows })).toEqual(["", "Unit,,Note", "", "", ',x,"two\nlines"', "", "", "last"]);
  });

  test("has the dates of both calendars", async () => {
    const row = [1, 59, 61, 46_023].map((value) => ({ value, style: styles.date }));
    expect(await linesOf(sheetOf(row))).toEqual(["1900-01-01,1900-02-28,1900-03-01,2026-01-01"]);
    expect(await linesOf(sheetOf([{ value: 44_561, style: styles.date }]), { date1904: true })).toEqual(["2026-01-01"]);
  });

  test("is made of each visible sheet with data, under the names of the workbook and the sheet", async () => {
    const sheets: SheetOfCells[] = [
      { name: "Tenants", rows: [["full_name"], ["Tess"]] },
      { name: "Empty", rows: [[""], []] },
      { name: "Hidden", rows: [["secret"]], state: "hidden" },
      { name: "Units", rows: [["unit_number"], ["1A"]] },
    ];
    expect(await unpack(workbookParts(sheets), "rent_roll-20260630.xlsx")).toEqual({
      "rent_roll-20260630/Tenants.csv": "full_name\r\nTess\r\n",
      "rent_roll-20260630/Units.csv": "unit_number\r\n1A\r\n",
    });
    expect(await unpack(workbookParts([sheets[0]!]), "rent_roll-20260630.xlsx")).toEqual({ "rent_roll-20260630.csv": "full_name\r\nTess\r\n" });
    expect(await unpack(workbookParts([sheets[1]!]))).toEqual({});
  });

  test("does not depend on the size of the sheet for its memory", async () => {
    const rows = Array.from({ length: 60_000 }, (_, index): Cell[] => [index, `U-${index}`, 900 + index / 7, "Maple Court"]);
    const parts = workbookParts([sheetOf(["id", "unit", "rent", "property"], ...rows)]);
    const content = (await unpack(parts)) as Record<string, string>;
    expect(content["Book.csv"]!.split("\r\n")).toHaveLength(rows.length + 2);
  });
});

describe("a hostile workbook is refused", () => {
  const parts = workbookParts([sheetOf(["name"], ["x"])]);
  const withPart = (name: string, content: string | Buffer) => ({ ...parts, [name]: content });
  const sheet = (content: string | Buffer) => withPart("xl/worksheets/sheet1.xml", content);
  const damaged = "The workbook is damaged";
  const lol = '<!DOCTYPE lol [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;">]>';
  test.each<[string, Record<string, string | Buffer>, string]>([
    ["with a bomb", sheet(`<worksheet><sheetData>${"<!---->".repeat(4_000_000)}</sheetData></worksheet>`), "compressed by more than a factor of 100"],
    ["with entities that multiply", sheet(`${lol}<worksheet>&b;</worksheet>`), "document type declaration"],
    ["with an external entity", sheet('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>'), "document type declaration"],
    ["with an unknown entity", sheet("<worksheet>&e;</worksheet>"), damaged],
    ["with a DTD in the shared texts", withPart("xl/sharedStrings.xml", `${lol}<sst/>`), "document type declaration"],
    ["with macros", withPart("xl/vbaProject.bin", "x"), "contains macros"],
    ["with deep elements", sheet("<a>".repeat(100_000)), damaged],
    ["with a text that never ends", sheet(`<worksheet><sheetData><row><c><v>${Array.from({ length: 400_000 }, (_, n) => n).join("")}`), damaged],
    ["with an attribute that never ends", sheet(`<worksheet a="${Array.from({ length: 400_000 }, (_, n) => n).join("")}`), damaged],
    ["that is not well-formed", sheet("<worksheet><sheetData></worksheet>"), damaged],
    ["that is not in UTF-8", sheet(Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe])), damaged],
    ["with rows out of order", sheet('<worksheet><sheetData><row r="3"/><row r="2"/></sheetData></worksheet>'), "out of order"],
    ["with a row beyond the limit", sheet('<worksheet><sheetData><row r="1048576"/></sheetData></worksheet>'), "more than 400000 rows"],
    ["with too many columns", sheet('<worksheet><sheetData><row r="1"><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>'), "more than 500 columns"],
    ["with two parts of one name", withPart("xl/Worksheets/Sheet1.xml", "<worksheet/>"), "have one name"],
  ])("%s", async (_, hostile, message) => {
    expect(await unpack(hostile)).toContain(message);
  });
});
