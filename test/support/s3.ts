/** In-memory S3 server for tests: implements the requests that Freehold sends, verifies their signatures, and can inject failures. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { BucketSettings } from "@freehold/kit/config";

interface StoredFile {
  bytes: Buffer;
  modified: Date;
}

interface Upload {
  key: string;
  initiated: Date;
  parts: Map<number, Buffer>;
}

/** Maximum number of objects and common prefixes in a page of a list; small, so that clients must request several pages. */
const PAGE_SIZE = 3;
const BUCKET = "files";
const REGION = "us-east-1";

type S3Request = { method: string; key: string; query: URLSearchParams; body: Buffer; range: string | undefined };

interface BucketState {
  files: Map<string, StoredFile>;
  uploads: Map<string, Upload>;
  /** Failure to inject for a request: an error status, or `cut` to close the connection without a response. */
  injectFailure: (method: string, query: URLSearchParams) => number | "cut" | undefined;
  /** Responds to a range request with 200 and the whole object. */
  ignoresRanges: boolean;
}

export interface TestBucket extends BucketState {
  settings: BucketSettings;
  close(): Promise<void>;
}

/** Starts the server on a free port with its own credentials. */
export async function startTestBucket(): Promise<TestBucket> {
  const secret = randomUUID();
  const settings = { S3_BUCKET: BUCKET, S3_REGION: REGION, S3_ACCESS_KEY_ID: "tests", S3_SECRET_ACCESS_KEY: secret };
  const bucket: BucketState = { files: new Map(), uploads: new Map(), injectFailure: () => undefined, ignoresRanges: false };
  const server = createServer((req, res) => {
    void respond(bucket, secret, req, res).catch(() => res.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(bucket, {
    settings: { ...settings, S3_ENDPOINT: `http://127.0.0.1:${port}` },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function respond(bucket: BucketState, secret: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url!, "http://s3");
  const failure = bucket.injectFailure(req.method!, searchParams);
  if (failure === "cut") return void req.socket.destroy();
  const body = await buffer(req);
  if (typeof failure === "number") return sendError(res, failure, "InjectedFailure");
  if (!hasValidSignature(req, pathname, searchParams, secret)) return sendError(res, 403, "SignatureDoesNotMatch");
  const [, bucketName, ...keySegments] = decodeURIComponent(pathname).split("/");
  if (bucketName !== BUCKET) return sendError(res, 404, "NoSuchBucket");
  const request = { method: req.method!, key: keySegments.join("/"), query: searchParams, body, range: req.headers.range };
  if (request.query.has("uploads") || request.query.has("uploadId")) respondMultipart(bucket, request, res);
  else if (request.key === "") respondList(bucket, request, res);
  else respondFile(bucket, request, res);
}

function respondFile({ files, ignoresRanges }: BucketState, { method, key, body, range }: S3Request, res: ServerResponse): void {
  if (method === "PUT") files.set(key, { bytes: body, modified: new Date() });
  if (method === "DELETE") files.delete(key);
  if (method !== "GET") return void res.writeHead(method === "PUT" ? 200 : 204, { ETag: '"1"' }).end();
  const bytes = files.get(key)?.bytes;
  if (!bytes) return sendError(res, 404, "NoSuchKey");
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (from === undefined || ignoresRanges) res.end(bytes);
  else res.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1));
}

function respondMultipart({ files, uploads }: BucketState, { method, key, query, body }: S3Request, res: ServerResponse): void {
  const uploadId = query.get("uploadId") ?? randomUUID();
  const upload = uploads.get(uploadId);
  if (query.has("uploads") && method === "POST") {
    uploads.set(uploadId, { key, initiated: new Date(), parts: new Map() });
    return sendXml(res, `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`);
  }
  if (query.has("uploads")) {
    const prefix = query.get("prefix") ?? "";
    const entries = [...uploads]
      .map(([id, unfinished]) => ({ id, ...unfinished }))
      .filter((unfinished) => unfinished.key.startsWith(prefix))
      .map(
        (unfinished) =>
          `<Upload><Key>${unfinished.key}</Key><UploadId>${unfinished.id}</UploadId><Initiated>${unfinished.initiated.toISOString()}</Initiated></Upload>`,
      );
    return sendXml(res, `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join("")}</ListMultipartUploadsResult>`);
  }
  if (!upload) return sendError(res, 404, "NoSuchUpload");
  if (method === "PUT") {
    upload.parts.set(Number(query.get("partNumber")), body);
    return void res.writeHead(200, { ETag: `"${query.get("partNumber")}"` }).end();
  }
  if (method === "DELETE") {
    uploads.delete(uploadId);
    return void res.writeHead(204).end();
  }
  // S3 may send the status 200 before it joins the parts, and then reports a failure in the body. Tests clear the parts of an
  // upload to cause this failure.
  if (upload.parts.size === 0) return sendXml(res, "<Error><Code>InternalError</Code></Error>");
  const partNumbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
  files.set(key, { bytes: Buffer.concat(partNumbers.map((number) => upload.parts.get(number)!)), modified: new Date() });
  uploads.delete(uploadId);
  sendXml(res, `<CompleteMultipartUploadResult><ETag>"${partNumbers.length}"</ETag></CompleteMultipartUploadResult>`);
}

function respondList({ files }: BucketState, { query }: S3Request, res: ServerResponse): void {
  const [prefix, delimiter, continuationToken] = [query.get("prefix") ?? "", query.get("delimiter"), query.get("continuation-token") ?? ""];
  const delimiterIndex = (key: string) => (delimiter === null ? -1 : key.indexOf(delimiter, prefix.length));
  const keysAndCommonPrefixes = [...files.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => (delimiterIndex(key) < 0 ? key : key.slice(0, delimiterIndex(key) + 1)));
  const remaining = [...new Set(keysAndCommonPrefixes)].toSorted().filter((entry) => entry > continuationToken);
  const page = remaining.slice(0, PAGE_SIZE).map((entry) => {
    const file = files.get(entry);
    if (!file) return `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`;
    return `<Contents><Key>${entry}</Key><Size>${file.bytes.length}</Size><LastModified>${file.modified.toISOString()}</LastModified></Contents>`;
  });
  const nextPage =
    remaining.length > PAGE_SIZE ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${remaining[PAGE_SIZE - 1]}</NextContinuationToken>` : "";
  sendXml(res, `<ListBucketResult>${page.join("")}${nextPage}</ListBucketResult>`);
}

const sendXml = (res: ServerResponse, text: string, status = 200): void =>
  void res.writeHead(status, { "Content-Type": "application/xml" }).end(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
const sendError = (res: ServerResponse, status: number, code: string): void =>
  sendXml(res, `<Error><Code>${code}</Code><Message>The test server rejected the request.</Message></Error>`, status);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Returns whether the AWS Signature Version 4 of the request is valid. Does not verify that the body matches the hash in `x-amz-content-sha256`. */
function hasValidSignature({ method, headers }: IncomingMessage, path: string, query: URLSearchParams, secret: string): boolean {
  const [, credentialScope, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=tests\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? "") ?? [];
  if (!credentialScope || !signedHeaders || !signature || credentialScope.split("/")[1] !== REGION) return false;
  const queryPairs = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).toSorted();
  const headerLines = signedHeaders.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonicalRequest = [method, path, queryPairs.join("&"), headerLines.join(""), signedHeaders, headers["x-amz-content-sha256"]].join("\n");
  const signingKey = credentialScope.split("/").reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret}`);
  const expected = hmac(signingKey, ["AWS4-HMAC-SHA256", headers["x-amz-date"], credentialScope, sha256(canonicalRequest)].join("\n"));
  return timingSafeEqual(expected, Buffer.from(signature, "hex"));
}
