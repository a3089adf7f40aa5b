/**
 * Statements as this house sends them: prepared by name, scoped to one organization in the same round trip, rows
 * with camelCase members, bigint as number, dates as `YYYY-MM-DD`, timestamps as ISO 8601 with `Z`.
 */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type RawBuilder } from "kysely";
import pg from "pg";

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export { sql } from "kysely";
export type { RawBuilder } from "kysely";

export interface Compiled {
  text: string;
  values: unknown[];
}

export const compile = (query: RawBuilder<unknown>): Compiled => {
  const { sql, parameters } = query.compile(compiler);
  return { text: sql, values: parameters as unknown[] };
};

const { builtins, getTypeParser } = pg.types;
const parsers = new Map<number, (value: string) => unknown>([
  [builtins.INT8, safeInteger],
  [builtins.NUMERIC, safeInteger],
  [builtins.DATE, (value) => value],
  [builtins.TIMESTAMPTZ, (value) => new Date(value).toISOString()],
]);

function safeInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) && !value.includes(".")) throw new RangeError(`${value} is beyond what we count exactly.`);
  return number;
}

const types = {
  getTypeParser: (oid: number, format: "text") => (format === "text" ? parsers.get(oid) : undefined) ?? getTypeParser(oid, format),
} as pg.CustomTypesConfig;

const camelNames = new Map<string, string>();
function camel(name: string): string {
  let known = camelNames.get(name);
  if (!known) camelNames.set(name, (known = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())));
  return known;
}

const names = new Map<string, string>();
/** A name for each distinct text, so that the server plans it once a connection; beyond the bound texts stay unnamed. */
function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (!name && names.size < 500) names.set(text, (name = `s${names.size + 1}`));
  return name;
}

/** The part of pg's connection that a submitted query speaks to. */
interface Wire {
  parse(statement: { text: string; name: string }): void;
  bind(portal: { statement: string; values: unknown[] }): void;
  execute(portal: { portal?: string }): void;
  [PREPARED]?: boolean;
}
const PREPARED = Symbol("the scope statement is prepared on this connection");
const SCOPE = { name: "scope", text: "select set_config('app.organization_id', $1, true)" };

type Base = new (
  config: pg.QueryConfig & { queryMode?: string },
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => pg.Submittable & {
  prepare(wire: Wire): void;
  handleRowDescription(message: { fields: { name: string }[] }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
};

/**
 * One statement. With an organization, `set_config` travels before it under the same Sync: PostgreSQL runs both as one
 * implicit transaction, so row-level security sees the organization and nothing outlives the statement.
 */
class Statement extends (pg.Query as unknown as Base) {
  readonly #organizationId: string | undefined;
  #settingScope: boolean;

  constructor(query: Compiled, organizationId: string | undefined, callback: (error: Error | null, result: pg.QueryResult) => void) {
    const name = nameOf(query.text);
    super({ ...query, types, queryMode: "extended", ...(name && { name }) }, undefined, callback);
    this.#organizationId = organizationId;
    this.#settingScope = organizationId !== undefined;
  }

  override prepare(wire: Wire): void {
    if (this.#organizationId !== undefined) {
      if (!wire[PREPARED]) wire.parse(SCOPE);
      wire[PREPARED] = true;
      wire.bind({ statement: SCOPE.name, values: [this.#organizationId] });
      wire.execute({});
    }
    super.prepare(wire);
  }
  override handleRowDescription(message: { fields: { name: string }[] }): void {
    for (const field of message.fields) field.name = camel(field.name);
    super.handleRowDescription(message);
  }
  override handleDataRow(message: unknown): void {
    if (!this.#settingScope) super.handleDataRow(message);
  }
  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#settingScope) this.#settingScope = false;
    else super.handleCommandComplete(message, wire);
  }
}

/** Sends a statement on a connection at once; several may be on their way together. */
export function send<R>(client: pg.ClientBase, query: Compiled, organizationId?: string): Promise<R[]> {
  return new Promise((resolve, reject) => {
    client.query(new Statement(query, organizationId, (error, result) => (error ? reject(error) : resolve(result.rows as R[]))));
  });
}

/** Sends one statement on a connection of the pool. */
export async function sendOnce<R>(pool: pg.Pool, query: RawBuilder<R>, organizationId?: string): Promise<R[]> {
  const client = await pool.connect();
  try {
    return await send<R>(client, compile(query), organizationId);
  } finally {
    client.release();
  }
}

/** Whoever gives a broken connection back does so at once; after this nobody will. */
const LEAVE_MS = 500;

/**
 * The client of the ORM's pool. The ORM writes its values into the text; a statement that carries parameters is one of
 * ours and is prepared and read in our way.
 */
export class OrmClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => undefined);
    // A transaction whose `begin`, `commit` or `rollback` failed never gives its connection back: one that has ended leaves by itself.
    this.once("end", () => setTimeout(() => this.#leavePool(), LEAVE_MS).unref());
  }
  #leavePool(): void {
    try {
      (this as unknown as Partial<pg.PoolClient>).release?.(true);
    } catch {
      // It was given back as it should be.
    }
  }
  // eslint-disable-next-line typescript/no-explicit-any -- pg overloads this method nine ways
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return super.query(...(args as [string]));
    return new Promise((resolve, reject) =>
      super.query(new Statement({ text, values }, undefined, (error, result) => (error ? reject(error) : resolve(result)))),
    );
  }
}

export const connectionOptions = "-c statement_timeout=8000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC";
