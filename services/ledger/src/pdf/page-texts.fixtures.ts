/** Text of PDF documents for tests, read through the character maps of their fonts. */
import { inflateSync } from "node:zlib";

/** Objects of a document by number: the dictionary and the decompressed stream of each. */
function objectsOf(pdf: Buffer): Map<string, { dictionary: string; stream: string }> {
  const text = pdf.toString("latin1");
  const objects = new Map<string, { dictionary: string; stream: string }>();
  for (const match of text.matchAll(/^(\d+) 0 obj\n([^]*?)\nendobj/gm)) {
    const [number, body] = [match[1]!, match[2]!];
    const at = body.indexOf("\nstream\n");
    const dictionary = at < 0 ? body : body.slice(0, at);
    const bytes = at < 0 ? "" : body.slice(at + "\nstream\n".length, body.lastIndexOf("\nendstream"));
    const stream =
      dictionary.includes("/FlateDecode") && !dictionary.includes("/Length1") ? inflateSync(Buffer.from(bytes, "latin1")).toString("latin1") : bytes;
    objects.set(number, { dictionary, stream });
  }
  return objects;
}

const reference = (dictionary: string, key: string): string | undefined => new RegExp(`/${key} (\\d+) 0 R`).exec(dictionary)?.[1];

/** Returns the characters of each glyph of a font by its code, from the arrays of its character map. */
function charactersOf(map: string): Map<number, string> {
  const characters = new Map<number, string>();
  for (const [, first, list] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g))
    for (const [index, [, hex]] of [...list!.matchAll(/<([0-9a-f ]*)>/g)].entries())
      characters.set(parseInt(first!, 16) + index, Buffer.from(hex!.replaceAll(" ", ""), "hex").swap16().toString("utf16le"));
  return characters;
}

/** Returns the texts of each page, one after the other as they are drawn. Words of right-to-left scripts appear reversed, as they are drawn. */
export function pageTexts(pdf: Buffer): string[] {
  const objects = objectsOf(pdf);
  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\n/.test(dictionary));
  return pages.map(({ dictionary }) => {
    const resources = objects.get(reference(dictionary, "Resources")!)!.dictionary;
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, number]) => {
        const map = reference(objects.get(number!)!.dictionary, "ToUnicode")!;
        return [name!, charactersOf(objects.get(map)!.stream)] as const;
      }),
    );
    let text = "";
    let font: Map<number, string> | undefined;
    for (const [, name, glyphs] of objects.get(reference(dictionary, "Contents")!)!.stream.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
      if (name) font = fonts.get(name);
      else
        text += [...glyphs!.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g)!.map((code) => font!.get(parseInt(code, 16)) ?? "?")).join("");
    }
    return text;
  });
}
