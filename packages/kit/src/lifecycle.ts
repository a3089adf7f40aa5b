/** How a process tells whoever sends it requests that it lives, and whether it wants more of them. */
import type { Request, RequestHandler, Response, Router } from "express";
import express from "express";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const LAST_MS = 10_000;
const SWEEP_MS = 50;

export interface Lifecycle {
  readonly isRetiring: boolean;
  /** `/health/live` as long as the process runs; `/health/ready` until it is about to end. While it retires every answer closes its connection. */
  readonly probes: Router;
  readonly sayGoodbye: RequestHandler;
  /** Asks for no more requests, and resolves when those who send them have had the time to hear it. */
  retire(): Promise<void>;
}

export function lifecycle(drainMs: number): Lifecycle {
  let isRetiring = false;
  const answer = (res: Response, isWell: boolean) => {
    res.setHeader("Cache-Control", "no-store");
    res.status(isWell ? 200 : 503).json({ status: isWell ? "ok" : "retiring" });
  };
  const probes = express.Router();
  probes.get("/health/live", (_req: Request, res: Response) => answer(res, true));
  probes.get("/health/ready", (_req: Request, res: Response) => answer(res, !isRetiring));
  return {
    get isRetiring() {
      return isRetiring;
    },
    probes,
    sayGoodbye: (_req, res, next) => {
      if (isRetiring) res.setHeader("Connection", "close");
      next();
    },
    async retire() {
      isRetiring = true;
      await sleep(drainMs);
    },
  };
}

/** Listens; `close` takes no more connections, lets what is under way be answered, and cuts what lasts too long. */
export async function listen(server: Server, host: string, port: number): Promise<{ port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), LAST_MS);
        // A connection that is answered last is idle a moment later.
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
        server.close(() => {
          clearTimeout(force);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}
