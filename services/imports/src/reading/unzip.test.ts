import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { crc32, deflateRawSync } from "node:zlib";
import yazl from "yazl";
import { isZip, unzip, type Unpacked } from "./unzip.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "unzip-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function aZip(entries: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return buffer(zip.outputStream);
}

interface Raw {
  name: string;
  packed: Buffer;
  size: number;
  crc: number;
  /** Where its bytes begin, if not after those of the one before. */
  at?: number;
  attributes?: number;
  flags?: number;
}

/** A ZIP as no honest program writes it. */
function rawZip(entries: readonly Raw[]): Buffer {
  const body: Buffer[] = [];
  let length = 0;
  const directory = entries.map(({ name, packed, size, crc, at, attributes = 0, flags = 0 }) => {
    const start = at ?? length;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    if (at === undefined) {
      body.push(local, Buffer.from(name), packed);
      length += 30 + name.length + packed.length;
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc, 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(attributes, 38);
    central.writeUInt32LE(start, 42);
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

const raw = (name: string, content: Buffer, more: Partial<Raw> = {}): Raw => ({
  name,
  packed: deflateRawSync(content),
  size: content.length,
  crc: crc32(content),
  ...more,
});
const csv = (rows: number) => Buffer.from(`a,b\n${Array.from({ length: rows }, (_, at) => `${at},${Math.sin(at)}`).join("\n")}\n`);

let made = 0;
/** Unpacks a ZIP, and answers what came out of it or the sentence of the refusal. */
async function unpack(zip: Buffer, fileBytes = 26_214_400): Promise<{ files: Unpacked[]; refusal: string | undefined }> {
  const path = join(dir, `${++made}.zip`);
  await writeFile(path, zip);
  const files: Unpacked[] = [];
  const refusal = await unzip(path, { dir, fileBytes, files: 20 }, files).then(
    () => undefined,
    (error: Error) => error.message,
  );
  await rm(path);
  return { files, refusal };
}
const forget = (files: readonly Unpacked[]) => Promise.all(files.map(({ path }) => rm(path, { force: true })));

describe("unzip", () => {
  test("gives the CSV files, and passes over what is for people and for programs", async () => {
    const { files, refusal } = await unpack(
      await aZip({ "exports/units.csv": csv(3), "leases.CSV": csv(2), "README.txt": "Read me", "__MACOSX/._units.csv": "x", ".DS_Store": "x" }),
    );
    expect(refusal).toBeUndefined();
    expect(files.map(({ name, size }) => [name, size])).toEqual([
      ["exports/units.csv", csv(3).length],
      ["leases.CSV", csv(2).length],
    ]);
    expect(await readFile(files[0]!.path)).toEqual(csv(3));
    expect(files[0]!.sha256).toMatch(/^[0-9a-f]{64}$/);
    await forget(files);
  });

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.txt`, "x"]));
  const refused: [name: string, make: () => Buffer | Promise<Buffer>, sentence: string][] = [
    ["a bomb of zeros", () => rawZip([raw("a.csv", Buffer.alloc(20_000_000))]), "packed more than 100-fold"],
    ["one that says it is small", () => rawZip([raw("a.csv", Buffer.alloc(20_000_000), { size: 10 })]), "ZIP cannot be read"],
    ["an entry above what a file may have", () => rawZip([raw("a.csv", csv(300_000))]), "larger than 4 MiB"],
    ["another ZIP inside", () => aZip({ "a.zip": "PK" }), "packed once more"],
    ["a spreadsheet", () => aZip({ "units.xlsx": "PK" }), "units.xlsx is no CSV file"],
    ["more entries than a thousand", () => aZip(many), "1001 entries"],
    ["more files than a bundle has", () => aZip(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`${at}.csv`, "a,b\n"]))), "more than 20 CSV files"],
    ["a name that leads out", () => rawZip([raw("../../evil.csv", csv(2))]), "leads out of the ZIP"],
    ["an absolute name", () => rawZip([raw("/etc/evil.csv", csv(2))]), "leads out of the ZIP"],
    ["a name with backslashes", () => rawZip([raw("..\\evil.csv", csv(2))]), "leads out of the ZIP"],
    ["a link", () => rawZip([raw("a.csv", Buffer.from("/etc/passwd"), { attributes: (0o120777 << 16) >>> 0 })]), "is a link"],
    ["an encrypted entry", () => rawZip([raw("a.csv", csv(2), { flags: 1 })]), "encrypted"],
    ["entries that share their bytes", () => rawZip([raw("a.csv", csv(100)), raw("a.csv", csv(100), { at: 0 })]), "shares its bytes"],
    ["a cut one", async () => (await aZip({ "a.csv": csv(500) })).subarray(0, 900), "ZIP cannot be read"],
    ["bytes that do not inflate", () => rawZip([raw("a.csv", csv(100), { packed: Buffer.from("not deflated at all") })]), "ZIP cannot be read"],
  ];
  test.each(refused)("refuses %s within two seconds", async (_, make, sentence) => {
    const zip = await make();
    const started = performance.now();
    const { files, refusal } = await unpack(zip, 4 * 1_048_576);
    expect(refusal).toContain(sentence);
    expect(performance.now() - started).toBeLessThan(2_000);
    await forget(files);
    expect(await readdir(dir)).toEqual([]);
  });
});

test("a ZIP is told by how it begins", async () => {
  const [one, other] = [join(dir, "one"), join(dir, "other")];
  await Promise.all([writeFile(one, await aZip({ "a.csv": "x" })), writeFile(other, "PK")]);
  expect([await isZip(one), await isZip(other)]).toEqual([true, false]);
  await Promise.all([rm(one), rm(other)]);
});
