/** A store that speaks as much of S3 as we ask of one: it believes signatures alone, keeps everything in memory, and can be told to fail. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { BucketSettings } from "@freehold/kit/config";

interface Kept {
  bytes: Buffer;
  modified: Date;
}

interface Upload {
  key: string;
  initiated: Date;
  parts: Map<number, Buffer>;
}

/** A page of a list is short, so that whoever lists must turn pages. */
const PAGE = 3;
const BUCKET = "files";

type Asked = { method: string; key: string; query: URLSearchParams; body: Buffer; range: string | undefined };

export interface TestBucket {
  settings: BucketSettings;
  files: Map<string, Kept>;
  uploads: Map<string, Upload>;
  /** What each request answers instead of what it should, if it says so: a status, or `cut` for no answer at all. */
  fails: (method: string, query: URLSearchParams) => number | "cut" | undefined;
  ignoresRanges: boolean;
  close(): Promise<void>;
}

/** Starts one on a free port with keys of its own. */
export async function aBucket(): Promise<TestBucket> {
  const secret = randomUUID();
  const settings = { S3_BUCKET: BUCKET, S3_REGION: "us-east-1", S3_ACCESS_KEY_ID: "tests", S3_SECRET_ACCESS_KEY: secret };
  const bucket = { files: new Map<string, Kept>(), uploads: new Map<string, Upload>(), fails: () => undefined, ignoresRanges: false } as unknown as TestBucket;
  const server = createServer((req, res) => {
    void answer(bucket, secret, req, res).catch(() => res.destroy());
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

async function answer(bucket: TestBucket, secret: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url!, "http://s3");
  const failure = bucket.fails(req.method!, searchParams);
  if (failure === "cut") return void req.socket.destroy();
  const body = await buffer(req);
  if (typeof failure === "number") return refuse(res, failure, "Told");
  if (!isSigned(req, pathname, searchParams, secret)) return refuse(res, 403, "SignatureDoesNotMatch");
  const [, name, ...rest] = decodeURIComponent(pathname).split("/");
  if (name !== BUCKET) return refuse(res, 404, "NoSuchBucket");
  const asked = { method: req.method!, key: rest.join("/"), query: searchParams, body, range: req.headers.range };
  if (asked.query.has("uploads") || asked.query.has("uploadId")) answerParts(bucket, asked, res);
  else if (asked.key === "") answerList(bucket, asked, res);
  else answerFile(bucket, asked, res);
}

function answerFile({ files, ignoresRanges }: TestBucket, { method, key, body, range }: Asked, res: ServerResponse): void {
  if (method === "PUT") files.set(key, { bytes: body, modified: new Date() });
  if (method === "DELETE") files.delete(key);
  if (method !== "GET") return void res.writeHead(method === "PUT" ? 200 : 204, { ETag: '"1"' }).end();
  const found = files.get(key)?.bytes;
  if (!found) return refuse(res, 404, "NoSuchKey");
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (from === undefined || ignoresRanges) res.end(found);
  else res.writeHead(206).end(found.subarray(Number(from), Number(to) + 1));
}

function answerParts({ files, uploads }: TestBucket, { method, key, query, body }: Asked, res: ServerResponse): void {
  const id = query.get("uploadId") ?? randomUUID();
  const upload = uploads.get(id);
  if (query.has("uploads") && method === "POST") {
    uploads.set(id, { key, initiated: new Date(), parts: new Map() });
    return xml(res, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  if (query.has("uploads")) {
    const open = [...uploads].filter(([, each]) => each.key.startsWith(query.get("prefix") ?? ""));
    const shown = open.map(
      ([each, { key: of, initiated }]) => `<Upload><Key>${of}</Key><UploadId>${each}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    );
    return xml(res, `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${shown.join("")}</ListMultipartUploadsResult>`);
  }
  if (!upload) return refuse(res, 404, "NoSuchUpload");
  if (method === "PUT") {
    upload.parts.set(Number(query.get("partNumber")), body);
    return void res.writeHead(200, { ETag: `"${query.get("partNumber")}"` }).end();
  }
  uploads.delete(id);
  if (method === "DELETE") return void res.writeHead(204).end();
  if (upload.parts.size === 0) return xml(res, "<Error><Code>InternalError</Code></Error>");
  const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
  files.set(key, { bytes: Buffer.concat(numbers.map((number) => upload.parts.get(number)!)), modified: new Date() });
  xml(res, `<CompleteMultipartUploadResult><ETag>"${numbers.length}"</ETag></CompleteMultipartUploadResult>`);
}

function answerList({ files }: TestBucket, { query }: Asked, res: ServerResponse): void {
  const [prefix, delimiter, after] = [query.get("prefix") ?? "", query.get("delimiter"), query.get("continuation-token") ?? ""];
  const under = (key: string) => (delimiter === null ? -1 : key.indexOf(delimiter, prefix.length));
  const names = [...files.keys()].filter((key) => key.startsWith(prefix)).map((key) => (under(key) < 0 ? key : key.slice(0, under(key) + 1)));
  const left = [...new Set(names)].toSorted().filter((name) => name > after);
  const page = left.slice(0, PAGE).map((name) => {
    const file = files.get(name);
    if (!file) return `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`;
    return `<Contents><Key>${name}</Key><Size>${file.bytes.length}</Size><LastModified>${file.modified.toISOString()}</LastModified></Contents>`;
  });
  const more = left.length > PAGE ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${left[PAGE - 1]}</NextContinuationToken>` : "";
  xml(res, `<ListBucketResult>${page.join("")}${more}</ListBucketResult>`);
}

const xml = (res: ServerResponse, text: string, status = 200): void =>
  void res.writeHead(status, { "Content-Type": "application/xml" }).end(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`);
const refuse = (res: ServerResponse, status: number, code: string): void => xml(res, `<Error><Code>${code}</Code><Message>No.</Message></Error>`, status);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Whether the request was signed with the secret, as AWS describes its fourth version. */
function isSigned({ method, headers }: IncomingMessage, path: string, query: URLSearchParams, secret: string): boolean {
  const [, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=tests\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? "") ?? [];
  if (!scope || !names || !signature) return false;
  const pairs = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).toSorted();
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, path, pairs.join("&"), signed.join(""), names, headers["x-amz-content-sha256"]].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((under, part) => hmac(under, part), `AWS4${secret}`);
  const expected = hmac(key, ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(request)].join("\n"));
  return timingSafeEqual(expected, Buffer.from(signature, "hex"));
}
