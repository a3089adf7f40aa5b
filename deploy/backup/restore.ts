/**
 * `npm run restore -- --into <data directory> [--from <backup directory>] [--to <instant>]`: gives back the system as it
 * was at that instant, or at the last that was archived, in a new data directory. What is there is never overwritten.
 */
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { z } from "zod";
import { copiesIn, hashOf, KEPT_BESIDE, restoreCommand, type Copy } from "./archive.ts";
import { runCommand, say } from "../command.ts";
import { copyDocumentFiles } from "./document-files.ts";
import { freePorts } from "../system/ports.ts";
import { clusterIn, ownCluster, preparePostgres } from "../system/postgres.ts";
import { supervise } from "../system/supervise.ts";

export interface Restoration {
  backupDir: string;
  dataDir: string;
  /** Undefined for the last instant that was archived. */
  to?: Date | undefined;
}

/** Restores and answers the instant of the last change that is there. On failure the new directory is as it was: not there. */
export async function restore({ backupDir, dataDir, to }: Restoration): Promise<Date | null> {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) throw new Error(`${dataDir} is not empty. Restore into a new directory.`);
  const copy = copyFor(backupDir, to);
  await verify(copy);
  mkdirSync(dataDir, { recursive: true });
  try {
    layDown(copy, { backupDir, dataDir, to });
    return await replay(dataDir, to);
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** The newest copy that was finished by then. */
function copyFor(backupDir: string, to: Date | undefined): Copy {
  const copies = copiesIn(backupDir);
  const [oldest] = copies;
  if (!oldest) throw new Error(`There is no copy in ${backupDir}. Make one with \`npm run backup\`.`);
  const found = copies.findLast(({ manifest }) => !to || Date.parse(manifest.finishedAt) <= to.getTime());
  if (!found) throw new Error(`The oldest copy in ${backupDir} is of ${oldest.manifest.finishedAt}; nothing before it can be restored.`);
  return found;
}

async function verify({ dir, manifest }: Copy): Promise<void> {
  for (const [path, hash] of Object.entries(manifest.files)) {
    const actual = await hashOf(join(dir, "postgres", path)).catch(() => undefined);
    if (actual !== hash) throw new Error(`${join(dir, "postgres", path)} is ${actual ? "damaged" : "missing"}. Restore from another copy.`);
  }
}

function layDown({ dir }: Copy, { backupDir, dataDir, to }: Restoration): void {
  for (const name of KEPT_BESIDE) copyFileSync(join(dir, name), join(dataDir, name));
  copyDocumentFiles(backupDir, dataDir);
  const cluster = clusterIn(join(dataDir, "postgres"));
  mkdirSync(dirname(cluster), { recursive: true });
  cpSync(join(dir, "postgres"), cluster, { recursive: true });
  for (const empty of ["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans"])
    mkdirSync(join(cluster, empty), { recursive: true, mode: 0o700 });
  writeFileSync(join(cluster, "recovery.signal"), "");
  const target = to ? [`recovery_target_time = '${to.toISOString().replace("T", " ").replace("Z", "+00")}'`] : [];
  const settings = [`restore_command = '${restoreCommand(backupDir)}'`, "recovery_target_action = 'promote'", ...target];
  appendFileSync(join(cluster, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
  ownCluster(join(dataDir, "postgres"));
}

/** Lets a server of its own replay the log until the instant, and ends it again: what is left starts like any other. */
async function replay(dataDir: string, to: Date | undefined): Promise<Date | null> {
  const [port] = await freePorts(1);
  const { child, url } = await preparePostgres({ dir: join(dataDir, "postgres"), port: port! });
  const log = join(dataDir, "logs", "restore.log");
  const ended = new AbortController();
  const server = supervise(child, log, () => ended.abort());
  try {
    return await promoted(url, ended.signal);
  } catch (error) {
    // Its last words are in the log once it is gone.
    await server.stop();
    throw ended.signal.aborted ? new Error(whyEnded(log, to)) : error;
  } finally {
    await server.stop();
    removeSettings(clusterIn(join(dataDir, "postgres")));
  }
}

function whyEnded(log: string, to: Date | undefined): string {
  const said =
    readFileSync(log, "utf8")
      .match(/FATAL: .*/g)
      ?.at(-1) ?? "the server gave no reason";
  if (to && said.includes("before configured recovery target"))
    return `The archive ends before ${to.toISOString()}. Name an earlier instant, or leave out --to for the last one.`;
  return `The log could not be replayed: ${said}`;
}

/** The instant of the last change, once all that was wanted is replayed; throws when the server ended before. */
async function promoted(url: string, signal: AbortSignal): Promise<Date | null> {
  for (;;) {
    await sleep(100, undefined, { signal });
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    const state = await client
      .connect()
      .then(async () => (await client.query<{ isRecovering: boolean; last: Date | null }>(STATE)).rows[0])
      .catch(() => undefined);
    await client.end().catch(() => undefined);
    if (state && !state.isRecovering) return state.last;
  }
}
const STATE = 'select pg_is_in_recovery() as "isRecovering", pg_last_xact_replay_timestamp() as last';

/** From here on it is a cluster like any other. */
function removeSettings(cluster: string): void {
  const file = join(cluster, "postgresql.auto.conf");
  const kept = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !/^(restore_command|recovery_target_)/.test(line));
  writeFileSync(file, kept.join("\n"));
}

const Instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

if (import.meta.main) {
  await runCommand(async () => {
    const { values } = parseArgs({ options: { into: { type: "string" }, from: { type: "string" }, to: { type: "string" } } });
    const from = values.from ?? process.env["BACKUP_DIR"];
    if (!values.into) throw new Error("Name a new data directory: npm run restore -- --into <directory>.");
    if (!from) throw new Error("Name the backup directory: --from <directory>, or set BACKUP_DIR.");
    if (values.to !== undefined && !Instant.safeParse(values.to).success) throw new Error("--to takes an instant with its zone, such as 2026-11-21T15:04:05Z.");
    const started = performance.now();
    const dataDir = resolve(values.into);
    const last = await restore({ backupDir: resolve(from), dataDir, to: values.to === undefined ? undefined : new Date(values.to) });
    say(`Restored ${values.to ?? "the last state that was archived"} into ${dataDir} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
    if (last) say(`The last change is of ${last.toISOString()}.`);
    say(`Start it with DATA_DIR=${dataDir} npm start.`);
  });
}
