/** Blocks of text in a PDF document: wrapped to a width, of any script, with the embedded fonts. */
import PDFDocument from "pdfkit";
import { fontFile, fontNames, type FontName } from "./fonts.ts";
import { graphemesOf, printable, textRuns, type TextRun } from "./text-runs.ts";

/** PDF document whose embedded fonts are registered. */
export type Pdf = InstanceType<typeof PDFDocument>;

export interface TextStyle {
  width: number;
  size?: number;
  isBold?: boolean;
  align?: "left" | "right";
  color?: string;
}

/** Laid-out text that can be drawn at any position of its document. */
export interface TextBlock {
  lines: readonly { runs: readonly TextRun[]; width: number }[];
  height: number;
  style: Required<TextStyle>;
}

const LINE_HEIGHT = 1.3;
/** Distance of the baseline from the top of a line, as a multiple of the font size. */
const BASELINE = 0.95;

/** Creates a document of letter size whose pages stay open until its end, so that all can be numbered. */
export function createPdf(info: { title: string; author: string; createdAt?: Date | undefined }, margin: number): Pdf {
  const document = new PDFDocument({
    size: "LETTER",
    margin,
    bufferPages: true,
    font: "",
    info: { Title: printable(info.title), Author: printable(info.author), ...(info.createdAt && { CreationDate: info.createdAt }) },
  } as PDFKit.PDFDocumentOptions);
  // The library parses a registered font only when text uses it.
  for (const name of fontNames) document.registerFont(name, fontFile(name));
  return document;
}

/** Lays out a text in lines of at most the width of the style. Words that are longer than a line are broken. */
export function layOut(document: Pdf, text: string, { width, size = 10, isBold = false, align = "left", color = "#000000" }: TextStyle): TextBlock {
  const style = { width, size, isBold, align, color };
  const lines = wrap(printable(text), width, (line) => widthOf(document, textRuns(line), style)).map((line) => {
    const runs = textRuns(line);
    return { runs, width: widthOf(document, runs, style) };
  });
  return { lines, height: lines.length * size * LINE_HEIGHT, style };
}

/** Draws a block with its top left corner at (x, y). */
export function drawBlock(document: Pdf, { lines, style }: TextBlock, x: number, y: number): void {
  document.fillColor(style.color);
  for (const [index, { runs, width }] of lines.entries()) {
    let left = style.align === "right" ? x + style.width - width : x;
    for (const run of runs) {
      useFont(document, run, style);
      document.text(run.text, left, y + style.size * (index * LINE_HEIGHT + BASELINE), { lineBreak: false, baseline: "alphabetic" });
      left += document.widthOfString(run.text);
    }
  }
}

/** Lays out a text and draws it. Returns its height. */
export function drawText(document: Pdf, text: string, x: number, y: number, style: TextStyle): number {
  const block = layOut(document, text, style);
  drawBlock(document, block, x, y);
  return block.height;
}

function useFont(document: Pdf, { isFallback }: TextRun, { isBold, size }: Required<TextStyle>): void {
  const name: FontName = isFallback ? "fallback" : isBold ? "bold" : "regular";
  document.font(name, size);
}

const widthOf = (document: Pdf, runs: readonly TextRun[], style: Required<TextStyle>): number =>
  runs.reduce((sum, run) => {
    useFont(document, run, style);
    return sum + document.widthOfString(run.text);
  }, 0);

/**
 * Breaks a text between words, or within a word that is wider than a line: between its graphemes, or its characters if a grapheme is
 * wider than a line. A line is as wide as its parts, each of which is measured once.
 */
function wrap(text: string, width: number, measure: (part: string) => number): string[] {
  if (text === "") return [];
  const widths = new Map<string, number>();
  const widthOfPart = (part: string): number => {
    const known = widths.get(part) ?? measure(part);
    widths.set(part, known);
    return known;
  };
  const partsOf = (word: string): string[] =>
    widthOfPart(word) <= width ? [word] : graphemesOf(word).flatMap((grapheme) => (widthOfPart(grapheme) <= width ? [grapheme] : Array.from(grapheme)));
  const lines: { text: string; width: number }[] = [{ text: "", width: 0 }];
  for (const [index, word] of text.split(" ").entries())
    for (const [place, part] of partsOf(word).entries()) {
      const line = lines.at(-1)!;
      const separator = index > 0 && place === 0 && line.text !== "" ? " " : "";
      const joinedWidth = line.width + (separator ? widthOfPart(separator) : 0) + widthOfPart(part);
      if (line.text === "" || joinedWidth <= width) Object.assign(line, { text: line.text + separator + part, width: joinedWidth });
      else lines.push({ text: part, width: widthOfPart(part) });
    }
  return lines.map((line) => line.text);
}
