/** Fonts that are embedded in PDF documents, so that text of any script is shown without fonts of the PDF viewer. */
import { create, type Font } from "fontkit";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { decompressWoff } from "./woff.ts";

/** `regular` and `bold` have Latin, Greek, Cyrillic, Arabic, Hebrew and more; `fallback` has nearly all other characters. */
export const fontNames = ["regular", "bold", "fallback"] as const;
export type FontName = (typeof fontNames)[number];

const { resolve } = createRequire(import.meta.url);
const files: Record<FontName, string> = {
  regular: "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  bold: "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
  fallback: "@fontsource/unifontex/files/unifontex-latin-400-normal.woff",
};

const loaded = new Map<FontName, Buffer>();
/** Returns the TrueType file of a font. It is read at its first use. */
export function fontFile(name: FontName): Buffer {
  let file = loaded.get(name);
  if (!file) {
    file = readFileSync(resolve(files[name]));
    if (files[name].endsWith(".woff")) file = decompressWoff(file);
    loaded.set(name, file);
  }
  return file;
}

const opened = new Map<FontName, Font>();
/** Returns true if a font has all characters of a text. */
export function hasGlyphs(name: FontName, text: string): boolean {
  let font = opened.get(name);
  if (!font) opened.set(name, (font = create(fontFile(name)) as Font));
  return Array.from(text).every((character) => font.hasGlyphForCodePoint(character.codePointAt(0)!));
}
