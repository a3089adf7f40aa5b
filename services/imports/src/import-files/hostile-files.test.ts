import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { deflateRawSync } from "node:zlib";
import type { ErrorBody } from "@freehold/contract/errors";
import { anOffice } from "../../../../test/office.ts";
import { running } from "../../../../test/running.ts";
import { aBundle, aFile, aZip, candidatesOf, keptFiles, nothingStays, upload, validated } from "../../test/bundles.ts";

const office = await anOffice();
const { id } = await aBundle(office);
const MIB = 1_048_576;

/** Sends files, and answers the refusal; whatever is refused leaves nothing on the disk. */
async function refused(...file: File[]): Promise<{ status: number; body: ErrorBody }> {
  const { status, body } = await office.attempt("uploadImportFiles", { params: { id }, body: { file } });
  expect(await keptFiles(office.organizationId)).toEqual([]);
  await nothingStays();
  return { status, body };
}

interface Answer {
  status: number;
  body: ErrorBody;
  /** How much of the body was taken before the answer came. */
  taken: number;
}

const boundary = "----boundary";
const headOf = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;
const piece = Buffer.alloc(MIB, "x,y\n");

/** Sends one file and listens meanwhile: whoever is answered sends no more. */
function streamed(name: string, bytes: number, says: boolean): Promise<Answer> {
  const head = headOf(name);
  const length = says ? { "Content-Length": head.length + bytes + tail.length } : { "Transfer-Encoding": "chunked" };
  return new Promise((resolve, reject) => {
    let [taken, isAnswered] = [0, false];
    const sent = request(`${running().baseUrl}/api/import-bundles/${id}/files`, {
      method: "POST",
      headers: { Authorization: `Bearer ${office.token}`, "Content-Type": `multipart/form-data; boundary=${boundary}`, ...length },
    });
    sent.on("response", (response) => {
      isAnswered = true;
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        resolve({ status: response.statusCode!, body: JSON.parse(text) as ErrorBody, taken });
        sent.destroy();
      });
    });
    sent.on("error", reject);
    sent.write(head);
    const more = () => {
      while (taken < bytes) {
        if (isAnswered) return;
        taken += piece.length;
        if (!sent.write(piece)) return void sent.once("drain", more);
      }
      sent.end(tail);
    };
    more();
  });
}

/** Sends one file, and listens after all of it is sent. */
async function sentDeaf(name: string, bytes: number): Promise<string> {
  const { hostname, port } = new URL(running().baseUrl);
  const socket = connect(Number(port), hostname);
  const send = async (data: string | Buffer) => {
    if (!socket.write(data)) await once(socket, "drain");
  };
  const head = headOf(name);
  const length = head.length + bytes + tail.length;
  await send(`POST /api/import-bundles/${id}/files HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${office.token}\r\n`);
  await send(`Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n${head}`);
  for (let sent = 0; sent < bytes; sent += piece.length) await send(piece);
  await send(tail);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString();
}

