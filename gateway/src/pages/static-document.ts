/** Documents that are the same for everybody: encoded and compressed once, and shared by all responses. */
import type { RequestHandler } from "express";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";

const SLICE_BYTES = 65_536;

/** Creates the handler that responds with a text, compressed where the client accepts it, or 304 where it has the text already. */
export function staticDocument(contentType: string, text: string): RequestHandler {
  const plain = Buffer.from(text);
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  let compressed: Buffer | undefined;
  return (req, res) => {
    res.setHeader("Content-Type", contentType);
    res.setHeader("Cache-Control", "no-cache");
    // Weak, since the compressed and the plain body have the same one.
    res.setHeader("ETag", `W/${tag}`);
    res.vary("Accept-Encoding");
    if (req.headers["if-none-match"]?.includes(tag)) {
      res.status(304).end();
      return;
    }
    const isCompressed = req.acceptsEncodings("gzip", "identity") === "gzip";
    if (isCompressed) res.setHeader("Content-Encoding", "gzip");
    const body = isCompressed ? (compressed ??= gzipSync(plain, { level: 9 })) : plain;
    res.setHeader("Content-Length", body.length);
    if (req.method === "HEAD") res.end();
    else void pipeline(Readable.from(slicesOf(body)), res).catch(() => undefined);
  };
}

/** Yields a document in slices, so that the detection of slow clients sees progress while a client reads slowly. */
function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += SLICE_BYTES) yield body.subarray(start, start + SLICE_BYTES);
}
