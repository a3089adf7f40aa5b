/** Addresses, credentials and logs of the system that the test run started. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsAccess } from "../../deploy/system/layout.ts";

export interface RunningSystem {
  baseUrl: string;
  dataDir: string;
  ports: Record<string, number>;
  databaseUrls: Record<"identity" | "portfolio" | "ledger" | "communications" | "imports", { owner: string; service: string }>;
  /** URL of the embedded cluster's superuser. */
  adminUrl: string;
  nats: NatsAccess;
  /** Environment of a ledger process, for tests that start one themselves. */
  ledgerEnvironment: Record<string, string>;
  grpcAddresses: Record<"identity" | "portfolio" | "ledger" | "communications", string>;
  /** Private key of portfolio, for tests that start a replica of it. */
  portfolioAssertionKey: string;
}

const VARIABLE = "FREEHOLD_RUNNING";

export const environmentOf = (system: RunningSystem): Record<string, string> => ({ [VARIABLE]: JSON.stringify(system) });

export function running(): RunningSystem {
  const json = process.env[VARIABLE];
  if (!json) throw new Error("These tests need a running system: start them with `npm test`.");
  return JSON.parse(json) as RunningSystem;
}

interface LogLine {
  level: number;
  msg: string;
  operation?: string;
  status?: number;
  requestId?: string;
}

/** Levels of pino. */
export const logLevels = { info: 30, error: 50 } as const;

/** Returns the log lines of a process that contain a text, without the line that it is writing. */
export const findLogLines = (processName: string, text: string): LogLine[] =>
  readFileSync(join(running().dataDir, "logs", `${processName}.log`), "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith("{") && line.includes(text))
    .map((line) => JSON.parse(line) as LogLine);
