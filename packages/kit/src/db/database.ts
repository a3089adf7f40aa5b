/** Migration of a service's database, and its connection pools, which open only if the schema matches the code. */
import { MikroORM } from "@mikro-orm/postgresql";
import { Migrator } from "@mikro-orm/migrations";
import type { EntityClass, EntitySchema } from "@mikro-orm/core";
import pg from "pg";
import { ConfigurationError } from "../config.ts";
import type { ApiError } from "../errors.ts";
import type { RedactedColumns } from "./change-tracking.ts";
import { exportTurns, readTurns, type Database } from "./org-db.ts";
import { loadMigrations, migrationNames, type MigrationClass } from "./migration-folder.ts";
import { kitMigrations } from "./migrations.ts";
import { connectionOptions, OrmClient, prepareConnection, ServiceOrmClient } from "./statement.ts";

/** Definition of a service's database. */
export interface DatabaseDefinition {
  service: string;
  entities: (EntityClass<object> | EntitySchema)[];
  /** Folder with the migrations of the service, if it has any of its own. */
  migrations?: URL;
  /** Statement that the owner runs after each migration, also when none was pending. */
  afterMigration?: string;
  /** Errors of violated constraints, by constraint name. */
  constraints: Record<string, () => ApiError>;
  /** Tables whose rows the service cannot update or delete, with the columns that it may still update. Enforced by privileges. */
  appendOnly?: Record<string, readonly string[]>;
  /** Tables that only triggers and migrations write, and functions that only these call. The service may read the tables. Enforced by privileges. */
  ownerOnly?: { tables: readonly string[]; functions: readonly string[] };
  /** Columns with credentials, left out of exports and hidden in recorded changes. */
  secrets?: RedactedColumns;
  /** True if the service's events contain the changes of their rows, for the audit log. */
  tracksChanges?: boolean;
}

/**
 * Settings of a running service's connections. Sequential scans are off because a plan made while a table is nearly empty, also that
 * of a foreign key's check, is kept until the table is analyzed. Plans are generic because planning a statement with row-level
 * security costs more than running it, and every plan starts with the organization's index anyway.
 */
const serviceOptions = `${connectionOptions} -c enable_seqscan=off -c plan_cache_mode=force_generic_plan`;
/** Time after which an unused connection is closed. A new one starts a process of PostgreSQL, which plans each statement again. */
const IDLE_TIMEOUT_MS = 300_000;

/** Maximum time for which a statement waits for a connection, once the fair turns have admitted it; then the request is refused with 503. */
const CONNECTION_WAIT_MS = 3_000;
/** The same for a transaction. No turns limit transactions, so the writes of a burst queue here. */
const TRANSACTION_WAIT_MS = 9_000;

const initOrm = (
  definition: DatabaseDefinition,
  url: string,
  poolSize: number,
  { driverOptions = {}, migrations = [] }: { driverOptions?: pg.PoolConfig; migrations?: { name: string; class: MigrationClass }[] } = {},
) =>
  MikroORM.init({
    clientUrl: url,
    entities: definition.entities,
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: false,
    pool: { min: 0, max: poolSize, idleTimeoutMillis: IDLE_TIMEOUT_MS },
    // The URL again, since the ORM itself ignores its parameters, among them those of TLS.
    driverOptions: { Client: OrmClient, connectionString: url, options: connectionOptions, ...driverOptions },
    migrations: {
      migrationsList: migrations,
      tableName: "migration",
      snapshot: false,
      silent: true,
    },
    allowGlobalContext: false,
  });

/** Opens the ORM alone, for migrations and for the test that compares entities with the schema. */
export async function openOrm(definition: DatabaseDefinition, ownerUrl: string): Promise<MikroORM> {
  const ofKit = Object.entries(kitMigrations).map(([name, migration]) => ({ name, class: migration }));
  const ofService = definition.migrations ? await loadMigrations(definition.migrations) : [];
  return initOrm(definition, ownerUrl, 2, { migrations: [...ofKit, ...ofService] });
}

/** Migrates the schema as its owner and grants the service's role the privileges it needs. Returns the names of the applied migrations. */
export async function migrate(definition: DatabaseDefinition, ownerUrl: string, role: string): Promise<string[]> {
  const orm = await openOrm(definition, ownerUrl);
  try {
    const applied = await orm.migrator.up();
    await orm.em.getConnection().execute(grants(definition, role));
    await orm.em.getConnection().execute("select begin_outbox_era(system_identifier) from pg_control_system()");
    if (definition.afterMigration) await orm.em.getConnection().execute(definition.afterMigration);
    return applied.map(({ name }) => name);
  } finally {
    await orm.close(true);
  }
}

