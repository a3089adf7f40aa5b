/**
 * Layout of a backup directory: base backups of the cluster, named by their completion time, and the compressed WAL archive
 * written by PostgreSQL. A base backup with the WAL after it can be restored to any later time.
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

/** Returns the archive_command: stores a WAL file compressed, atomically, and syncs it to disk. */
export function archiveCommand(backupDir: string): string {
  const to = `${walArchiveDir(backupDir)}/%f.gz`;
  return `test -f "${to}" || { gzip -1 -c < "%p" > "${to}.part" && sync "${to}.part" && mv "${to}.part" "${to}"; }`;
}

/** Exit code of the restore_command for a damaged file. PostgreSQL takes codes up to 125 for the end of the archive, and fails at higher ones. */
const DAMAGED_EXIT_CODE = 200;

/** Returns the restore_command, which also reads files that earlier versions archived without compression. */
export function restoreCommand(backupDir: string): string {
  const from = `${walArchiveDir(backupDir)}/%f`;
  const readOr = (command: string) => `${command} || exit ${DAMAGED_EXIT_CODE}`;
  return `if test -f "${from}.gz"; then ${readOr(`gzip -dc "${from}.gz" > "%p"`)}; elif test -f "${from}"; then ${readOr(`cp "${from}" "%p"`)}; else exit 1; fi`;
}
