import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { eventually, retryWhileUnavailable } from "../../../../test/support/eventually.ts";
import { aConfirmedOffice, anOffice, confirmAddress, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { UNREACHABLE_ADDRESS } from "../../../../test/support/service-process.ts";
import { queryRows } from "../../test/database.ts";
import { aPdf, findIncomingFiles, findStoredFiles } from "../../test/files.ts";
import { aProperty } from "../../test/fixtures.ts";
import { startPortfolioProcess } from "../../test/process.ts";

const QUOTA_BYTES = 53_687_091_200;
const UNCONFIRMED_QUOTA_BYTES = 1_073_741_824;
const MESSAGE = "The organization's documents would exceed its storage quota of 50 GiB. Delete documents that are not needed.";

const admin = new pg.Client({ connectionString: running().adminUrl });
await admin.connect();
afterAll(() => admin.end());

const storageOf = async (office: Office) => (await office.call("getDocumentStorage")).storage;
const upload = async (office: Office, headers: Record<string, string> = {}) =>
  office.attempt("uploadDocument", { body: { file: aPdf(), entityType: "organization", entityId: office.organizationId }, headers });

/** Returns an office with one document, whose quota has room for the given number of files of the same size. */
async function anOfficeWithRoomFor(fileCount: number) {
  const office = await aConfirmedOffice();
  const { document } = (await upload(office)).body;
  const usedBytes = QUOTA_BYTES - fileCount * document.sizeBytes;
  await queryRows(office.organizationId, "update document_usage set size_bytes = $2 where organization_id = $1", [office.organizationId, usedBytes]);
  return { office, document };
}

describe("the storage quota of documents", () => {
  test("and the used bytes are returned; a deletion frees the bytes of the document at once", async () => {
    const office = await aConfirmedOffice();
    expect(await storageOf(office)).toEqual({ usedBytes: 0, quotaBytes: QUOTA_BYTES });
    const documents = [(await upload(office)).body.document, (await upload(office)).body.document];
    expect((await storageOf(office)).usedBytes).toBe(documents[0]!.sizeBytes + documents[1]!.sizeBytes);
    await office.call("deleteDocument", { params: { id: documents[0]!.id } });
    expect((await storageOf(office)).usedBytes).toBe(documents[1]!.sizeBytes);
  });

  test("refuses a file that exceeds it, in words that name the quota and the remedy, until a document is deleted", async () => {
    const { office, document } = await anOfficeWithRoomFor(0);
    const { status, body } = await upload(office);
    expect([status, body]).toEqual([400, { code: "payload_too_large", message: MESSAGE }]);
    expect(await findStoredFiles(office.organizationId)).toEqual([document.id]);
    await office.call("deleteDocument", { params: { id: document.id } });
    expect((await upload(office)).status).toBe(200);
  });

  test("is smaller until an admin has confirmed an e-mail address, and says so", async () => {
    const office = await anOffice();
    const { document } = (await upload(office)).body;
    expect((await storageOf(office)).quotaBytes).toBe(UNCONFIRMED_QUOTA_BYTES);
    const full = "update document_usage set size_bytes = $2 where organization_id = $1";
    await queryRows(office.organizationId, full, [office.organizationId, UNCONFIRMED_QUOTA_BYTES - document.sizeBytes + 1]);
    const { status, body } = await upload(office);
    expect([status, body.code]).toEqual([400, "payload_too_large"]);
    expect(body.message).toBe(
      "The organization's documents would exceed its storage quota of 1 GiB. Confirm the e-mail address of an admin with the mailed link for a quota of 50 GiB.",
    );
    await confirmAddress(office.baseUrl, office.email);
    expect((await storageOf(office)).quotaBytes).toBe(QUOTA_BYTES);
    expect((await upload(office)).status).toBe(200);
  });

  test("is that of a confirmed organization while identity is unavailable", async () => {
    const office = await anOffice();
    const portfolio = await startPortfolioProcess(office, { IDENTITY_GRPC: UNREACHABLE_ADDRESS });
    try {
      const response = await fetch(`${portfolio.baseUrl}/api/documents/storage`, { headers: await portfolio.headers() });
      expect(await response.json()).toEqual({ storage: { usedBytes: 0, quotaBytes: QUOTA_BYTES } });
    } finally {
      await portfolio.kill();
    }
  });

  test("is not exceeded by concurrent uploads, each of which would fit alone", async () => {
    const { office, document } = await anOfficeWithRoomFor(1);
    const rowLock = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
    await rowLock.connect();
    await rowLock.query("begin");
    await rowLock.query("select set_config('app.organization_id', $1, true)", [office.organizationId]);
    await rowLock.query("select from document_usage where organization_id = $1 for update", [office.organizationId]);
    const uploads = Array.from({ length: 3 }, () => retryWhileUnavailable(() => upload(office)));
    // All three have passed the check before the upload, which would let each of them exceed the quota.
    await eventually("three waiting uploads", async () => {
      const { rows } = await admin.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%into document_usage%'");
      return rows.length >= 3;
    });
    const { usedBytes } = await storageOf(office);
    expect(usedBytes + document.sizeBytes).toBe(QUOTA_BYTES);
    await rowLock.query("commit");
    await rowLock.end();
    expect((await Promise.all(uploads)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect((await storageOf(office)).usedBytes).toBe(QUOTA_BYTES);
    expect(await findStoredFiles(office.organizationId)).toHaveLength(2);
  });

  test("does not refuse the repetition of an upload with its Idempotency-Key", async () => {
    const { office } = await anOfficeWithRoomFor(1);
    const body = { file: aPdf(), entityType: "organization" as const, entityId: office.organizationId };
    const send = () => office.attempt("uploadDocument", { body, headers: { "Idempotency-Key": "upload-1" } });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
  });
});

describe("an upload above the storage quota", () => {
  const boundary = "x";
  const form = (...parts: [string, string][]) =>
    parts.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join("");
  const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n`;

  /** Sends the head of an upload to a process with a quota of 2 MB. `responses` yields what the process has sent so far. */
  async function startUpload(lengthHeader: string) {
    const office = await anOffice();
    const { id } = await aProperty(office);
    const portfolio = await startPortfolioProcess(office, { STORAGE_QUOTA_BYTES: "2000000" });
    const { hostname, port } = new URL(portfolio.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    socket.on("error", () => undefined);
    const headers = Object.entries(await portfolio.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /api/documents HTTP/1.1\r\nHost: x\r\n${headers.join("")}Content-Type: multipart/form-data; boundary=${boundary}\r\n${lengthHeader}\r\n\r\n`,
    );
    const refusal = () => eventually("refusal", () => (received.includes("payload_too_large") ? received : undefined));
    return { office, socket, refusal, fields: form(["entityType", "property"], ["entityId", id]), end: () => portfolio.kill() };
  }

  test("is refused by its length before a byte of its body is sent", async () => {
    const { office, socket, refusal, end } = await startUpload("Content-Length: 4000000");
    try {
      expect(await refusal()).toMatch(/^HTTP\/1\.1 400 [^]*storage quota of 1\.9 MiB\. Delete documents that are not needed\./);
      expect(await findStoredFiles(office.organizationId)).toEqual([]);
    } finally {
      socket.destroy();
      await end();
    }
  });

  test("without a length is refused while it is sent, and its file is removed", async () => {
    const { office, socket, refusal, fields, end } = await startUpload("Transfer-Encoding: chunked");
    try {
      const marker = randomUUID();
      const send = (bytes: string | Buffer) => {
        socket.write(`${bytes.length.toString(16)}\r\n`);
        socket.write(bytes);
        socket.write("\r\n");
      };
      send(`${fields}${fileHead}${marker}`);
      send(Buffer.alloc(1_000_000, "x"));
      await eventually("incoming file", async () => (await findIncomingFiles(marker)).length > 0);
      send(Buffer.alloc(1_500_000, "x"));
      expect(await refusal()).toMatch(/^HTTP\/1\.1 400 /);
      expect([await findIncomingFiles(marker), await findStoredFiles(office.organizationId)]).toEqual([[], []]);
    } finally {
      socket.destroy();
      await end();
    }
  });

  test("is accepted where the quota is 0, which is no limit", async () => {
    const { office } = await anOfficeWithRoomFor(0);
    const portfolio = await startPortfolioProcess(office, { STORAGE_QUOTA_BYTES: "0" });
    try {
      const body = new FormData();
      for (const [name, value] of [
        ["entityType", "organization"],
        ["entityId", office.organizationId],
        ["file", aPdf()],
      ] as [string, string | File][])
        body.append(name, value);
      expect((await portfolio.upload("/api/documents", body)).status).toBe(200);
      const response = await fetch(`${portfolio.baseUrl}/api/documents/storage`, { headers: await portfolio.headers() });
      expect(await response.json()).toEqual({ storage: { usedBytes: expect.any(Number), quotaBytes: null } });
    } finally {
      await portfolio.kill();
    }
  });
});