function grants({ appendOnly = {}, ownerOnly = { tables: [], functions: [] } }: DatabaseDefinition, role: string): string {
  const name = `"${role.replaceAll('"', '""')}"`;
  const appendOnlyGrants = Object.entries(appendOnly).map(
    ([table, columns]) =>
      `revoke update, delete, truncate on ${table} from ${name};${columns.length > 0 ? ` grant update (${columns.join(", ")}) on ${table} to ${name};` : ""}`,
  );
  const revocations = [
    ...ownerOnly.tables.map((table) => `revoke insert, update, delete, truncate on ${table} from ${name};`),
    ...ownerOnly.functions.map((fn) => `revoke execute on function ${fn} from public, ${name};`),
  ];
  return `grant usage on schema public to ${name}; grant select, insert, update, delete on all tables in schema public to ${name};
    grant usage on all sequences in schema public to ${name}; grant execute on all functions in schema public to ${name};
    revoke all on migration from ${name}; grant select on migration to ${name}; ${[...appendOnlyGrants, ...revocations].join(" ")}`;
}

/** Returns the names of all migrations, in the order of their execution. */
const knownMigrations = ({ migrations }: DatabaseDefinition): string[] => [...Object.keys(kitMigrations), ...(migrations ? migrationNames(migrations) : [])];

/** Opens the pools of a running service. Throws a `ConfigurationError` when the schema is behind or ahead of the code. */
export async function openDatabase(
  definition: DatabaseDefinition,
  url: string,
  connections: number,
): Promise<Database & { schemaVersion: string; close(): Promise<void> }> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    options: serviceOptions,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    application_name: `freehold-${definition.service}`,
  } as pg.PoolConfig);
  // Without handlers an error on an idle connection ends the process. The pool replaces the connection on its next use.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    prepareConnection(client);
  });
  await checkSchema(definition, pool);
  const orm = await initOrm(definition, url, Math.ceil(connections / 2), {
    driverOptions: { Client: ServiceOrmClient, options: serviceOptions, connectionTimeoutMillis: TRANSACTION_WAIT_MS } as pg.PoolConfig,
  });
  return {
    orm,
    pool,
    readTurns: readTurns(connections),
    exportTurns: exportTurns(connections),
    constraints: definition.constraints,
    redactedColumns: definition.tracksChanges ? (definition.secrets ?? {}) : undefined,
    wakeRelay: () => undefined,
    wakeScheduler: () => undefined,
    schemaVersion: knownMigrations(definition).at(-1)!,
    close: async () => {
      await orm.close(true);
      await pool.end();
    },
  };
}

const UNDEFINED_TABLE = "42P01";
/** Errors that a retry cannot resolve: unknown role, wrong password, unknown database. */
const PERMANENT_CONNECTION_ERRORS = new Set(["28000", "28P01", "3D000"]);

interface ConnectionError {
  code?: string;
  message: string;
  syscall?: string;
}

/** Returns the reason for which no connection with these settings can succeed, without secrets; undefined if a retry may succeed. */
function permanentReason({ code = "", message, syscall }: ConnectionError): string | undefined {
  if (/CERT|LEAF_SIGNATURE|SIGNED/.test(code)) return `the certificate of PostgreSQL is not valid: ${message}`;
  if (message === "The server does not support SSL connections") return "PostgreSQL does not support TLS, which sslmode requires";
  // Only files are opened, such as that of the authority.
  return syscall === "open" || PERMANENT_CONNECTION_ERRORS.has(code) ? message : undefined;
}

async function checkSchema(definition: DatabaseDefinition, pool: pg.Pool): Promise<void> {
  // A missing file of the authority is thrown, not rejected.
  const query = async () => pool.query<{ name: string }>("select name from migration order by id");
  const { rows } = await query().catch((error: ConnectionError) => {
    if (error.code === UNDEFINED_TABLE) return { rows: [] };
    const reason = permanentReason(error);
    if (reason) throw new ConfigurationError(`${definition.service.toUpperCase()}_DATABASE_URL is wrong: ${reason}.`);
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const known = knownMigrations(definition);
  const missing = known.filter((name) => !applied.has(name));
  const unknown = [...applied].filter((name) => !known.includes(name));
  if (missing.length > 0)
    throw new ConfigurationError(`The ${definition.service} database is behind this code: ${missing.join(", ")} not applied. Migrate it first.`);
  if (unknown.length > 0)
    throw new ConfigurationError(`The ${definition.service} database is ahead of this code: it has the migrations ${unknown.join(", ")}. Deploy newer code.`);
}
