/** Compression of JSON and CSV responses, for clients that accept it. */
import compression from "compression";
import type { Request, RequestHandler, Response } from "express";
import { constants } from "node:zlib";

/** Smaller responses fit into the first packets of a connection, and would cost more time than they save. */
export const MIN_COMPRESSED_BYTES = 8_192;
/** Level 1 makes a list of 100 rows 14 times smaller; level 4 needs twice the processor time for 4 % less. */
const LEVEL = 1;

/** Operations whose responses contain tokens, so that their size tells nothing about them. */
const HAS_TOKENS = /^\/api\/(auth|dev)\//;
const COMPRESSIBLE = /^(application\/json|text\/csv)\b/;

/**
 * Returns whether a response is compressed from `MIN_COMPRESSED_BYTES` on: that of a GET, except tokens, and except what has an ETag
 * or can be read in parts, which names the bytes of one encoding.
 */
function isCompressible(req: Request, res: Response): boolean {
  const namesItsBytes = res.hasHeader("ETag") || res.hasHeader("Accept-Ranges");
  return req.method === "GET" && !HAS_TOKENS.test(req.path) && !namesItsBytes && COMPRESSIBLE.test(String(res.getHeader("Content-Type")));
}

/** Creates the middleware that compresses responses. It varies them by `Accept-Encoding`, compressed or not. */
export const compressResponses = (): RequestHandler =>
  compression({ level: LEVEL, threshold: MIN_COMPRESSED_BYTES, filter: isCompressible, brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } } });
