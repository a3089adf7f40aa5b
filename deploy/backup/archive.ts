/**
 * Layout of a backup directory: base backups of the cluster, named by their completion time, and the WAL archive written
 * by PostgreSQL. A base backup with the WAL after it can be restored to any later time.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

const Manifest = z.strictObject({
  /** Start of the base backup. */
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** First WAL file that the base backup needs. */
  firstLogFile: z.string(),
  postgresVersion: z.string(),
  /** SHA-256 of each file, by its path in the base backup. */
  files: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof Manifest>;

export interface BaseBackup {
  dir: string;
  manifest: Manifest;
}

/** Files with passwords and keys, stored with each base backup. */
export const SECRET_FILES = ["secrets.json", "postgres.password"] as const;

export const walArchiveDir = (backupDir: string): string => join(backupDir, "log");
export const baseBackupsDir = (backupDir: string): string => join(backupDir, "copies");
export const MANIFEST = "manifest.json";

/** Creates the directory, readable by its owner only, since it contains all data and secrets. */
export function prepareArchive(backupDir: string): void {
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  mkdirSync(walArchiveDir(backupDir), { recursive: true, mode: 0o700 });
  mkdirSync(baseBackupsDir(backupDir), { recursive: true, mode: 0o700 });
}

/** Returns the completed base backups, oldest first. */
export function listBaseBackups(backupDir: string): BaseBackup[] {
  if (!existsSync(baseBackupsDir(backupDir))) return [];
  return readdirSync(baseBackupsDir(backupDir))
    .toSorted()
    .flatMap((name) => {
      const dir = join(baseBackupsDir(backupDir), name);
      if (!existsSync(join(dir, MANIFEST))) return [];
      return [{ dir, manifest: Manifest.parse(JSON.parse(readFileSync(join(dir, MANIFEST), "utf8"))) }];
    });
}

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Returns the archive_command: copies a WAL file atomically and syncs it to disk. */
export function archiveCommand(backupDir: string): string {
  const to = `${walArchiveDir(backupDir)}/%f`;
  return `test -f "${to}" || { cp "%p" "${to}.part" && sync "${to}.part" && mv "${to}.part" "${to}"; }`;
}

export const restoreCommand = (backupDir: string): string => `cp "${walArchiveDir(backupDir)}/%f" "%p"`;
