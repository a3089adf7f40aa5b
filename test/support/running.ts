/** Addresses and credentials of the system that the test run started. */
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
