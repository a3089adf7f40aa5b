/** Answers that are files: as attachments, whole or the range that is asked for, and not again to whoever has them. */
import type { Request, Response } from "express";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError } from "./errors.ts";
import { wentBy } from "./passing.ts";

export interface Range {
  /** The first and the last byte, both included. */
  start: number;
  end: number;
}

export interface Download {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** Changes whenever the bytes do. */
  tag: string;
  open(range?: Range): Promise<Readable>;
}

/** Sends a file as it is read. What asks for several ranges at once is answered with the whole. */
export async function answerFile(req: Request, res: Response, { fileName, contentType, sizeBytes, tag, open }: Download): Promise<void> {
  const etag = `"${tag}"`;
  const range = rangeOf(req, sizeBytes, etag);
  const known = isKnown(req, etag);
  const bytes = known || req.method === "HEAD" ? undefined : await open(range);
  attach(res, fileName, contentType);
  res.setHeader("ETag", etag);
  res.setHeader("Accept-Ranges", "bytes");
  if (known) {
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

/** Sends what has no length before it is made. */
export async function answerStream(req: Request, res: Response, fileName: string, contentType: string, open: () => Readable): Promise<void> {
  attach(res, fileName, contentType);
  if (req.method === "HEAD") res.end();
  else await stream(open(), res);
}

/** A browser keeps what it is sent as a file, and takes it for nothing that runs. Whoever kept it asks each time whether it may still be shown. */
function attach(res: Response, fileName: string, contentType: string): void {
  res.attachment(fileName);
  res.setHeader("Content-Type", contentType);
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'");
  res.setHeader("Cache-Control", "private, no-cache");
}

/** Whether the asker has these bytes already and says so. */
const isKnown = (req: Request, etag: string): boolean =>
  (req.headers["if-none-match"] ?? "").split(",").some((tag) => [etag, `W/${etag}`, "*"].includes(tag.trim()));

/** The one range that is asked for, if it is of the bytes that there are now. */
function rangeOf(req: Request, sizeBytes: number, etag: string): Range | undefined {
  const ifRange = req.headers["if-range"];
  const ranges = ifRange === undefined || ifRange === etag ? req.range(sizeBytes) : undefined;
  if (ranges === -1)
    throw new ApiError(416, `The file has ${sizeBytes} bytes. Ask for a range within them.`, { headers: { "Content-Range": `bytes */${sizeBytes}` } });
  return Array.isArray(ranges) && ranges.type === "bytes" && ranges.length === 1 ? ranges[0] : undefined;
}

/** Whoever goes away while it is sent wanted no more of it. */
async function stream(bytes: Readable, res: Response): Promise<void> {
  bytes.on("data", ({ length }: Buffer) => wentBy(length));
  try {
    await pipeline(bytes, res);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
