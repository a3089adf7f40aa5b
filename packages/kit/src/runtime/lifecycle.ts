/** Lifecycle of a process that serves HTTP: probes, draining, and a clean shutdown. */
import type { Request, RequestHandler, Response, Router } from "express";
import express from "express";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const SHUTDOWN_MS = 10_000;
const IDLE_SWEEP_MS = 50;

export interface Lifecycle {
  readonly isDraining: boolean;
  /** `/health/live` is 200 while the process runs, `/health/ready` until it drains. */
  readonly probes: Router;
  /** Middleware that closes each connection with its next response while the process drains. */
  readonly closeWhileDraining: RequestHandler;
  /** Fails readiness, and resolves after the time that load balancers need to notice. */
  drain(): Promise<void>;
}

export function lifecycle(drainMs: number): Lifecycle {
  let isDraining = false;
  const respond = (res: Response, isOk: boolean) => {
    res.setHeader("Cache-Control", "no-store");
    res.status(isOk ? 200 : 503).json({ status: isOk ? "ok" : "retiring" });
  };
  const probes = express.Router();
  probes.get("/health/live", (_req: Request, res: Response) => respond(res, true));
  probes.get("/health/ready", (_req: Request, res: Response) => respond(res, !isDraining));
  return {
    get isDraining() {
      return isDraining;
    },
    probes,
    closeWhileDraining: (_req, res, next) => {
      if (isDraining) res.setHeader("Connection", "close");
      next();
    },
    async drain() {
      isDraining = true;
      await sleep(drainMs);
    },
  };
}

/** Starts listening. `close` accepts no more connections, waits for requests in progress, and cuts them off after ten seconds. */
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
        const force = setTimeout(() => server.closeAllConnections(), SHUTDOWN_MS);
        // A keep-alive connection becomes idle only after its last response.
        const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
        server.close(() => {
          clearTimeout(force);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}
