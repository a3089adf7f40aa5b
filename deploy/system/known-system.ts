/** What a system that was started with a data directory left there for the commands that work on it. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceName } from "./secrets.ts";

export interface KnownSystem {
  baseUrl: string;
  databaseUrls: Record<ServiceName, { owner: string; service: string }>;
  /** The superuser of the embedded cluster; absent when the databases are run elsewhere. */
  adminUrl?: string | undefined;
  backupDir?: string | undefined;
}

export const defaultDataDir = fileURLToPath(new URL("../../.data", import.meta.url));
const fileIn = (dataDir: string) => join(dataDir, "system.json");
export const knownSystemFile = fileIn;

/** Reads it, from `DATA_DIR` or the default directory; says in a sentence when nothing has run there. */
export function readKnownSystem(dataDir = resolve(process.env["DATA_DIR"] ?? defaultDataDir)): KnownSystem {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as KnownSystem;
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    throw new Error(`No system has run with ${dataDir}. Set DATA_DIR.`, { cause: error });
  }
}
