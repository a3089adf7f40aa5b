/**
 * What a backup directory holds: base copies of the cluster, each named by the second it was finished, and the log of
 * every change since, as PostgreSQL archived it. A copy and the log after it give back any second in between.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

const Manifest = z.strictObject({
  /** Between these two the copy was made; it gives back states from the second one on. */
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** The first file of the log that the copy needs. */
  firstLogFile: z.string(),
  postgresVersion: z.string(),
  /** SHA-256 of each file, by its path in the copy. */
  files: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof Manifest>;

export interface Copy {
  dir: string;
  manifest: Manifest;
}

/** The files of a copy that are not PostgreSQL's: without them its passwords and the keys of the processes would be unknown. */
export const KEPT_BESIDE = ["secrets.json", "postgres.password"] as const;

export const logDir = (backupDir: string): string => join(backupDir, "log");
export const copiesDir = (backupDir: string): string => join(backupDir, "copies");
export const MANIFEST = "manifest.json";

/** Makes the directory for nobody else to read: it holds all that the databases do, and the secrets. */
export function prepareArchive(backupDir: string): void {
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  mkdirSync(logDir(backupDir), { recursive: true, mode: 0o700 });
  mkdirSync(copiesDir(backupDir), { recursive: true, mode: 0o700 });
}

/** The finished copies, oldest first. */
export function copiesIn(backupDir: string): Copy[] {
  if (!existsSync(copiesDir(backupDir))) return [];
  return readdirSync(copiesDir(backupDir))
    .toSorted()
    .flatMap((name) => {
      const dir = join(copiesDir(backupDir), name);
      if (!existsSync(join(dir, MANIFEST))) return [];
      return [{ dir, manifest: Manifest.parse(JSON.parse(readFileSync(join(dir, MANIFEST), "utf8"))) }];
    });
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** What PostgreSQL runs to archive a file of its log: all of it or nothing under its name, on the disk before it is called archived. */
export function archiveCommand(backupDir: string): string {
  const to = `${logDir(backupDir)}/%f`;
  return `test -f "${to}" || { cp "%p" "${to}.part" && sync "${to}.part" && mv "${to}.part" "${to}"; }`;
}

export const restoreCommand = (backupDir: string): string => `cp "${logDir(backupDir)}/%f" "%p"`;
