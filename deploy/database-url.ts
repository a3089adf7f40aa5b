/**
 * `npm run --silent database-url -- <service>`: prints the URL of a service's database, for psql, pg_dump and other clients. In the
 * embedded PostgreSQL its role is the superuser, who sees the rows of all organizations, in sessions that are read-only by default.
 */
import { Client } from "pg";
import { runCommand, say } from "./command.ts";
import { services, type ServiceName } from "./system/secrets.ts";
import { readSystemState } from "./system/system-state.ts";

const READ_ONLY = "-c default_transaction_read_only=on";

const isService = (name: string | undefined): name is ServiceName => (services as readonly (string | undefined)[]).includes(name);

/** Returns the URL of a service's database. Throws if the database does not accept connections. */
async function readDatabaseUrl(name: string | undefined): Promise<string> {
  if (!isService(name)) throw new Error(`Specify a service: ${services.join(", ")}. For example: npm run --silent database-url -- ledger`);
  const { adminUrl, databaseUrls } = readSystemState();
  const url = new URL(databaseUrls[name].owner);
  if (adminUrl !== undefined && isEmbedded(url, adminUrl)) {
    const { username, password } = new URL(adminUrl);
    [url.username, url.password] = [username, password];
    // Not with URLSearchParams, which writes a space as +, and PostgreSQL's clients do not read that.
    url.search = `?options=${encodeURIComponent(READ_ONLY)}`;
  }
  await requireConnection(name, url.href);
  return url.href;
}

const isEmbedded = (url: URL, adminUrl: string): boolean => url.host === new URL(adminUrl).host;

async function requireConnection(name: ServiceName, url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`The database of ${name} accepts no connection (${(error as Error).message}). Start the system with npm start.`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

await runCommand(async () => say(await readDatabaseUrl(process.argv[2])));
