/**
 * `npm run restore -- --into <data directory> [--from <backup directory>] [--to <instant>]`: point-in-time recovery of the
 * system to an instant, or to the end of the archived WAL, into a new data directory. Never overwrites existing data.
 */
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { z } from "zod";
import { listBaseBackups, sha256OfFile, SECRET_FILES, restoreCommand, type BaseBackup } from "./archive.ts";
import { runCommand, say, shellQuote } from "../command.ts";
import { copyDocumentFiles } from "./document-files.ts";
import { freePorts } from "../system/ports.ts";
import { clusterDir, chownCluster, preparePostgres } from "../system/postgres.ts";
import { PRIVATE_DIRECTORY } from "../system/private-files.ts";
import { supervise } from "../system/supervise.ts";

export interface RestoreOptions {
  backupDir: string;
  dataDir: string;
  /** Instant to restore; undefined for the end of the archived WAL. */
  targetTime?: Date | undefined;
}

/** Restores and returns the time of the last restored transaction. Deletes the new data directory and its cluster on failure. */
export async function restore({ backupDir, dataDir, targetTime }: RestoreOptions): Promise<Date | null> {
  const cluster = clusterDir(join(dataDir, "postgres"));
  if (!isEmptyDir(dataDir)) throw new Error(`${dataDir} is not empty. Restore into a new directory.`);
  // The cluster of a server that root runs as another user is outside of the data directory, and may have survived its deletion.
  if (!isEmptyDir(cluster)) throw new Error(`${cluster} contains the cluster of an earlier ${dataDir}. Delete it, or restore into another directory.`);
  const baseBackup = selectBaseBackup(backupDir, targetTime);
  await verify(baseBackup);
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_DIRECTORY });
  try {
    extractBaseBackup(baseBackup, { backupDir, dataDir, targetTime });
    return await replayWal(dataDir, targetTime);
  } catch (error) {
    for (const dir of [dataDir, cluster]) rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

const isEmptyDir = (dir: string): boolean => !existsSync(dir) || readdirSync(dir).length === 0;

/** Returns the newest base backup that was completed by the instant. */
function selectBaseBackup(backupDir: string, targetTime: Date | undefined): BaseBackup {
  const baseBackups = listBaseBackups(backupDir);
  const [oldest] = baseBackups;
  if (!oldest) throw new Error(`There is no base backup in ${backupDir}. Create one with \`npm run backup\`.`);
  const newest = baseBackups.findLast(({ manifest }) => !targetTime || Date.parse(manifest.finishedAt) <= targetTime.getTime());
  if (!newest) throw new Error(`The oldest base backup in ${backupDir} was completed at ${oldest.manifest.finishedAt}; earlier instants cannot be restored.`);
  return newest;
}

async function verify({ dir, manifest }: BaseBackup): Promise<void> {
  for (const [path, { sha256 }] of Object.entries(manifest.files)) {
    const actual = await sha256OfFile(join(dir, "postgres", path)).catch(() => undefined);
    if (actual !== sha256)
      throw new Error(`${join(dir, "postgres", path)} is ${actual ? "damaged" : "missing"}. Remove ${dir} to restore from the base backup before.`);
  }
}

function extractBaseBackup({ dir }: BaseBackup, { backupDir, dataDir, targetTime }: RestoreOptions): void {
  for (const name of SECRET_FILES) copyFileSync(join(dir, name), join(dataDir, name));
  copyDocumentFiles(backupDir, dataDir);
  const cluster = clusterDir(join(dataDir, "postgres"));
  mkdirSync(dirname(cluster), { recursive: true });
  cpSync(join(dir, "postgres"), cluster, { recursive: true });
  for (const emptyDir of ["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"])
    mkdirSync(join(cluster, emptyDir), { recursive: true, mode: 0o700 });
  writeFileSync(join(cluster, "recovery.signal"), "");
  const target = targetTime ? [`recovery_target_time = '${targetTime.toISOString().replace("T", " ").replace("Z", "+00")}'`] : [];
  const settings = [`restore_command = '${restoreCommand(backupDir)}'`, "recovery_target_action = 'promote'", ...target];
  appendFileSync(join(cluster, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
  chownCluster(join(dataDir, "postgres"));
}

/** Replays the WAL up to the instant with a temporary server and stops it. */
async function replayWal(dataDir: string, targetTime: Date | undefined): Promise<Date | null> {
  const [port] = await freePorts(1);
  const { child, url } = await preparePostgres({ dir: join(dataDir, "postgres"), port: port! });
  const log = join(dataDir, "logs", "restore.log");
  const serverExit = new AbortController();
  const server = supervise(child, log, () => serverExit.abort());
  try {
    return await waitForPromotion(url, serverExit.signal);
  } catch (error) {
    // The log contains the reason once the server has stopped.
    await server.stop();
    throw serverExit.signal.aborted ? new Error(failureReason(log, targetTime)) : error;
  } finally {
    await server.stop();
    removeRecoverySettings(clusterDir(join(dataDir, "postgres")));
  }
}

function failureReason(log: string, targetTime: Date | undefined): string {
  const reason =
    readFileSync(log, "utf8")
      .match(/FATAL: .*/g)
      ?.at(-1) ?? "the server gave no reason";
  if (targetTime && reason.includes("before configured recovery target"))
    return `The archive ends before ${targetTime.toISOString()}. Specify an earlier instant, or leave out --to for the last one.`;
  const [, damagedFile] = /could not restore file "(.*)" from archive/.exec(reason) ?? [];
  if (damagedFile !== undefined) return `The WAL file ${damagedFile} of the archive is damaged. Specify an instant before it with --to.`;
  return `The WAL could not be replayed: ${reason}`;
}

/** Waits for the end of the replay and returns the time of the last transaction. Throws if the server stops before. */
async function waitForPromotion(url: string, signal: AbortSignal): Promise<Date | null> {
  for (;;) {
    await sleep(100, undefined, { signal });
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    const state = await client
      .connect()
      .then(async () => (await client.query<{ isRecovering: boolean; lastTransactionAt: Date | null }>(RECOVERY_STATE)).rows[0])
      .catch(() => undefined);
    await client.end().catch(() => undefined);
    if (state && !state.isRecovering) return state.lastTransactionAt;
  }
}
const RECOVERY_STATE = 'select pg_is_in_recovery() as "isRecovering", pg_last_xact_replay_timestamp() as "lastTransactionAt"';

/** Removes the recovery settings, so that the cluster starts normally. */
function removeRecoverySettings(cluster: string): void {
  const file = join(cluster, "postgresql.auto.conf");
  const remaining = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !/^(restore_command|recovery_target_)/.test(line));
  writeFileSync(file, remaining.join("\n"));
}

const Instant = z.iso.datetime({ offset: true });

if (import.meta.main) {
  await runCommand(async () => {
    const { values } = parseArgs({ options: { into: { type: "string" }, from: { type: "string" }, to: { type: "string" } } });
    const from = values.from ?? process.env["BACKUP_DIR"];
    if (!values.into) throw new Error("Specify a new data directory: npm run restore -- --into <directory>.");
    if (!from) throw new Error("Specify the backup directory: --from <directory>, or set BACKUP_DIR.");
    if (values.to !== undefined && !Instant.safeParse(values.to).success)
      throw new Error("--to requires an instant with its time zone, such as 2026-11-21T15:04:05Z.");
    const startedAt = performance.now();
    const dataDir = resolve(values.into);
    const lastTransactionAt = await restore({ backupDir: resolve(from), dataDir, targetTime: values.to === undefined ? undefined : new Date(values.to) });
    say(`Restored ${values.to ?? "the last archived state"} into ${dataDir} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    if (lastTransactionAt) say(`The last restored change is from ${lastTransactionAt.toISOString()}.`);
    say(`Start it with DATA_DIR=${shellQuote(dataDir)} npm start. To archive, set BACKUP_DIR to a new directory and run npm run backup at once.`);
  });
}
