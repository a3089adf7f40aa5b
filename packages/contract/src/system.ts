/** What the gateway itself answers. */
import { z } from "zod";
import { everyone } from "./roles.ts";
import type { Operation } from "./operation.ts";
import { Flag, Instant } from "./values.ts";

const Check = z.strictObject({ name: z.string(), status: z.enum(["ok", "degraded", "down"]), latencyMs: z.number(), detail: z.string().optional() });

export const system = {
  getHealth: {
    method: "GET",
    path: "/api/health",
    summary: "read the health",
    access: "public",
    description: "503 when `down`. `deep` also asks the ledger whether every organization's books balance.",
    query: z.strictObject({ deep: Flag.optional() }),
    returns: { status: z.enum(["ok", "degraded", "down"]), checks: z.array(Check), time: Instant },
  },
  getVersion: {
    method: "GET",
    path: "/api/version",
    summary: "read the version",
    access: "public",
    returns: { version: z.string(), commit: z.string(), builtAt: Instant, apiVersion: z.literal("0.1.0"), schemaVersion: z.string() },
  },
  streamEvents: {
    method: "GET",
    path: "/api/events/stream",
    summary: "watch events",
    access: everyone,
    description:
      "Server-sent events. The access token travels in the query parameter `token`. Resume with the header `Last-Event-ID` or `lastEventId`. First frame `stream.ready`; `stream.expiring` sixty seconds before the token ends, then the stream closes; `stream.reset` when what was missed is no longer kept.",
    query: z.strictObject({ token: z.string().optional(), types: z.string().max(2000).optional(), lastEventId: z.string().max(100).optional() }),
    returns: {},
  },
} as const satisfies Record<string, Operation>;
