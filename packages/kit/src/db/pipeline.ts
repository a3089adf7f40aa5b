/** Transactions of pipelined statements, for the hot money paths. */
import type pg from "pg";
import type { Principal } from "../auth/principal.ts";
import { isConnectionLost, isTransactionConflict } from "./database-error.ts";
import type { OrgDb, StatementRunner } from "./org-db.ts";
import { compile, type RawBuilder, type RowAccess, send, setAccess, sql, streamOf } from "./statement.ts";

const MAX_ATTEMPTS = 3;

/** A transaction whose statements travel together: each `send` is one round trip, however many statements it holds. */
export class Pipeline implements StatementRunner {
  readonly principal: Principal;
  readonly requestId: string | null;
  readonly clientAddress: string | undefined;
  /** Set when one of the statements inserts events. */
  hasEvents = false;
  readonly #client: pg.PoolClient;
  readonly #access: RowAccess;
  #isOpen = false;
  #isCommitted = false;

  constructor(db: OrgDb, client: pg.PoolClient) {
    this.principal = db.principal;
    this.requestId = db.requestId;
    this.clientAddress = db.clientAddress;
    this.#client = client;
    this.#access = db;
  }
  get organizationId(): string {
    return this.principal.organizationId;
  }
  get isCommitted(): boolean {
    return this.#isCommitted;
  }
  async all<R>(query: RawBuilder<R>): Promise<R[]> {
    return (await this.send(query))[0]!;
  }
  async first<R>(query: RawBuilder<R>): Promise<R | undefined> {
    return (await this.all(query))[0];
  }
  /** Runs the statements in one round trip and returns the rows of each. */
  send<const Q extends readonly RawBuilder<unknown>[]>(...queries: Q): Promise<{ [I in keyof Q]: Q[I] extends RawBuilder<infer R> ? R[] : never }> {
    return this.#roundTrip(queries, []) as never;
  }
  /**
   * Runs the last writes and commits, in one round trip, so that their locks span no network latency. The writes run as one
   * statement: each is a plain insert, update or delete, and none sees the effects of the others.
   */
  async commit(...writes: readonly RawBuilder<unknown>[]): Promise<void> {
    const parts = writes.map((write, index) => sql`${sql.ref(`w${index}`)} as (${write})`);
    await this.#roundTrip([sql`with ${sql.join(parts)} select`], [{ text: "commit", values: [] }]);
    this.#isCommitted = true;
  }
  async #roundTrip(queries: readonly RawBuilder<unknown>[], last: { text: string; values: unknown[] }[]): Promise<unknown[][]> {
    const stream = streamOf(this.#client);
    stream.cork();
    const first = this.#isOpen ? [] : [{ text: "begin", values: [] }, setAccess(this.#access)];
    this.#isOpen = true;
    const sent = [...first, ...queries.map(compile), ...last].map((query) => send(this.#client, query));
    stream.uncork();
    const settled = await Promise.allSettled(sent);
    const failed = settled.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
    return settled.slice(first.length, first.length + queries.length).map((result) => (result as PromiseFulfilledResult<unknown[]>).value);
  }
  async rollback(): Promise<void> {
    if (this.#isOpen && !this.#isCommitted) await send(this.#client, { text: "rollback", values: [] }).catch(() => undefined);
  }
}

/** Runs the work as a pipeline, which must end with `commit`; without it everything is rolled back. A deadlock or a serialization failure is retried. */
export async function pipeline<T>(db: OrgDb, work: (tx: Pipeline) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    db.requireWaiter();
    const client = await db.database.pool.connect();
    const tx = new Pipeline(db, client);
    let broken: Error | undefined;
    try {
      // The caller may have left while the pipeline waited for its connection.
      db.requireWaiter();
      const result = await work(tx);
      if (tx.isCommitted) db.request.waiter?.onCommit?.();
      else await tx.rollback();
      if (tx.hasEvents && tx.isCommitted) db.database.wakeRelay();
      return result;
    } catch (error) {
      await tx.rollback();
      if (isTransactionConflict(error) && attempt < MAX_ATTEMPTS) continue;
      if (isConnectionLost(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
