/** Compression of JSON and CSV responses, for clients that accept it. */
import compression from "compression";
import type { Request, RequestHandler, Response } from "express";
import { constants } from "node:zlib";

/** Smaller responses fit into the first packets of a connection, and would cost more time than they save. */
export const MIN_COMPRESSED_BYTES = 8_192;
/** Level 1 makes a list of 100 rows 14 times smaller; level 4 needs twice the processor time for 4 % less. */
const LEVEL = 1;

/** Paths whose responses contain tokens; their compressed size could reveal them (BREACH). */
const HAS_TOKENS = /^\/api\/(auth|dev)\//;
const COMPRESSIBLE = /^(application\/json|text\/csv)\b/;

/** Maximum number of responses that are compressed at the same time, since each needs up to 300 KiB of memory until its client has read it. */
const MAX_CONCURRENT = 128;

/**
 * Returns true for a response that is compressed for a client that accepts it: that of a GET, except tokens, and except what has an ETag or
 * can be read in parts, which names the bytes of one encoding.
 */
function isCompressible(req: Request, res: Response): boolean {
  const namesItsBytes = res.hasHeader("ETag") || res.hasHeader("Accept-Ranges");
  return req.method === "GET" && !HAS_TOKENS.test(req.path) && !namesItsBytes && COMPRESSIBLE.test(String(res.getHeader("Content-Type")));
}

const isShort = (res: Response): boolean => Number(res.getHeader("Content-Length") ?? Infinity) < MIN_COMPRESSED_BYTES;

/** Creates the middleware that compresses responses. It varies them by `Accept-Encoding`, compressed or not. */
export function compressResponses(): RequestHandler {
  let inProgress = 0;
  const filter = (req: Request, res: Response): boolean => {
    // A response to a client that has left is not closed once more, and would be counted for ever.
    if (res.destroyed || !isCompressible(req, res)) return false;
    res.vary("Accept-Encoding");
    if (inProgress === MAX_CONCURRENT || isShort(res) || !req.acceptsEncodings("br", "gzip", "deflate")) return false;
    inProgress++;
    res.once("close", () => inProgress--);
    return true;
  };
  return compression({ level: LEVEL, threshold: MIN_COMPRESSED_BYTES, filter, brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } } });
}
