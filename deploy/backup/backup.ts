/**
 * `npm run backup [-- --keep <count>]`: creates a base backup of the running embedded cluster in `BACKUP_DIR`, next to its WAL
 * archive, without blocking readers or writers. With `--keep`, deletes what is older than the given number of base backups
 * that can be restored.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, createWriteStream, createReadStream, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { baseBackupsDir, SECRET_FILES, MANIFEST, prepareArchive, UNFINISHED, type Manifest } from "./archive.ts";
import { runCommand, say } from "../command.ts";
import { copyDocumentFiles } from "./document-files.ts";
import { pruneBaseBackups } from "./prune.ts";
import { defaultDataDir, readSystemState } from "../system/system-state.ts";
import { clusterDir } from "../system/postgres.ts";

/** Files that a base backup omits: state of the running server, WAL and temporary files. */
const excludedFiles =
  /^(postmaster\.(pid|opts)|pg_wal\/.*|pg_replslot\/.*|pg_dynshmem\/.*|pg_notify\/.*|pg_serial\/.*|pg_snapshots\/.*|pg_stat_tmp\/.*|pg_subtrans\/.*|.*pgsql_tmp.*|backup_label.*|tablespace_map.*)$/;

const ARCHIVE_POLL_MS = 100;

/** Creates a base backup. Returns its directory, manifest and size. */
export async function backup(dataDir: string): Promise<{ dir: string; manifest: Manifest; bytes: number }> {
  const { adminUrl, backupDir } = readSystemState(dataDir);
  if (!adminUrl) throw new Error("The databases of this system are run elsewhere; back them up there (docs/backup.md).");
  if (!backupDir) throw new Error("This system does not archive its WAL. Set BACKUP_DIR, restart the system and run the backup again.");
  prepareArchive(backupDir);
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  const unfinishedDir = join(baseBackupsDir(backupDir), `${UNFINISHED}${process.pid}`);
  // In a container, a killed backup may have had the same process id.
  rmSync(unfinishedDir, { recursive: true, force: true });
  try {
    await requireArchiving(client, backupDir);
    const startedAt = new Date().toISOString();
    const { rows: started } = await client.query<{ file: string; version: string }>(
      "select pg_walfile_name(pg_backup_start('freehold', fast => true)) as file, current_setting('server_version') as version",
    );
    const { files, bytes } = await copyCluster(clusterDir(join(dataDir, "postgres")), join(unfinishedDir, "postgres"));
    // The position is the first one after the backup, so the last file needed is that of the byte before.
    const { rows: stopped } = await client.query<{ labelfile: string; file: string }>(
      "select labelfile, pg_walfile_name(lsn - 1) as file from pg_backup_stop(wait_for_archive => false)",
    );
    while (await isWaitingForArchive(client, stopped[0]!.file)) {
      await requireArchiving(client, backupDir);
      await sleep(ARCHIVE_POLL_MS);
    }
    writeFileSync(join(unfinishedDir, "postgres", "backup_label"), stopped[0]!.labelfile);
    copyDocumentFiles(dataDir, backupDir);
    for (const name of SECRET_FILES) copyFileSync(join(dataDir, name), join(unfinishedDir, name));
    const manifest: Manifest = {
      startedAt,
      finishedAt: new Date().toISOString(),
      firstLogFile: started[0]!.file,
      lastLogFile: stopped[0]!.file,
      postgresVersion: started[0]!.version,
      files,
    };
    writeFileSync(join(unfinishedDir, MANIFEST), JSON.stringify(manifest), { mode: 0o600 });
    syncToDisk(backupDir);
    const dir = join(baseBackupsDir(backupDir), manifest.finishedAt.replaceAll(":", "-"));
    renameSync(unfinishedDir, dir);
    syncToDisk(backupDir);
    return { dir, manifest, bytes };
  } finally {
    await client.end();
    rmSync(unfinishedDir, { recursive: true, force: true });
  }
}

/** Returns true until PostgreSQL has archived a WAL file. The archive itself may have a file of this name from another system. */
async function isWaitingForArchive(client: Client, walFile: string): Promise<boolean> {
  const { rows } = await client.query<{ isWaiting: boolean }>(
    `select exists (select from pg_ls_archive_statusdir() where name = $1 || '.ready')
      or (exists (select from pg_ls_waldir() where name = $1) and not exists (select from pg_ls_archive_statusdir() where name = $1 || '.done')) as "isWaiting"`,
    [walFile],
  );
  return rows[0]!.isWaiting;
}

/** Throws an error if PostgreSQL cannot archive its WAL, without which a base backup would never be complete. */
async function requireArchiving(client: Client, backupDir: string): Promise<void> {
  const { rows } = await client.query<{ file: string }>(
    "select last_failed_wal as file from pg_stat_archiver where last_failed_time > coalesce(last_archived_time, '-infinity')",
  );
  if (rows.length === 0) return;
  const remedy =
    "See logs/postgres.log. If another system archives there, or this one was restored and an earlier restore has archived there, set BACKUP_DIR to a new directory and restart the system.";
  throw new Error(`PostgreSQL cannot archive the WAL file ${rows[0]!.file} to ${backupDir}. ${remedy}`);
}

/** Copies and hashes the files while the server runs; replaying the WAL repairs files that change meanwhile. */
async function copyCluster(sourceDir: string, targetDir: string): Promise<{ files: Manifest["files"]; bytes: number }> {
  const files: Manifest["files"] = {};
  let totalBytes = 0;
  for (const entry of readdirSync(sourceDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(sourceDir.length + 1);
    if (entry.isDirectory()) mkdirSync(join(targetDir, path), { recursive: true, mode: 0o700 });
    if (!entry.isFile() || excludedFiles.test(path)) continue;
    mkdirSync(dirname(join(targetDir, path)), { recursive: true, mode: 0o700 });
    const hash = createHash("sha256");
    let bytes = 0;
    const source = createReadStream(join(sourceDir, path));
    source.on("data", (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
    // A table dropped meanwhile is also dropped by the WAL replay.
    const exists = await pipeline(source, createWriteStream(join(targetDir, path), { mode: 0o600 })).then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== "ENOENT") throw error;
        rmSync(join(targetDir, path), { force: true });
        return false;
      },
    );
    if (!exists) continue;
    files[path] = { sha256: hash.digest("hex"), bytes };
    totalBytes += bytes;
  }
  return { files, bytes: totalBytes };
}

/** Writes what the file system of a directory has cached to disk: at once, since a sync of each of thousands of files takes minutes. */
function syncToDisk(dir: string): void {
  const { status, error, stderr } = spawnSync("sync", ["--file-system", dir], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The base backup could not be written to disk: ${error?.message ?? stderr}`);
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values } = parseArgs({ options: { keep: { type: "string" } } });
    if (values.keep !== undefined && !/^[1-9]\d*$/.test(values.keep)) throw new Error("--keep requires the number of base backups to keep, at least 1.");
    const dataDir = resolve(process.env["DATA_DIR"] ?? defaultDataDir);
    const startedAt = performance.now();
    const { dir, manifest, bytes } = await backup(dataDir);
    say(
      `Copied ${Object.keys(manifest.files).length} files, ${(bytes / 1e6).toFixed(0)} MB, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${dir}`,
    );
    say(`Any second from ${manifest.finishedAt} on can be restored.`);
    if (values.keep) for (const sentence of pruneBaseBackups(readSystemState(dataDir).backupDir!, Number(values.keep))) say(sentence);
  });
}
