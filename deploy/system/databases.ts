/** One database per service in the embedded cluster: an owner role for migrations, and a service role that owns nothing. */
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { migrate } from "@freehold/kit/db/database";
import { database as communications } from "@freehold/communications/database";
import { database as identity } from "@freehold/identity/database";
import { database as imports } from "@freehold/imports/database";
import { database as ledger } from "@freehold/ledger/database";
import { database as portfolio } from "@freehold/portfolio/database";
import { Client } from "pg";
import type { Secrets, ServiceName } from "./secrets.ts";

export const definitions: Record<ServiceName, DatabaseDefinition> = { identity, portfolio, ledger, communications, imports };

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
export function embeddedUrls(name: ServiceName, port: number, secrets: Secrets): { owner: string; service: string } {
  const url = (role: string, password: string) => `postgres://${role}:${password}@127.0.0.1:${port}/${name}`;
  const passwords = secrets.databasePasswords[name];
  return { owner: url(roles(name).owner, passwords.owner), service: url(roles(name).service, passwords.service) };
}

/** Migrates the database of a service as its owner and grants privileges to its service role. Returns the applied migrations. */
export const migrateService = (name: ServiceName, urls: { owner: string; service: string }): Promise<string[]> =>
  migrate(definitions[name], urls.owner, decodeURIComponent(new URL(urls.service).username));
