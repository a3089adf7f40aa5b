import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { crc32, deflateRawSync } from "node:zlib";
import yazl from "yazl";
import { type UnpackedFile, unzip } from "./unzip.ts";
import { isZip } from "./zip.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "unzip-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function zipOf(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return buffer(zip.outputStream);
}

interface RawEntry {
  name: string;
  compressed: Buffer;
  /** Uncompressed size that the headers declare. */
  declaredSize: number;
  crc: number;
  /** Offset of the local header of another entry, whose data this entry shares. By default the entry has its own data. */
  sharedOffset?: number;
  /** External file attributes, with the Unix mode in the upper 16 bits. */
  attributes?: number;
  flags?: number;
}

/** Creates a ZIP with arbitrary, possibly invalid, headers. */
function rawZip(entries: readonly RawEntry[]): Buffer {
  const body: Buffer[] = [];
  let length = 0;
  const directory = entries.map(({ name, compressed, declaredSize, crc, sharedOffset, attributes = 0, flags = 0 }) => {
    const offset = sharedOffset ?? length;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(compressed.length, 18);
    local.writeUInt32LE(declaredSize, 22);
    local.writeUInt16LE(name.length, 26);
    if (sharedOffset === undefined) {
      body.push(local, Buffer.from(name), compressed);
      length += 30 + name.length + compressed.length;
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc, 16);
    central.writeUInt32LE(compressed.length, 20);
    central.writeUInt32LE(declaredSize, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(attributes, 38);
    central.writeUInt32LE(offset, 42);
    return Buffer.concat([central, Buffer.from(name)]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(length, 16);
  return Buffer.concat([...body, ...directory, end]);
}

const rawEntry = (name: string, content: Buffer, overrides: Partial<RawEntry> = {}): RawEntry => ({
  name,
  compressed: deflateRawSync(content),
  declaredSize: content.length,
  crc: crc32(content),
  ...overrides,
});
const csv = (rowCount: number) => Buffer.from(`a,b\n${Array.from({ length: rowCount }, (_, n) => `${n},${Math.sin(n)}`).join("\n")}\n`);

let archiveCount = 0;
/** Unpacks a ZIP and returns its files and the error message, if any. */
async function unpack(zip: Buffer, maxFileBytes = 26_214_400): Promise<{ files: UnpackedFile[]; message: string | undefined }> {
  const path = join(dir, `${++archiveCount}.zip`);
  await writeFile(path, zip);
  const files: UnpackedFile[] = [];
  const message = await unzip(path, { name: "archive.zip", dir, maxFileBytes, maxFiles: 20 }, files).then(
    () => undefined,
    (error: Error) => error.message,
  );
  await rm(path);
  return { files, message };
}
const removeFiles = (files: readonly UnpackedFile[]) => Promise.all(files.map(({ path }) => rm(path, { force: true })));

describe("unzip", () => {
  test("extracts the CSV files, and ignores text documents and metadata", async () => {
    const { files, message } = await unpack(
      await zipOf({ "exports/units.csv": csv(3), "leases.CSV": csv(2), "README.txt": "Read me", "__MACOSX/._units.csv": "x", ".DS_Store": "x" }),
    );
    expect(message).toBeUndefined();
    expect(files.map(({ name, size }) => [name, size])).toEqual([
      ["exports/units.csv", csv(3).length],
      ["leases.CSV", csv(2).length],
    ]);
    expect(await readFile(files[0]!.path)).toEqual(csv(3));
    expect(files[0]!.sha256).toMatch(/^[0-9a-f]{64}$/);
    await removeFiles(files);
  });

  const manyEntries = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}.txt`, "x"]));
  const hostileArchives: [name: string, create: () => Buffer | Promise<Buffer>, expectedMessage: string][] = [
    ["a bomb of zeros", () => rawZip([rawEntry("a.csv", Buffer.alloc(20_000_000))]), "compressed by more than a factor of 100"],
    ["a bomb with a small declared size", () => rawZip([rawEntry("a.csv", Buffer.alloc(20_000_000), { declaredSize: 10 })]), "ZIP cannot be read"],
    ["an entry above the file size limit", () => rawZip([rawEntry("a.csv", csv(300_000))]), "larger than 4 MiB"],
    ["a nested ZIP", () => zipOf({ "a.zip": "PK" }), "an archive within the archive"],
    ["a spreadsheet", () => zipOf({ "units.xlsx": "PK" }), "units.xlsx is not a CSV file"],
    ["more than a thousand entries", () => zipOf(manyEntries), "1001 entries"],
    ["too many files", () => zipOf(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.csv`, "a,b\n"]))), "more than 20 files"],
    ["a path outside the archive", () => rawZip([rawEntry("../../evil.csv", csv(2))]), "leads outside the archive"],
    ["an absolute path", () => rawZip([rawEntry("/etc/evil.csv", csv(2))]), "leads outside the archive"],
    ["a path with backslashes", () => rawZip([rawEntry("..\\evil.csv", csv(2))]), "leads outside the archive"],
    ["a symbolic link", () => rawZip([rawEntry("a.csv", Buffer.from("/etc/passwd"), { attributes: (0o120777 << 16) >>> 0 })]), "is a symbolic link"],
    ["an encrypted entry", () => rawZip([rawEntry("a.csv", csv(2), { flags: 1 })]), "encrypted"],
    ["entries that share their data", () => rawZip([rawEntry("a.csv", csv(100)), rawEntry("a.csv", csv(100), { sharedOffset: 0 })]), "shares its data"],
    ["a truncated archive", async () => (await zipOf({ "a.csv": csv(500) })).subarray(0, 900), "ZIP cannot be read"],
    ["data that cannot be inflated", () => rawZip([rawEntry("a.csv", csv(100), { compressed: Buffer.from("not deflated at all") })]), "ZIP cannot be read"],
  ];
  test.each(hostileArchives)("refuses %s, and lists the files to remove", async (_, create, expectedMessage) => {
    const zip = await create();
    const { files, message } = await unpack(zip, 4 * 1_048_576);
    expect(message).toContain(expectedMessage);
    await removeFiles(files);
    expect(await readdir(dir)).toEqual([]);
  });
});

test("isZip detects a ZIP by its signature", async () => {
  const [zipPath, textPath] = [join(dir, "zip"), join(dir, "text")];
  await Promise.all([writeFile(zipPath, await zipOf({ "a.csv": "x" })), writeFile(textPath, "PK")]);
  expect([await isZip(zipPath), await isZip(textPath)]).toEqual([true, false]);
  await Promise.all([rm(zipPath), rm(textPath)]);
});
