/** Bodies of webhooks, which a receiver reads once it is known to be configured. */
import express, { type Request, type Response } from "express";
import { bodyTooLarge } from "../errors.ts";

/** Header by which the gateway tells the service that the body of a webhook is too large and therefore left out. */
export const OVERSIZED_HEADER = "x-freehold-oversized";

/** Reads the bytes of a webhook's body, once. Throws 400 for a body that is too large or encoded. */
export type ReadBytes = () => Promise<Buffer>;

/** Creates the function that reads the body of a request. */
export function webhookBody(limit: string): (req: Request, res: Response) => ReadBytes {
  const readBytes = express.raw({ type: () => true, limit, inflate: false });
  return (req, res) => {
    let bytes: Promise<Buffer> | undefined;
    const read = () =>
      new Promise<Buffer>((resolve, reject) => {
        if (req.headers[OVERSIZED_HEADER] !== undefined) return reject(bodyTooLarge("1 MiB"));
        readBytes(req, res, (error: unknown) => (error ? reject(error as Error) : resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0))));
      });
    return () => (bytes ??= read());
  };
}
