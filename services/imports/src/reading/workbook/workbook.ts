/** Reading of untrusted Excel workbooks (.xlsx). Formulas are not evaluated: their cells have the values of the last calculation. */
import { posix } from "node:path";
import type { Entry } from "yauzl";
import { UnreadableFileError } from "../unreadable-file.ts";
import { type Archive, requireRegularEntry } from "../zip.ts";
import { decodeText, numberFormatOf, requireCellLength, type NumberFormat } from "./cell.rules.ts";
import { type SharedParts, sheetAsCsv } from "./sheet.ts";
import { readXml } from "./xml.ts";

const WORKBOOK = "xl/workbook.xml";
/** Maximum number of characters in the texts that the cells of a workbook share; they are kept in memory. */
const MAX_TEXT_CHARACTERS = 33_554_432;
const MAX_TEXTS = 1_000_000;

const partOf = ({ entries }: Archive, name: string): Entry | undefined => entries.find(({ fileName }) => fileName === name);

/** Tells whether a ZIP is an Excel workbook. */
export const isWorkbook = (archive: Archive): boolean => partOf(archive, "[Content_Types].xml") !== undefined && partOf(archive, WORKBOOK) !== undefined;

/** Throws for macros, encrypted parts, and two parts of one name, of which programs could read different ones. */
function requireHarmless({ entries }: Archive): void {
  if (entries.some(({ fileName }) => /vbaProject|macrosheets/i.test(fileName)))
    throw new UnreadableFileError("The workbook contains macros. Save it as an Excel workbook without macros (.xlsx).");
  for (const entry of entries) requireRegularEntry(entry);
  if (new Set(entries.map(({ fileName }) => fileName.toLowerCase())).size < entries.length)
    throw new UnreadableFileError("The workbook is damaged: two of its parts have one name.");
}

interface Sheet {
  name: string;
  entry: Entry;
}

/** Returns the visible sheets in their order, and the calendar of the dates. */
async function readStructure(archive: Archive): Promise<{ sheets: Sheet[]; calendar: 1900 | 1904 }> {
  const declared: { name: string; relation: string }[] = [];
  let calendar: 1900 | 1904 = 1900;
  await readXml(archive.inflate(partOf(archive, WORKBOOK)!), {
    open: (name, attributes) => {
      if (name === "workbookPr" && /^(?:1|true)$/.test(attributes["date1904"] ?? "")) calendar = 1904;
      if (name !== "sheet" || (attributes["state"] ?? "visible") !== "visible") return;
      const relation = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
      declared.push({ name: attributes["name"] ?? "", relation });
    },
  });
  const targets = new Map<string, string>();
  const relations = partOf(archive, "xl/_rels/workbook.xml.rels");
  if (relations)
    await readXml(archive.inflate(relations), {
      open: (name, { Id = "", Target = "", Type = "", TargetMode = "" }) => {
        if (name === "Relationship" && Type.endsWith("/worksheet") && TargetMode !== "External") targets.set(Id, posix.resolve("/xl", Target).slice(1));
      },
    });
  const sheets = declared.flatMap(({ name, relation }) => {
    const entry = partOf(archive, targets.get(relation) ?? "");
    return entry ? [{ name, entry }] : [];
  });
  return { sheets, calendar };
}

/** Returns the texts that cells refer to by their index. */
async function readTexts(archive: Archive): Promise<string[]> {
  const texts: string[] = [];
  const entry = partOf(archive, "xl/sharedStrings.xml");
  if (!entry) return texts;
  let [text, total, isText, isPhonetic] = ["", 0, false, false];
  await readXml(archive.inflate(entry), {
    open: (name) => {
      if (name === "si") text = "";
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
    },
    text: (part) => {
      if (!isText) return;
      text += part;
      requireCellLength(text);
      if ((total += part.length) > MAX_TEXT_CHARACTERS) throw new UnreadableFileError("The workbook has too many texts. Split it into several.");
    },
    close: (name) => {
      isText = false;
      if (name === "rPh") isPhonetic = false;
      if (name === "si" && texts.push(decodeText(text)) > MAX_TEXTS) throw new UnreadableFileError("The workbook has too many texts. Split it into several.");
    },
  });
  return texts;
}

/** Returns the formats of numbers by the index of a cell's style. */
async function readFormats(archive: Archive): Promise<NumberFormat[]> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  const entry = partOf(archive, "xl/styles.xml");
  if (!entry) return formats;
  let isCellStyle = false;
  await readXml(archive.inflate(entry), {
    open: (name, attributes) => {
      if (name === "numFmt") codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
      if (name === "cellXfs") isCellStyle = true;
      const id = Number(attributes["numFmtId"] ?? 0);
      if (name === "xf" && isCellStyle) formats.push(numberFormatOf(id, codes.get(id)));
    },
    close: (name) => {
      if (name === "cellXfs") isCellStyle = false;
    },
  });
  return formats;
}

const isUnnamed = (name: string): boolean => /^(?:sheet|worksheet|tabelle|feuil|hoja)?\s*\d*$/i.test(name);

/**
 * Yields the visible sheets with data as CSV files. The only one, or one without a name of its own, has the name of the workbook; any other is in
 * a folder of that name. The content of each has to be read before the next.
 */
export async function* readSheets(archive: Archive, workbookName: string): AsyncGenerator<{ name: string; csv: AsyncGenerator<Buffer> }> {
  requireHarmless(archive);
  const { sheets, calendar } = await readStructure(archive);
  const shared: SharedParts = { texts: await readTexts(archive), formats: await readFormats(archive), calendar };
  const base = workbookName.replace(/\.xls[xm]?$/i, "");
  const isOnly = sheets.length === 1;
  for (const { name, entry } of sheets) {
    const csv = sheetAsCsv(archive.inflate(entry), shared);
    const first = await csv.next();
    if (first.done) continue;
    yield { name: isOnly || isUnnamed(name) ? `${base}.csv` : `${base}/${name}.csv`, csv: withFirst(first.value, csv) };
  }
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
