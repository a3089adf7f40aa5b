/** File downloads: attachments with byte ranges and conditional requests. */
import type { Request, Response } from "express";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError } from "../errors.ts";
import { countTransferred } from "./transferred-bytes.ts";

export interface Range {
  /** First and last byte, both included. */
  start: number;
  end: number;
}

export interface Download {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** Strong entity tag without its quotes, different for different bytes. */
  etag: string;
  open(range?: Range): Promise<Readable>;
}

/** Streams a file or the requested range of it. A request for several ranges gets the whole file. */
export async function sendFile(req: Request, res: Response, { fileName, contentType, sizeBytes, etag: tag, open }: Download): Promise<void> {
  const etag = `"${tag}"`;
  const isNotModified = matchesIfNoneMatch(req, etag);
  // RFC 9110, 13.2.2: a range is evaluated only for bytes that the client does not have.
  const range = isNotModified ? undefined : requestedRange(req, sizeBytes, etag);
  const bytes = isNotModified || req.method === "HEAD" ? undefined : await open(range);
  setAttachmentHeaders(res, fileName, contentType);
  res.setHeader("ETag", etag);
  res.setHeader("Accept-Ranges", "bytes");
  if (isNotModified) {
    res.statusCode = 304;
  } else {
    res.setHeader("Content-Length", range ? range.end - range.start + 1 : sizeBytes);
    if (range) {
      res.statusCode = 206;
      res.setHeader("Content-Range", `bytes ${range.start}-${range.end}/${sizeBytes}`);
    }
  }
  if (bytes) await stream(bytes, res);
  else res.end();
}

/** Streams a generated file of unknown length, which no cache stores. */
export async function sendStream(req: Request, res: Response, fileName: string, contentType: string, open: () => Readable): Promise<void> {
  setAttachmentHeaders(res, fileName, contentType);
  res.setHeader("Cache-Control", "no-store");
  if (req.method === "HEAD") res.end();
  else await stream(open(), res);
}

/** Sets headers by which a browser saves the file and never executes it, and a cache revalidates it on each use. */
function setAttachmentHeaders(res: Response, fileName: string, contentType: string): void {
  res.attachment(fileName);
  res.setHeader("Content-Type", contentType);
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Content-Security-Policy", "default-src 'none'; sandbox; base-uri 'none'; frame-ancestors 'none'");
  res.setHeader("Cache-Control", "private, no-cache");
}

const matchesIfNoneMatch = (req: Request, etag: string): boolean =>
  (req.headers["if-none-match"] ?? "").split(",").some((tag) => [etag, `W/${etag}`, "*"].includes(tag.trim()));

/** Returns the requested range, unless `If-Range` names other bytes or several ranges are requested. Throws 416 beyond the end. */
function requestedRange(req: Request, sizeBytes: number, etag: string): Range | undefined {
  const ifRange = req.headers["if-range"];
  const ranges = ifRange === undefined || ifRange === etag ? req.range(sizeBytes) : undefined;
  if (ranges === -1)
    throw new ApiError(416, `The file has ${sizeBytes} bytes. Ask for a range within them.`, { headers: { "Content-Range": `bytes */${sizeBytes}` } });
  return Array.isArray(ranges) && ranges.type === "bytes" && ranges.length === 1 ? ranges[0] : undefined;
}

/** Streams bytes to the response; a client that disconnects causes no error. */
async function stream(bytes: Readable, res: Response): Promise<void> {
  bytes.on("data", countTransferred);
  try {
    await pipeline(bytes, res);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
