/** Fonts in the WOFF format, version 1. */
import { inflateSync } from "node:zlib";

const HEADER = 44;
const ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;
/** Rounds a length up to a multiple of four, where the next table begins. */
const padded = (length: number): number => Math.ceil(length / 4) * 4;

/** Returns the TrueType font in a WOFF file. The PDF library reads WOFF too, but decompresses a table again for each character. */
export function decompressWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = HEADER + index * ENTRY;
    const [offset, compressedLength, length] = [woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 8), woff.readUInt32BE(at + 12)];
    const bytes = woff.subarray(offset, offset + compressedLength);
    const tag = woff.toString("latin1", at, at + 4);
    const table = compressedLength < length ? inflateSync(bytes) : bytes;
    return { tag, checksum: woff.readUInt32BE(at + 16), bytes: tag === "post" ? withoutGlyphNames(table) : table };
  });
  const size = tables.reduce((sum, { bytes }) => sum + padded(bytes.length), SFNT_HEADER + count * SFNT_ENTRY);
  const font = Buffer.alloc(size);
  woff.copy(font, 0, 4, 8);
  font.writeUInt16BE(count, 4);
  let offset = SFNT_HEADER + count * SFNT_ENTRY;
  for (const [index, { tag, checksum, bytes }] of tables.entries()) {
    const at = SFNT_HEADER + index * SFNT_ENTRY;
    font.write(tag, at, "latin1");
    font.writeUInt32BE(checksum, at + 4);
    font.writeUInt32BE(offset, at + 8);
    font.writeUInt32BE(bytes.length, at + 12);
    bytes.copy(font, offset);
    offset += padded(bytes.length);
  }
  return font;
}

/** Returns the table `post` in its version 3, which names no glyphs. Reading 65,000 names costs more than writing a document. */
function withoutGlyphNames(post: Buffer): Buffer {
  const table = Buffer.from(post.subarray(0, 32));
  table.writeUInt32BE(0x0003_0000);
  return table;
}