describe("a hostile upload", () => {
  test.each([
    ["that does not say its length", false],
    ["that says it", true],
  ])("of 200 MiB %s is refused by its name, long before all of it has come", async (_, says) => {
    const { status, body, taken } = await streamed("huge.csv", 200 * MIB, says);
    expect([status, body.code, body.message]).toEqual([400, "file_too_large", "huge.csv is larger than 25 MiB. Send a smaller one."]);
    expect(taken).toBeLessThan(100 * MIB);
    expect(await keptFiles(office.organizationId)).toEqual([]);
    await nothingStays();
  });

  test("of 200 MiB is answered also to whoever listens only after sending it", async () => {
    const answer = await sentDeaf("huge.csv", 200 * MIB);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("huge.csv is larger than 25 MiB.");
  });

  test("of more than can be sent at once is refused before any of it is read", async () => {
    const { status, body, taken } = await streamed("huge.csv", 600 * MIB, true);
    expect([status, body.code, body.message]).toEqual([400, "file_too_large", "20 files of 25 MiB are taken at once. Send fewer, or smaller ones."]);
    expect(taken).toBeLessThan(50 * MIB);
  });

  test("of one line without an end is refused, naming the row", async () => {
    const line = aFile("line.csv", "source_id,name", `V-1,${"x".repeat(10 * MIB)}`);
    const { status, body } = await refused(line);
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^line\.csv, row 2: The row is longer than 256 KiB/)]);
  });

  test("of thirty files is refused", async () => {
    const files = Array.from({ length: 30 }, (_, at) => aFile(`${at}.csv`, "source_id,name", "V-1,Pipes"));
    const { status, body } = await refused(...files);
    expect([status, body.message]).toEqual([400, expect.stringContaining("at most 20 files")]);
  });

  test("of more rows than a file may have is refused, naming the row", async () => {
    const { status, body } = await refused(new File([`a,b\n${"1,2\n".repeat(200_001)}`], "rows.csv"));
    expect([status, body.message]).toEqual([400, "rows.csv, row 200002: There are more than 200000 rows. Split the file."]);
  });

  test("of rows that say nothing without an end is refused, naming the row", async () => {
    const { status, body } = await refused(new File(["a,b\n".repeat(400_001)], "rows.csv"));
    expect([status, body.message]).toEqual([400, "rows.csv, row 400001: There are more than 400000 rows with blank ones and totals. Split the file."]);
  });

  test("of a program that is called a table is refused", async () => {
    for (const [name, bytes] of [
      ["program.csv", Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01\0", "latin1"), randomBytes(4_000)])],
      ["noise.csv", randomBytes(100_000)],
      ["empty.csv", Buffer.alloc(0)],
      ["blank.csv", Buffer.from("\r\n,,\r\n")],
      ["book.csv", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1")],
    ] as const) {
      const { status, body } = await refused(new File([new Uint8Array(bytes)], name));
      expect([status, body.code, body.errors]).toMatchObject([400, "unsupported_file", [{ path: "file", message: expect.stringContaining(`${name}: `) }]]);
    }
  });

  test("of a ZIP that is a bomb, nested or no table is refused by the name of the entry", async () => {
    const nested = await aZip("nested.zip", { "inner.zip": deflateRawSync(Buffer.alloc(1_000)) });
    const picture = await aZip("picture.zip", { "units.csv": "source_id,name\nV-1,x\n", "evil.csv": Buffer.from("\0\x01\x02\x03") });
    const bomb = await aZip("bomb.zip", { "a.csv": Buffer.alloc(24 * MIB) });
    const nothing = await aZip("nothing.zip", { "README.txt": "Nothing" });
    for (const [file, sentence] of [
      [nested, /^nested\.zip: inner\.zip is packed once more/],
      [picture, /^evil\.csv: This is no text/],
      [bomb, /^bomb\.zip: a\.csv is packed more than 100-fold/],
      [nothing, /^nothing\.zip: There is no CSV file in it/],
    ] as const) {
      const { status, body } = await refused(file);
      expect([status, body.code, body.message]).toEqual([400, "unsupported_file", expect.stringMatching(sentence)]);
    }
  });

  test.each(["../evil.csv", "/etc/evil.csv", "C:/evil.csv", "..\\evil.csv"])("of a ZIP with the name %s in it is refused", async (name) => {
    const zip = Buffer.from(await (await aZip("paths.zip", { ["x".repeat(name.length)]: "a,b\n1,2\n" })).arrayBuffer());
    const renamed = Buffer.from(zip.toString("latin1").replaceAll("x".repeat(name.length), name), "latin1");
    const { status, body } = await refused(new File([new Uint8Array(renamed)], "paths.zip"));
    expect([status, body.code, body.message]).toEqual([400, "unsupported_file", expect.stringMatching(/^paths\.zip: .* leads out of the ZIP\.$/)]);
  });

  test("under a name that leads elsewhere is a name and nothing more", async () => {
    const mine = await anOffice();
    const { id } = await aBundle(mine);
    const [file] = await upload(mine, id, aFile("../../../../tmp/evil.csv", "source_id,name", "V-1,Pipes"));
    expect(file!.fileName).toMatch(/evil\.csv$/);
    expect(await keptFiles(mine.organizationId)).toEqual([file!.id]);
  });
});

describe("a cell that a spreadsheet takes for a formula", () => {
  test("is kept as it was sent, and refused where it is no value", async () => {
    const mine = await anOffice();
    const { id } = await aBundle(mine);
    await upload(mine, id, aFile("owners.csv", "source_id,full_name,email", "O-1,\"=cmd|' /C calc'!A0\",=1+1"));
    await validated(mine, id);
    expect(await candidatesOf(mine, id)).toMatchObject([
      { status: "invalid", data: { full_name: "=cmd|' /C calc'!A0" }, errors: [{ path: "email", code: "format" }] },
    ]);
  });
});
