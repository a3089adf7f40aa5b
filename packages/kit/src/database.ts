/** Opens a service's database, migrates it, and refuses to serve one that the code does not fit. */
import { MikroORM } from "@mikro-orm/postgresql";
import { Migrator, type Migration } from "@mikro-orm/migrations";
import type { EntityClass, EntitySchema } from "@mikro-orm/core";
import pg from "pg";
import type { Secrets } from "./changes.ts";
import { ConfigurationError } from "./config.ts";
import type { Database } from "./db.ts";
import type { ApiError } from "./errors.ts";
import { kitMigrations } from "./migration.ts";
import { connectionOptions, OrmClient } from "./statement.ts";

type MigrationClass = new (...args: ConstructorParameters<typeof Migration>) => Migration;

/** All that a service's database is made of. */
export interface DatabaseDefinition {
  service: string;
  entities: (EntityClass<object> | EntitySchema)[];
  /** In the order they ran, named by what they do. */
  migrations: Record<string, MigrationClass>;
  constraints: Record<string, () => ApiError>;
  /** Tables whose rows the service may add but not change or delete, with the columns it may still update. */
  appendOnly?: Record<string, readonly string[]>;
  /** Tables, or columns of tables, that let somebody in: no export of an organization carries them. */
  secrets?: Secrets;
  /** Whether its events tell what became of the rows that they are about, for the audit log. */
  tellsChanges?: boolean;
}

const initialise = (definition: DatabaseDefinition, url: string, poolSize: number) =>
  MikroORM.init({
    clientUrl: url,
    entities: definition.entities,
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: false,
    pool: { min: 0, max: poolSize },
    driverOptions: { Client: OrmClient, options: connectionOptions },
    migrations: {
      migrationsList: Object.entries({ ...kitMigrations, ...definition.migrations }).map(([name, migration]) => ({ name, class: migration })),
      tableName: "migration",
      snapshot: false,
      silent: true,
    },
    allowGlobalContext: false,
  });

/** The ORM alone, for migrations and the test that compares entities with the schema. */
export const openOrm = (definition: DatabaseDefinition, ownerUrl: string) => initialise(definition, ownerUrl, 2);

/** Brings the schema up to date as its owner, and grants the service's own role what it needs and no more. */
export async function migrate(definition: DatabaseDefinition, ownerUrl: string, role: string): Promise<string[]> {
  const orm = await openOrm(definition, ownerUrl);
  try {
    const applied = await orm.migrator.up();
    await orm.em.getConnection().execute(grants(definition, role));
    return applied.map(({ name }) => name);
  } finally {
    await orm.close(true);
  }
}

function grants({ appendOnly = {} }: DatabaseDefinition, role: string): string {
  const name = `"${role.replaceAll('"', '""')}"`;
  const narrowed = Object.entries(appendOnly).map(
    ([table, columns]) =>
      `revoke update, delete, truncate on ${table} from ${name};${columns.length > 0 ? ` grant update (${columns.join(", ")}) on ${table} to ${name};` : ""}`,
  );
  return `grant usage on schema public to ${name}; grant select, insert, update, delete on all tables in schema public to ${name};
    grant usage on all sequences in schema public to ${name}; grant execute on all functions in schema public to ${name};
    revoke all on migration from ${name}; grant select on migration to ${name}; ${narrowed.join(" ")}`;
}

const latest = (definition: DatabaseDefinition): string => Object.keys(definition.migrations).at(-1) ?? Object.keys(kitMigrations).at(-1)!;

/** The pools of a running service. Stops with a sentence when the schema is behind or ahead of the code. */
export async function openDatabase(
  definition: DatabaseDefinition,
  url: string,
  connections: number,
): Promise<Database & { schemaVersion: string; close(): Promise<void> }> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    // Planning a statement with its walls costs more than running it; every plan leads with the organization's index anyway.
    options: `${connectionOptions} -c plan_cache_mode=force_generic_plan`,
    pipeline: true,
    keepAlive: true,
    application_name: `freehold-${definition.service}`,
  } as pg.PoolConfig);
  // A connection that breaks fails the statements on it and is replaced on the next use; that is no reason to end.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  await checkSchema(definition, pool);
  const orm = await initialise(definition, url, Math.ceil(connections / 2));
  return {
    orm,
    pool,
    constraints: definition.constraints,
    hides: definition.tellsChanges ? (definition.secrets ?? {}) : undefined,
    nudge: () => undefined,
    schemaVersion: latest(definition),
    close: async () => {
      await orm.close(true);
      await pool.end();
    },
  };
}

const NO_SUCH_TABLE = "42P01";
/** No such role, wrong password, no such database: waiting would not help. */
const REFUSED = new Set(["28000", "28P01", "3D000"]);

async function checkSchema(definition: DatabaseDefinition, pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>("select name from migration order by id").catch((error: { code?: string; message: string }) => {
    if (error.code === NO_SUCH_TABLE) return { rows: [] };
    if (REFUSED.has(error.code ?? "")) throw new ConfigurationError(`${definition.service.toUpperCase()}_DATABASE_URL is wrong: ${error.message}.`);
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const known = [...Object.keys(kitMigrations), ...Object.keys(definition.migrations)];
  const missing = known.filter((name) => !applied.has(name));
  const unknown = [...applied].filter((name) => !known.includes(name));
  if (missing.length > 0)
    throw new ConfigurationError(`The ${definition.service} database is behind this code: ${missing.join(", ")} not applied. Migrate it first.`);
  if (unknown.length > 0)
    throw new ConfigurationError(`The ${definition.service} database is ahead of this code: it knows ${unknown.join(", ")}. Deploy newer code.`);
}
