/** How an answer leaves: at once, also to whoever is still sending what is not wanted. */
import type { Response } from "express";

const PATIENCE_MS = 10_000;

/**
 * Answers JSON. What of the request is still arriving is let pass by before the connection may close: one that closes in
 * the middle takes the answer away from whoever listens only after sending. Nobody is waited for longer than ten seconds.
 */
export function answerBytes(res: Response, body: string): void {
  const { req } = res;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Content-Length", Buffer.byteLength(body));
  if (req.complete || req.destroyed) {
    res.end(body);
    return;
  }
  res.write(body);
  const end = () => {
    clearTimeout(patience);
    res.end();
  };
  const patience = setTimeout(() => res.end(() => req.socket.destroy()), PATIENCE_MS);
  req.once("end", end).once("close", end).resume();
}
