/**
 * SQL statements: prepared by name and scoped to an organization in the same round trip. Rows have camelCase members,
 * bigint and numeric as numbers, dates as `YYYY-MM-DD` and timestamps as ISO 8601 with `Z`.
 */
import type { Duplex } from "node:stream";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type RawBuilder } from "kysely";
import pg from "pg";
import { isConnectionLost } from "./database-error.ts";
import { trackResponse, closeWhenSilent } from "./connections/response-timeout.ts";

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
  /** True for a statement that is parsed each time, since its rows have other columns the next time. */
  isUnprepared?: boolean;
}

export const compile = (query: RawBuilder<unknown>): Compiled => {
  const { sql, parameters } = query.compile(compiler);
  return { text: sql, values: parameters as unknown[] };
};

const { builtins, getTypeParser } = pg.types;
const parsers = new Map<number, (value: string) => unknown>([
  [builtins.INT8, parseNumber],
  [builtins.NUMERIC, parseNumber],
  [builtins.DATE, (value) => value],
  [builtins.TIMESTAMPTZ, (value) => new Date(value).toISOString()],
]);

function parseNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) && !value.includes(".")) throw new RangeError(`${value} is outside of the range of safe integers.`);
  return number;
}

const types = {
  getTypeParser: (oid: number, format: "text") => (format === "text" ? parsers.get(oid) : undefined) ?? getTypeParser(oid, format),
} as pg.CustomTypesConfig;

const camelCaseNames = new Map<string, string>();
function camelCase(name: string): string {
  let converted = camelCaseNames.get(name);
  if (!converted) camelCaseNames.set(name, (converted = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())));
  return converted;
}

const MAX_PREPARED = 500;
const preparedNames = new Map<string, string>();
/** Returns the name of the prepared statement for a text. Texts beyond the first 500 are not prepared. */
function preparedNameOf(text: string): string | undefined {
  let name = preparedNames.get(text);
  if (!name && preparedNames.size < MAX_PREPARED) preparedNames.set(text, (name = `s${preparedNames.size + 1}`));
  return name;
}

/** The protocol methods of pg's connection that a statement uses. */
interface WireProtocol {
  bind(portal: { statement: string; values: unknown[] }): void;
  execute(portal: { portal?: string }): void;
}

/** Settings of a statement that row-level security reads. */
export interface RowAccess {
  organizationId: string;
  /** Portal user, see `portalUserOf`; empty for the office. */
  portalUser: string;
}
const SET_ACCESS = { name: "scope", text: "select set_config('app.organization_id', $1, true), set_config('app.portal_user', $2, true)" };
const accessValues = ({ organizationId, portalUser }: RowAccess): string[] => [organizationId, portalUser];

/** Returns the statement that sets the row access of a transaction. */
export const setAccess = (access: RowAccess): Compiled => ({ text: SET_ACCESS.text, values: accessValues(access) });

