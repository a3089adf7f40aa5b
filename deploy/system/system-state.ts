/** State file of a system in its data directory, read by the commands that operate on the system. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceName } from "./secrets.ts";

export interface SystemState {
  baseUrl: string;
  databaseUrls: Record<ServiceName, { owner: string; service: string }>;
  /** URL of the embedded cluster's superuser; absent with external databases. */
  adminUrl?: string | undefined;
  backupDir?: string | undefined;
}

export const defaultDataDir = fileURLToPath(new URL("../../.data", import.meta.url));
export const systemStateFile = (dataDir: string): string => join(dataDir, "system.json");

/** Reads the state from `DATA_DIR` or the default directory. Throws if no system has run there. */
export function readSystemState(dataDir = resolve(process.env["DATA_DIR"] ?? defaultDataDir)): SystemState {
  try {
    return JSON.parse(readFileSync(systemStateFile(dataDir), "utf8")) as SystemState;
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    throw new Error(`No system has run with ${dataDir}. Set DATA_DIR to the data directory of a system.`, { cause: error });
  }
}
