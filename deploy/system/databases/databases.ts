/** One database per service in the embedded cluster: an owner role for migrations, and a service role that owns nothing. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { Client } from "pg";
import { compileCacheDir } from "../layout.ts";
import type { Secrets, ServiceName } from "../secrets.ts";

/** Database URLs of a service: for the role that owns and migrates it, and for the service itself. */
export interface DatabaseUrls {
  owner: string;
  service: string;
}

const roles = (service: string) => ({ owner: `${service}_owner`, service: `${service}_service` });
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Creates missing databases and roles, and sets their privileges and passwords. Idempotent, also after an interruption. */
export async function prepareDatabases(adminUrl: string, names: readonly ServiceName[], secrets: Secrets): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const name of names) {
      const { owner, service } = roles(name);
      const passwords = secrets.databasePasswords[name];
      for (const [role, password] of [
        [owner, passwords.owner],
        [service, passwords.service],
      ] as const) {
        const exists = (await admin.query("select 1 from pg_roles where rolname = $1", [role])).rowCount;
        await admin.query(`${exists ? "alter" : "create"} role ${role} login nosuperuser nobypassrls password ${literal(password)}`);
      }
      if (!(await admin.query("select 1 from pg_database where datname = $1", [name])).rowCount) await admin.query(`create database ${name} owner ${owner}`);
      // Repeated on each start, because a start may have been killed after the database was created.
      await admin.query(`revoke all on database ${name} from public`);
      await admin.query(`grant connect on database ${name} to ${service}`);
    }
  } finally {
    await admin.end();
  }
}

/** Returns the URLs of a service's embedded database for the owner and the service role. */
export function embeddedUrls(name: ServiceName, port: number, secrets: Secrets): DatabaseUrls {
  const url = (role: string, password: string) => `postgres://${role}:${password}@127.0.0.1:${port}/${name}`;
  const passwords = secrets.databasePasswords[name];
  return { owner: url(roles(name).owner, passwords.owner), service: url(roles(name).service, passwords.service) };
}

export interface Migrator {
  /** Migrates the databases as their owners and grants privileges to the service roles. */
  migrate(urls: Record<ServiceName, DatabaseUrls>): Promise<void>;
  /** Ends the process, also before it has migrated. */
  stop(): void;
}

/**
 * Starts a process that loads the entities and migrations of all services and waits for the URLs of their databases. It ends after the
 * migrations, so that the launcher does not keep in memory what only they need.
 */
export function startMigrator(): Migrator {
  const program = fileURLToPath(new URL("migrate.ts", import.meta.url));
  const child = spawn(process.execPath, ["-C", "source", program], {
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCacheDir },
  });
  const ended = Promise.all([once(child, "close"), text(child.stderr)]);
  ended.catch(() => undefined);
  // A process that has ended cannot read the URLs; its exit code tells why.
  child.stdin.on("error", () => undefined);
  return {
    async migrate(urls) {
      child.stdin.end(JSON.stringify(urls));
      const [[code, signal], problem] = await ended;
      if (code !== 0) throw new Error(problem.trim() || `The migrations ended (${signal ?? `code ${code}`}).`);
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
