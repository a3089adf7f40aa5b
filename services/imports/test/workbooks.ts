/** Excel workbooks for tests. */
import { buffer } from "node:stream/consumers";
import yazl from "yazl";

/** Cell: a text, a number with the index of its style, or the XML of a cell without its reference. */
export type Cell = string | number | { value: number; style: number } | { xml: string };
export interface SheetOfCells {
  name: string;
  /** Rows by their number; a list counts from 1. */
  rows: readonly (readonly Cell[])[] | Readonly<Record<number, readonly Cell[]>>;
  state?: "hidden" | "veryHidden";
}

export const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const columnName = (index: number): string => (index < 26 ? String.fromCharCode(65 + index) : columnName(Math.floor(index / 26) - 1) + columnName(index % 26));

/** Number formats of the styles 0, 1, 2, …: general, a built-in date, custom ones for dates, a percentage, ZIP codes and money. */
const formats: [id: number, code?: string][] = [[0], [14], [164, "[$-409]mmm d, yyyy;@"], [9], [165, "00000"], [166, '"$"#,##0.00']];
export const styles = { date: 1, longDate: 2, percent: 3, zipCode: 4, money: 5 };

/** Returns the parts of a workbook. Texts are shared, as Excel stores them. */
export function workbookParts(sheets: readonly SheetOfCells[], { date1904 = false } = {}): Record<string, string> {
  const texts: string[] = [];
  const cellXml = (cell: Cell, reference: string): string => {
    if (typeof cell === "string") return cell === "" ? "" : `<c r="${reference}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
    if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`;
    return "xml" in cell ? cell.xml.replace("<c", `<c r="${reference}"`) : `<c r="${reference}" s="${cell.style}"><v>${cell.value}</v></c>`;
  };
  const sheetXml = ({ rows }: SheetOfCells): string => {
    const numbered = Array.isArray(rows) ? rows.map((cells, index) => [index + 1, cells] as const) : Object.entries(rows);
    const lines = numbered.map(
      ([number, cells]) => `<row r="${number}">${(cells as Cell[]).map((cell, index) => cellXml(cell, `${columnName(index)}${number}`)).join("")}</row>`,
    );
    return `${declaration}<worksheet xmlns="${MAIN}"><sheetData>${lines.join("")}</sheetData></worksheet>`;
  };
  const sheetParts = Object.fromEntries(sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet)]));
  const declared = sheets.map(
    ({ name, state }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"${state ? ` state="${state}"` : ""}/>`,
  );
  const relations = sheets.map((_, index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`);
  const numFmts = formats.flatMap(([id, code]) => (code ? [`<numFmt numFmtId="${id}" formatCode="${escapeXml(code)}"/>`] : []));
  return {
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    "xl/workbook.xml": `${declaration}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr date1904="${date1904}"/><sheets>${declared.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join("")}</Relationships>`,
    "xl/styles.xml": `${declaration}<styleSheet xmlns="${MAIN}"><numFmts>${numFmts.join("")}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${formats
      .map(([id]) => `<xf numFmtId="${id}"/>`)
      .join("")}</cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `${declaration}<sst xmlns="${MAIN}">${texts.map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join("")}</sst>`,
    ...sheetParts,
  };
}

/** Compresses the parts of a workbook. */
export async function zipParts(parts: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [path, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
}

export const workbookFile = async (name: string, sheets: readonly SheetOfCells[]): Promise<File> =>
  new File([new Uint8Array(await zipParts(workbookParts(sheets)))], name);
