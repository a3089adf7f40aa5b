import { describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { deflateRawSync } from "node:zlib";
import type { ErrorBody } from "@freehold/contract/errors";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { createBundle, csvFile, listAllCandidates, listStoredFiles, uploadFiles, validateBundle, waitForRemovedUploads, zipFile } from "../../test/bundles.ts";

const office = await anOffice();
const { id: bundleId } = await createBundle(office);
const MIB = 1_048_576;

/** Uploads files that must be refused, and checks that nothing of them remains on disk. */
async function uploadRefused(...file: File[]): Promise<{ status: number; body: ErrorBody }> {
  const { status, body } = await office.attempt("uploadImportFiles", { params: { id: bundleId }, body: { file } });
  expect(await listStoredFiles(office.organizationId)).toEqual([]);
  await waitForRemovedUploads();
  return { status, body };
}

const boundary = "----boundary";
const partHead = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
const partTail = `\r\n--${boundary}--\r\n`;
const chunk = Buffer.alloc(MIB, "x,y\n");

interface UploadSize {
  /** Size of the file, announced as the content length if `hasLength` is set. */
  bytes: number;
  hasLength: boolean;
  /** Size of the part of the file that is sent. The rest is withheld, so that only an early response ends the request. */
  sentBytes: number;
}

/** Starts the upload of one file and returns the response to its first part. */
function uploadFirstPart(name: string, { bytes, hasLength, sentBytes }: UploadSize): Promise<{ status: number; body: ErrorBody }> {
  const head = partHead(name);
  const lengthHeader = hasLength ? { "Content-Length": head.length + bytes + partTail.length } : { "Transfer-Encoding": "chunked" };
  return new Promise((resolve, reject) => {
    let [writtenBytes, hasResponse] = [0, false];
    const upload = request(`${running().baseUrl}/api/import-bundles/${bundleId}/files`, {
      method: "POST",
      headers: { Authorization: `Bearer ${office.token}`, "Content-Type": `multipart/form-data; boundary=${boundary}`, ...lengthHeader },
    });
    upload.on("response", (response) => {
      hasResponse = true;
      let text = "";
      response.on("data", (data: Buffer) => (text += data.toString()));
      response.on("end", () => {
        resolve({ status: response.statusCode!, body: JSON.parse(text) as ErrorBody });
        upload.destroy();
      });
    });
    upload.on("error", reject);
    upload.write(head);
    const sendMore = () => {
      while (writtenBytes < sentBytes && !hasResponse) {
        writtenBytes += chunk.length;
        if (!upload.write(chunk)) return void upload.once("drain", sendMore);
      }
    };
    sendMore();
  });
}

/** Uploads one file completely before reading the response. */
async function uploadThenRead(name: string, bytes: number): Promise<string> {
  const { hostname, port } = new URL(running().baseUrl);
  const socket = connect(Number(port), hostname);
  const send = async (data: string | Buffer) => {
    if (!socket.write(data)) await once(socket, "drain");
  };
  const head = partHead(name);
  const length = head.length + bytes + partTail.length;
  await send(`POST /api/import-bundles/${bundleId}/files HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${office.token}\r\n`);
  await send(`Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n${head}`);
  for (let sent = 0; sent < bytes; sent += chunk.length) await send(chunk);
  await send(partTail);
  const [response] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return response.toString();
}

describe("a hostile upload", () => {
  test.each([
    ["without a content length", false],
    ["with a content length", true],
  ])("of 200 MiB %s is refused with the name of the file, before half of it is sent", async (_, hasLength) => {
    const { status, body } = await uploadFirstPart("huge.csv", { bytes: 200 * MIB, hasLength, sentBytes: 99 * MIB });
    expect([status, body.code, body.message]).toEqual([400, "file_too_large", "huge.csv is larger than 25 MiB. Send a smaller one."]);
    expect(await listStoredFiles(office.organizationId)).toEqual([]);
    await waitForRemovedUploads();
  });

  test("of 200 MiB gets the response even if the client reads it only after sending everything", async () => {
    const response = await uploadThenRead("huge.csv", 200 * MIB);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain("huge.csv is larger than 25 MiB.");
  });

  test("above the limit of a request is refused before the body is read", async () => {
    const { status, body } = await uploadFirstPart("huge.csv", { bytes: 600 * MIB, hasLength: true, sentBytes: MIB });
    expect([status, body.code, body.message]).toEqual([
      400,
      "file_too_large",
      "At most 20 files of 25 MiB each can be uploaded at once. Send fewer or smaller files.",
    ]);
  });

  test("with an overlong line is refused, naming the row", async () => {
    const line = csvFile("line.csv", "source_id,name", `V-1,${"x".repeat(10 * MIB)}`);
    const { status, body } = await uploadRefused(line);
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^line\.csv, row 2: The row is longer than 256 KiB/)]);
  });

  test("of thirty files is refused", async () => {
    const files = Array.from({ length: 30 }, (_, index) => csvFile(`${index}.csv`, "source_id,name", "V-1,Pipes"));
    const { status, body } = await uploadRefused(...files);
    expect([status, body.message]).toEqual([400, expect.stringContaining("at most 20 files")]);
  });

  test("with too many rows is refused, naming the row", async () => {
    const { status, body } = await uploadRefused(new File([`a,b\n${"1,2\n".repeat(200_001)}`], "rows.csv"));
    expect([status, body.message]).toEqual([400, "rows.csv, row 200002: There are more than 200000 rows. Split the file."]);
  });

  test("with too many repeated header rows is refused, naming the row", async () => {
    const { status, body } = await uploadRefused(new File(["a,b\n".repeat(400_001)], "rows.csv"));
    expect([status, body.message]).toEqual([400, "rows.csv, row 400001: There are more than 400000 rows including blank rows and totals. Split the file."]);
  });

  test("of binary data with the extension .csv is refused", async () => {
    for (const [name, bytes] of [
      ["program.csv", Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01\0", "latin1"), randomBytes(4_000)])],
      ["noise.csv", randomBytes(100_000)],
      ["empty.csv", Buffer.alloc(0)],
      ["blank.csv", Buffer.from("\r\n,,\r\n")],
      ["book.csv", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1")],
    ] as const) {
      const { status, body } = await uploadRefused(new File([new Uint8Array(bytes)], name));
      expect([status, body.code, body.errors]).toMatchObject([400, "unsupported_file", [{ path: "file", message: expect.stringContaining(`${name}: `) }]]);
    }
  });

  test("of a ZIP bomb, a nested archive, binary data or no CSV file is refused, naming the file", async () => {
    const nested = await zipFile("nested.zip", { "inner.zip": deflateRawSync(Buffer.alloc(1_000)) });
    const binary = await zipFile("binary.zip", { "units.csv": "source_id,name\nV-1,x\n", "evil.csv": Buffer.from("\0\x01\x02\x03") });
    const bomb = await zipFile("bomb.zip", { "a.csv": Buffer.alloc(24 * MIB) });
    const nothing = await zipFile("nothing.zip", { "README.txt": "Nothing" });
    for (const [file, sentence] of [
      [nested, /^nested\.zip: inner\.zip is an archive within the archive/],
      [binary, /^evil\.csv: This is not a text file/],
      [bomb, /^bomb\.zip: a\.csv is compressed by more than a factor of 100/],
      [nothing, /^nothing\.zip: The file contains neither a CSV file nor a sheet with data/],
    ] as const) {
      const { status, body } = await uploadRefused(file);
      expect([status, body.code, body.message]).toEqual([400, "unsupported_file", expect.stringMatching(sentence)]);
    }
  });

  test.each(["../evil.csv", "/etc/evil.csv", "C:/evil.csv", "..\\evil.csv"])("of a ZIP with the entry name %s is refused", async (name) => {
    const zip = Buffer.from(await (await zipFile("paths.zip", { ["x".repeat(name.length)]: "a,b\n1,2\n" })).arrayBuffer());
    const renamed = Buffer.from(zip.toString("latin1").replaceAll("x".repeat(name.length), name), "latin1");
    const { status, body } = await uploadRefused(new File([new Uint8Array(renamed)], "paths.zip"));
    expect([status, body.code, body.message]).toEqual([
      400,
      "unsupported_file",
      expect.stringMatching(/^paths\.zip: .* A file name in it leads outside the archive\.$/),
    ]);
  });

  test("with a path in its file name is stored under its id", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice);
    const [file] = await uploadFiles(newOffice, id, csvFile("../../../../tmp/evil.csv", "source_id,name", "V-1,Pipes"));
    expect(file!.fileName).toMatch(/evil\.csv$/);
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([file!.id]);
  });
});

describe("a cell that looks like a formula", () => {
  test("is stored unchanged, and refused where it is not a valid value", async () => {
    const newOffice = await anOffice();
    const { id } = await createBundle(newOffice);
    await uploadFiles(newOffice, id, csvFile("owners.csv", "source_id,full_name,email", "O-1,\"=cmd|' /C calc'!A0\",=1+1"));
    await validateBundle(newOffice, id);
    expect(await listAllCandidates(newOffice, id)).toMatchObject([
      { status: "invalid", data: { full_name: "=cmd|' /C calc'!A0" }, errors: [{ path: "email", code: "format" }] },
    ]);
  });
});
