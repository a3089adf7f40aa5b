/** Text of any script as runs of one font and direction, in the order in which they are drawn from left to right. */
import bidiFactory, { type Bidi } from "bidi-js";
import { hasGlyphs } from "./fonts.ts";

/** Part of a line in one font. Right-to-left words are in logical order; the PDF library reverses them when it draws them. */
export interface TextRun {
  text: string;
  isFallback: boolean;
}

type LeveledRun = TextRun & { level: number };

// The package declares an ES module and is a CommonJS one, whose default export is the factory.
const bidi = (bidiFactory as unknown as () => Bidi)();
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const NON_JOINER = "\u200c";
const REPLACEMENT = "\ufffd";

/**
 * Returns a text as well-formed NFC, with a space for control characters and line breaks, and without format characters, except the
 * zero-width non-joiner, which Persian needs.
 */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\p{Cf}\ufe00-\ufe0f]/gu, (character) => (character === NON_JOINER ? character : ""));

/** Returns the graphemes of a text: characters with the marks that belong to them. */
export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Returns the runs of one line of printable text in visual order. Characters that no font has are shown as �. */
export function textRuns(line: string): TextRun[] {
  if (/^[\x20-\x7e]*$/.test(line)) return [{ text: line, isFallback: false }];
  const { levels } = bidi.getEmbeddingLevels(line, "auto");
  const runs: LeveledRun[] = [];
  let index = 0;
  for (const grapheme of graphemesOf(line)) {
    const level = levels[index]!;
    index += grapheme.length;
    append(runs, { ...withFont(grapheme), level });
  }
  return inVisualOrder(runs).map(({ text, level, isFallback }) => ({ text: isRightToLeft(level) ? mirrored(text) : text, isFallback }));
}

const isRightToLeft = (level: number): boolean => level % 2 === 1;

/** Chooses a font without knowing whether the text is drawn in bold, so the main font must have the grapheme in both weights. */
function withFont(grapheme: string): TextRun {
  if (hasGlyphs("regular", grapheme) && hasGlyphs("bold", grapheme)) return { text: grapheme, isFallback: false };
  if (hasGlyphs("fallback", grapheme)) return { text: grapheme, isFallback: true };
  return { text: REPLACEMENT, isFallback: false };
}

/** Appends to the last run if font and direction are the same. Right-to-left words are runs of their own, since the library lays words out from left to right. */
function append(runs: LeveledRun[], next: LeveledRun): void {
  const last = runs.at(-1);
  const isWordBoundary = last !== undefined && isRightToLeft(next.level) && (next.text === " " || last.text === " ");
  if (last?.level === next.level && last.isFallback === next.isFallback && !isWordBoundary) last.text += next.text;
  else runs.push(next);
}

/** Reverses the runs of each level and higher, from the highest level to the lowest odd one (rule L2 of the bidirectional algorithm). */
function inVisualOrder(runs: readonly LeveledRun[]): LeveledRun[] {
  const ordered = [...runs];
  for (let level = Math.max(...runs.map((run) => run.level)); level >= 1; level--)
    for (let start = 0; start < ordered.length; start++) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = Math.max(start, end - 1);
    }
  return ordered;
}

/** Returns right-to-left text with mirrored brackets. Text without letters is reversed here, because the PDF library reverses only letters. */
function mirrored(text: string): string {
  const characters = graphemesOf(text).map((character) => bidi.getMirroredCharacter(character) ?? character);
  return (/\p{L}/u.test(text) ? characters : characters.toReversed()).join("");
}
