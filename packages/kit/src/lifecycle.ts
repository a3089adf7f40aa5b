/** How a process tells whoever sends it requests that it lives, and whether it wants more of them. */
import type { Request, RequestHandler, Response, Router } from "express";
import express from "express";
import { setTimeout as sleep } from "node:timers/promises";

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
