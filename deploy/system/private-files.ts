/** Files and directories that only their owner can read: logs, and everything that contains secrets. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

/** Permissions of a file, and of a directory, that only the owner can read. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

/** Creates a directory that belongs to Freehold alone. Takes the access of others away from an existing one. */
export function ensurePrivateDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: PRIVATE_DIRECTORY });
  chmodSync(dir, PRIVATE_DIRECTORY);
}

/** Writes a file. Takes the access of others away from an existing one. */
export function writePrivateFile(file: string, content: string): void {
  writeFileSync(file, content, { mode: PRIVATE_FILE });
  chmodSync(file, PRIVATE_FILE);
}