type QueryClass = new (
  config: pg.QueryConfig & { queryMode?: string },
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => pg.Submittable & {
  prepare(wire: WireProtocol): void;
  handleRowDescription(message: { fields: { name: string }[] }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: WireProtocol): void;
};

/**
 * A statement on the wire. With row access, `set_config` precedes it under the same Sync message: PostgreSQL runs both
 * as one implicit transaction, so row-level security sees the settings and they end with the statement.
 */
class Statement extends (pg.Query as unknown as QueryClass) {
  readonly #access: RowAccess | undefined;
  #isSettingAccess: boolean;

  constructor(query: Compiled, access: RowAccess | undefined, callback: (error: Error | null, result: pg.QueryResult) => void) {
    const { text, values, isUnprepared = false } = query;
    const name = isUnprepared ? undefined : preparedNameOf(text);
    super({ text, values, types, queryMode: "extended", ...(name && { name }) }, undefined, callback);
    this.#access = access;
    this.#isSettingAccess = access !== undefined;
  }

  override prepare(wire: WireProtocol): void {
    if (this.#access) {
      wire.bind({ statement: SET_ACCESS.name, values: accessValues(this.#access) });
      wire.execute({});
    }
    super.prepare(wire);
  }
  override handleRowDescription(message: { fields: { name: string }[] }): void {
    for (const field of message.fields) field.name = camelCase(field.name);
    super.handleRowDescription(message);
  }
  override handleDataRow(message: unknown): void {
    if (!this.#isSettingAccess) super.handleDataRow(message);
  }
  override handleCommandComplete(message: unknown, wire: WireProtocol): void {
    if (this.#isSettingAccess) this.#isSettingAccess = false;
    else super.handleCommandComplete(message, wire);
  }
}

/**
 * Prepares a new connection of the pool: limits the silence of the server, and prepares the statement that sets the row access. That
 * statement is sent alone: pg would record the name of a statement parsed together with it as prepared even if PostgreSQL rejected it.
 */
export function prepareConnection(client: pg.ClientBase): void {
  closeWhenSilent(client);
  client.query({ ...SET_ACCESS, values: ["", ""] }).catch(() => undefined);
}

/** Sends a statement on a connection without waiting for earlier ones, and returns its rows. */
export function send<R>(client: pg.ClientBase, query: Compiled, access?: RowAccess): Promise<R[]> {
  const response = new Promise<R[]>((resolve, reject) => {
    client.query(new Statement(query, access, (error, result) => (error ? reject(error) : resolve(result.rows as R[]))));
  });
  return trackResponse(client, response);
}

/** Runs work on a connection of the pool, as soon as one is free. A connection that is of no more use is closed afterwards. */
export async function withConnection<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (isConnectionLost(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Sends one statement on a connection of the pool and returns its rows. */
export const sendOnce = <R>(pool: pg.Pool, query: RawBuilder<R>, access?: RowAccess): Promise<R[]> =>
  withConnection(pool, (client) => send<R>(client, compile(query), access));

/** Returns the stream of a connection, to send several statements in one packet. */
export const streamOf = (client: pg.ClientBase): Duplex => (client as pg.ClientBase & Pick<pg.Client, "connection">).connection.stream;

/**
 * Sends compiled statements on one connection of the pool in one round trip, each in a transaction of its own unless they begin and
 * end one, and returns the rows of each. All are sent, also after a failure of one.
 */
export const sendCompiled = (pool: pg.Pool, ...statements: readonly Compiled[]): Promise<unknown[][]> =>
  withConnection(pool, async (client) => {
    const stream = streamOf(client);
    stream.cork();
    const sent = statements.map((statement) => send<unknown>(client, statement));
    stream.uncork();
    const settled = await Promise.allSettled(sent);
    return settled.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  });

export const BEGIN_SNAPSHOT: Compiled = { text: "begin isolation level repeatable read read only", values: [] };
export const COMMIT: Compiled = { text: "commit", values: [] };

/**
 * Sends statements on a connection of the pool, in one round trip and on one snapshot of the database, and returns the rows of
 * each. After a failure the commit ends the transaction as a rollback.
 */
export async function sendOnSnapshot(pool: pg.Pool, queries: readonly RawBuilder<unknown>[], access: RowAccess): Promise<unknown[][]> {
  return (await sendCompiled(pool, BEGIN_SNAPSHOT, setAccess(access), ...queries.map(compile), COMMIT)).slice(2, -1);
}

/** Time after which a broken connection that was not released counts as leaked. */
const RELEASE_TIMEOUT_MS = 500;

/**
 * Connection of the ORM's pool. The ORM inlines its values into the SQL text; a statement with parameters comes from this
 * package, so it is prepared and its rows are parsed like those of other statements here.
 */
export class OrmClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on("error", () => undefined);
    // The ORM does not release the connection of a transaction whose `begin`, `commit` or `rollback` failed.
    this.once("end", () => setTimeout(() => this.#releaseLeaked(), RELEASE_TIMEOUT_MS).unref());
  }
  #releaseLeaked(): void {
    try {
      (this as unknown as Partial<pg.PoolClient>).release?.(true);
    } catch {
      // Already released.
    }
  }
  // eslint-disable-next-line typescript/no-explicit-any -- pg overloads this method nine ways
  override query(...args: any[]): any {
    const [text, values] = args as [unknown, unknown];
    if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return this.#sent(super.query(...(args as [string])));
    const response = new Promise((resolve, reject) =>
      super.query(new Statement({ text, values }, undefined, (error, result) => (error ? reject(error) : resolve(result)))),
    );
    return this.#sent(response);
  }
  /** Counts a statement as unanswered, and closes the connection if its error says that it is of no more use. */
  #sent(response: unknown): unknown {
    if (!(response instanceof Promise)) return response;
    response.catch((error: unknown) => isConnectionLost(error) && streamOf(this).destroy());
    return trackResponse(this, response);
  }
}

/** Connection of the ORM's pool in a running service. Migrations, which may take longer, use `OrmClient`. */
export class ServiceOrmClient extends OrmClient {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.once("connect", () => closeWhenSilent(this));
  }
}

export const connectionOptions = "-c statement_timeout=8000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC";
