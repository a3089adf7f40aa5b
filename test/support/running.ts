/** The system that the test run started, as its files see it. */
export interface RunningSystem {
  baseUrl: string;
  dataDir: string;
  ports: Record<string, number>;
  databaseUrls: Record<"identity" | "portfolio" | "ledger" | "communications" | "imports", { owner: string; service: string }>;
  /** The superuser of the embedded cluster. */
  adminUrl: string;
  natsUrl: string;
  /** The settings that a ledger process of this system is given, for tests that run its code themselves. */
  ledgerEnvironment: Record<string, string>;
}

const VARIABLE = "FREEHOLD_RUNNING";

export const publish = (system: RunningSystem): Record<string, string> => ({ [VARIABLE]: JSON.stringify(system) });

export function running(): RunningSystem {
  const told = process.env[VARIABLE];
  if (!told) throw new Error("These tests need a running system: start them with `npm test`.");
  return JSON.parse(told) as RunningSystem;
}
