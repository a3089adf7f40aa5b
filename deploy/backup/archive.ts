/**
 * Layout of a backup directory: base backups of the cluster, named by their completion time, and the compressed WAL archive
 * written by PostgreSQL. A base backup with the WAL after it can be restored to any later time.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

const Manifest = z.strictObject({
  /** Start of the base backup. */
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** First WAL file that the base backup needs. */
  firstLogFile: z.string(),
  /** Last WAL file that the base backup needs; missing in base backups of earlier versions. */
  lastLogFile: z.string().optional(),
  postgresVersion: z.string(),
  /** SHA-256 and size of each file, by its path in the base backup; base backups of earlier versions have only the SHA-256. */
  files: z.record(
    z.string(),
    z.union([z.strictObject({ sha256: z.string(), bytes: z.int() }), z.string().transform((sha256) => ({ sha256, bytes: undefined }))]),
  ),
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

/** Returns the completed base backups, oldest first, without those whose manifest is damaged. */
export function listBaseBackups(backupDir: string): BaseBackup[] {
  return listBackupFolders(backupDir).flatMap((dir) => {
    const manifest = basename(dir).startsWith(UNFINISHED) ? undefined : readManifest(dir);
    return manifest ? [{ dir, manifest }] : [];
  });
}

/** Start of the name of a base backup in progress; the process id follows. */
export const UNFINISHED = "unfinished-";
/** Names of folders of base backups; others, such as snapshots of the file system, are not touched. */
const BACKUP_FOLDER = new RegExp(`^(\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z|${UNFINISHED}\\d+)$`);

/** Returns the paths of all folders in which a base backup is stored, completed or not, in the order of their names. */
export function listBackupFolders(backupDir: string): string[] {
  const dir = baseBackupsDir(backupDir);
  return existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => BACKUP_FOLDER.test(name))
        .toSorted()
        .map((name) => join(dir, name))
    : [];
}

function readManifest(dir: string): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(dir, MANIFEST), "utf8")));
  } catch {
    return undefined;
  }
}

/** Returns the names of the WAL files in the archive, compressed or not. */
export const listArchivedWal = (backupDir: string): Set<string> =>
  new Set(readdirSync(walArchiveDir(backupDir)).flatMap((file) => /^([0-9A-F]{24})(?:\.gz)?$/.exec(file)?.[1] ?? []));

/**
 * Returns why the base backup in a folder cannot be restored, as a sentence without its subject; undefined if it can. Checks that
 * all files are there with their sizes, but does not read them as a restore does.
 */
export function describeDefect(dir: string, archivedWal: ReadonlySet<string>): string | undefined {
  const manifest = readManifest(dir);
  if (!manifest) return `has no readable ${MANIFEST}`;
  for (const name of SECRET_FILES) if (!existsSync(join(dir, name))) return `lacks ${name}`;
  for (const [path, { bytes }] of Object.entries(manifest.files)) {
    const stats = statSync(join(dir, "postgres", path), { throwIfNoEntry: false });
    if (!stats) return `lacks postgres/${path}`;
    if (bytes !== undefined && stats.size !== bytes) return `has another size of postgres/${path} than it was created with`;
  }
  const { firstLogFile, lastLogFile = firstLogFile } = manifest;
  for (let number = segmentNumber(firstLogFile); number <= segmentNumber(lastLogFile); number++) {
    const file = walFileName(firstLogFile.slice(0, 8), number);
    if (!archivedWal.has(file)) return `needs the WAL file ${file}, which is not in the archive`;
  }
  return undefined;
}

/** Number of 16 MiB WAL files that share the middle part of their names. */
const SEGMENTS_PER_NAME = 256n;
const segmentNumber = (file: string): bigint => BigInt(`0x${file.slice(8, 16)}`) * SEGMENTS_PER_NAME + BigInt(`0x${file.slice(16, 24)}`);
const hex = (number: bigint): string => number.toString(16).toUpperCase().padStart(8, "0");
const walFileName = (timeline: string, number: bigint): string => `${timeline}${hex(number / SEGMENTS_PER_NAME)}${hex(number % SEGMENTS_PER_NAME)}`;

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/**
 * Returns the archive_command: stores a WAL file compressed, atomically, and syncs it to disk. Succeeds for a file that is stored
 * already, as after a crash, and fails if another cluster has stored a file of the same name.
 */
export function archiveCommand(backupDir: string): string {
  const plain = `${walArchiveDir(backupDir)}/%f`;
  const to = `${plain}.gz`;
  return `if test -f "${to}"; then gzip -dc "${to}" | cmp -s - "%p"; elif test -f "${plain}"; then cmp -s "${plain}" "%p"; else gzip -1 -c < "%p" > "${to}.part" && sync "${to}.part" && mv "${to}.part" "${to}" && sync "${walArchiveDir(backupDir)}"; fi`;
}

/** Exit code of the restore_command for a damaged file. PostgreSQL takes codes up to 125 for the end of the archive, and fails at higher ones. */
const DAMAGED_EXIT_CODE = 200;

/** Returns the restore_command, which also reads files that earlier versions archived without compression. */
export function restoreCommand(backupDir: string): string {
  const from = `${walArchiveDir(backupDir)}/%f`;
  const readOr = (command: string) => `${command} || exit ${DAMAGED_EXIT_CODE}`;
  return `if test -f "${from}.gz"; then ${readOr(`gzip -dc "${from}.gz" > "%p"`)}; elif test -f "${from}"; then ${readOr(`cp "${from}" "%p"`)}; else exit 1; fi`;
}
