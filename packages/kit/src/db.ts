/**
 * The only way to data: an `OrgDb` knows its organization, and there is none without.
 *
 * Reads are single scoped statements. Writes happen in a `transaction` (entities and rules) or, on the few hot money
 * paths, in a `pipeline` (statements sent together). Both announce events that commit with them.
 */
import type { Envelope } from "@freehold/contract/events";
import { LockMode, type EntityClass, type EntityData, type FilterQuery, type FindOneOptions, type RequiredEntityData } from "@mikro-orm/core";
import type { EntityManager, MikroORM } from "@mikro-orm/postgresql";
import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { lockedRows, tellingChanges, type LockedRows, type Secrets } from "./changes.ts";
import { notFound, unavailable, unmet, type ApiError } from "./errors.ts";
import { runsOf, type Alike, type Writing } from "./alike.ts";
import { claim, Replay, type IdempotencyClaim } from "./idempotency.ts";
import { eventsInsert } from "./outbox.ts";
import { systemScope, type Scope } from "./scope.ts";
import { compile, type RawBuilder, send, sendOnce, sql } from "./statement.ts";
import type { Part } from "./together.ts";

export interface Database {
  orm: MikroORM;
  pool: pg.Pool;
  /** What a violated constraint tells the caller, by the constraint's name. */
  constraints: Record<string, () => ApiError>;
  /** Set where events tell what became of the rows that they are about: what of it stays hidden. */
  hides?: Secrets | undefined;
  /** Called after a commit that announced something. */
  nudge: () => void;
}

/** What a request brings along besides its content. */
export interface RequestContext {
  requestId: string | null;
  /** The network address that the request came from. */
  clientAddress?: string | undefined;
  /** The version that `If-Match` names; the first row that is changed must have it. */
  ifMatch?: number | undefined;
  idempotency?: IdempotencyClaim | undefined;
  /** Its part in a commit that it shares with other requests. */
  part?: Part | undefined;
}

export interface Runner {
  readonly organizationId: string;
  readonly scope: Scope;
  readonly requestId: string | null;
  /** The rows of a statement, inside the organization. */
  all<R>(query: RawBuilder<R>): Promise<R[]>;
  /** The first row of a statement, if there is one. */
  first<R>(query: RawBuilder<R>): Promise<R | undefined>;
}

export class OrgDb implements Runner {
  readonly scope: Scope;
  readonly request: RequestContext;
  readonly database: Database;

  constructor(database: Database, scope: Scope, request: RequestContext = { requestId: null }) {
    this.database = database;
    this.scope = scope;
    this.request = request;
  }
  get organizationId(): string {
    return this.scope.organizationId;
  }
  get requestId(): string | null {
    return this.request.requestId;
  }
  async all<R>(query: RawBuilder<R>): Promise<R[]> {
    try {
      return await sendOnce(this.database.pool, query, this.organizationId);
    } catch (error) {
      throw translated(this.database, error);
    }
  }
  async first<R>(query: RawBuilder<R>): Promise<R | undefined> {
    return (await this.all(query))[0];
  }
}

const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

/** The way to what belongs to no organization or is looked through for all of them; behind the walls it finds nothing. */
export const everywhere = (database: Database): OrgDb => new OrgDb(database, systemScope(NO_ORGANIZATION));

type Identified = { id: string; organizationId: string; version: number };

/** A transaction of one organization over entities. Statements see what was changed before them. */
export class OrgTx implements Runner {
  readonly db: OrgDb;
  readonly #em: EntityManager;
  /** What is announced with the commit, in its order. */
  readonly envelopes: Envelope[] = [];
  readonly locked: LockedRows | undefined;
  #ifMatch: number | undefined;

  constructor(db: OrgDb, em: EntityManager) {
    this.db = db;
    this.#em = em;
    this.#ifMatch = db.request.ifMatch;
    this.locked = db.database.hides && lockedRows(em, db.database.hides);
  }
  get scope(): Scope {
    return this.db.scope;
  }
  get organizationId(): string {
    return this.db.organizationId;
  }
  get requestId(): string | null {
    return this.db.requestId;
  }
  async all<R>(query: RawBuilder<R>): Promise<R[]> {
    await this.#em.flush();
    const { text, values } = compile(query);
    const result = await this.#em.getKysely().executeQuery({ sql: text, parameters: values, query: query.toOperationNode() } as never);
    return result.rows as R[];
  }
  async first<R>(query: RawBuilder<R>): Promise<R | undefined> {
    return (await this.all(query))[0];
  }
  find<E extends object>(entity: EntityClass<E>, where: FilterQuery<E>, options: FindOneOptions<E> & { limit?: number } = {}): Promise<E[]> {
    return this.#em.find(entity, where as never, options as never) as Promise<E[]>;
  }
  findOne<E extends object>(entity: EntityClass<E>, where: FilterQuery<E>, options: FindOneOptions<E> = {}): Promise<E | null> {
    return this.#em.findOne(entity, where as never, options as never) as Promise<E | null>;
  }
  /** The row to change, locked until the commit: 404 when the organization has none, 412 when `If-Match` names another version. */
  async change<E extends Identified>(entity: EntityClass<E>, id: string, what: string, where: FilterQuery<E> = {}): Promise<E> {
    const row = await this.#em.findOne(entity, { ...(where as object), id } as never, { lockMode: LockMode.PESSIMISTIC_WRITE } as never);
    if (!row) throw notFound(what);
    const expected = this.#ifMatch;
    this.#ifMatch = undefined;
    if (expected !== undefined && expected !== (row as Identified).version) {
      throw unmet(`The ${what.toLowerCase()} has changed since you read it. Read it again and repeat the change.`, "version_conflict");
    }
    this.locked?.remember(entity, [row as Identified]);
    return row as E;
  }
  /** Several rows locked in the order of their ids, so that two who want the same ones cannot block each other for ever. */
  async lockAll<E extends Identified>(entity: EntityClass<E>, ids: readonly string[]): Promise<E[]> {
    const rows = await this.#em.find(entity, { id: { $in: [...ids] } } as never, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } } as never);
    this.locked?.remember(entity, rows as Identified[]);
    return rows as E[];
  }
  create<E extends object>(entity: EntityClass<E>, data: Omit<RequiredEntityData<E>, "organizationId">): E {
    const row = this.#em.create(entity, { ...data, organizationId: this.organizationId } as unknown as RequiredEntityData<E>);
    this.#em.persist(row);
    return row;
  }
  assign<E extends object>(row: E, data: EntityData<E>): E {
    return this.#em.assign(row, data as never) as E;
  }
  remove(row: object): void {
    this.#em.remove(row);
  }
  flush(): Promise<void> {
    return this.#em.flush();
  }
}

const DEADLOCK = "40P01";
const UNIQUE = "23505";
const LOCK_TIMEOUT = "55P03";
const databaseGone = new Set(["57P01", "57P02", "57P03", "08006", "08001", "08003", "53300", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);

interface DatabaseError {
  code?: string;
  constraint?: string;
  message?: string;
}

function databaseError(error: unknown): DatabaseError {
  let found = error as DatabaseError & { cause?: unknown; previous?: unknown };
  while (!found.constraint && (found.cause || found.previous)) found = (found.cause ?? found.previous) as typeof found;
  return found;
}

/** What the caller should read of a database failure: the constraint's own sentence, or that it is worth trying again. */
export function translated(database: Database, error: unknown): unknown {
  const { code, constraint, message } = databaseError(error);
  const known = constraint ? database.constraints[constraint] : undefined;
  if (known) return Object.assign(known(), { cause: error });
  if (code === LOCK_TIMEOUT || (code && databaseGone.has(code)) || /^(Connection terminated|Client has encountered a connection error)/.test(message ?? ""))
    return unavailable(error);
  return error;
}

export const isUniqueViolation = (error: unknown, constraint: string): boolean => {
  const found = databaseError(error);
  return found.code === UNIQUE && found.constraint === constraint;
};

/** What a request writes: by itself, or as one of many that are written alike. */
export interface Unit<T = unknown> {
  db: OrgDb;
  work: (tx: OrgTx) => Promise<T>;
  /** What it has in common with others in the same commit: they are written by this, all at once. */
  alike?: Alike | undefined;
}

/**
 * Runs a unit of work: all of it commits or nothing does. A deadlock is tried again, so the work must only touch the
 * database. In an idempotent operation what the work returns is the operation's answer and is kept with its key.
 */
export const transaction = <T>(db: OrgDb, work: Unit<T>["work"]): Promise<T> => joining({ db, work });

/** The same for a unit of work that can be done for many at once, which it is where they share a commit. */
export const transactionOfMany = <A, T>(db: OrgDb, write: Writing<A, T>, terms: A): Promise<T> =>
  joining({ db, work: async (tx) => (await write(tx, [terms]))[0]!, alike: { write: write as Alike["write"], terms } });

async function joining<T>(unit: Unit<T>): Promise<T> {
  const { part } = unit.db.request;
  const answer = part ? await part.join(unit) : (await commit([unit]))[0];
  if (answer instanceof Replay) throw answer;
  return answer as T;
}

/** Runs units of work of one person one after the other and commits all of them or none. Answers what each returned, or what its key was answered before. */
export async function commit(units: readonly Unit[]): Promise<unknown[]> {
  const { database } = units[0]!.db;
  for (let attempt = 1; ; attempt++) {
    try {
      const { answers, announced } = await attemptCommit(units);
      if (announced) database.nudge();
      return answers;
    } catch (error) {
      if (databaseError(error).code !== DEADLOCK || attempt === 3) throw translated(database, error);
      await sleep(10 * attempt);
    }
  }
}

function attemptCommit(units: readonly Unit[]): Promise<{ answers: unknown[]; announced: boolean }> {
  const { db } = units[0]!;
  const em = db.database.orm.em.fork({ session: { variables: { "app.organization_id": db.organizationId } } });
  em.setFilterParams("organization", { organizationId: db.organizationId });
  return em.transactional(async (shared) => {
    const whole = new OrgTx(db, shared as EntityManager);
    const [answers, envelopes]: [unknown[], Envelope[]] = [[], []];
    const claimOf = (unit: Unit) => unit.db.request.idempotency;
    const claims = units.flatMap((unit) => claimOf(unit) ?? []);
    const keys = await claim(whole, claims);
    for (const run of runsOf(units)) {
      // Entities of its own: what one unit of work has read is as old as that.
      const own = shared.fork({ keepTransactionContext: true }) as EntityManager;
      const tx = new OrgTx(run[0].db, own);
      const work = async (places: readonly number[]) => {
        const done =
          places.length > 1
            ? await run[0].alike!.write(
                tx,
                places.map((place) => run[place]!.alike!.terms),
              )
            : [await run[places[0]!]!.work(tx)];
        await own.flush();
        envelopes.push(...tellingChanges(tx.envelopes, tx.locked));
        return done;
      };
      answers.push(...(await keys.once(run.map(claimOf), work)));
    }
    if (envelopes.length > 0) await whole.all(eventsInsert(whole, envelopes));
    await keys.complete();
    return { answers, announced: envelopes.length > 0 };
  });
}

/** Statements of one transaction that travel together: each `send` is one round trip, however many statements it holds. */
export class Pipeline implements Runner {
  readonly scope: Scope;
  readonly requestId: string | null;
  announced = false;
  readonly #client: pg.PoolClient;
  #begun = false;
  #committed = false;

  constructor(db: OrgDb, client: pg.PoolClient) {
    this.scope = db.scope;
    this.requestId = db.requestId;
    this.#client = client;
  }
  get organizationId(): string {
    return this.scope.organizationId;
  }
  get isCommitted(): boolean {
    return this.#committed;
  }
  async all<R>(query: RawBuilder<R>): Promise<R[]> {
    return (await this.send(query))[0]!;
  }
  async first<R>(query: RawBuilder<R>): Promise<R | undefined> {
    return (await this.all(query))[0];
  }
  /** The rows of each statement, in one round trip. */
  send<const Q extends readonly RawBuilder<unknown>[]>(...queries: Q): Promise<{ [I in keyof Q]: Q[I] extends RawBuilder<infer R> ? R[] : never }> {
    return this.#together(queries, []) as never;
  }
  /**
   * The last writes and the commit, in one round trip: what they lock is held for no network time. The writes run as one
   * statement, so each is a plain insert, update or delete and none sees what another one did.
   */
  async finish(...writes: readonly RawBuilder<unknown>[]): Promise<void> {
    const parts = writes.map((write, index) => sql`${sql.ref(`w${index}`)} as (${write})`);
    await this.#together([sql`with ${sql.join(parts)} select`], [{ text: "commit", values: [] }]);
    this.#committed = true;
  }
  async #together(queries: readonly RawBuilder<unknown>[], last: { text: string; values: unknown[] }[]): Promise<unknown[][]> {
    const stream = (this.#client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection.stream;
    stream.cork();
    const first = this.#begun
      ? []
      : [
          { text: "begin", values: [] },
          { text: "select set_config('app.organization_id', $1, true)", values: [this.organizationId] },
        ];
    this.#begun = true;
    const sent = [...first, ...queries.map(compile), ...last].map((query) => send(this.#client, query));
    stream.uncork();
    const settled = await Promise.allSettled(sent);
    const failed = settled.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    return settled.slice(first.length, first.length + queries.length).map((one) => (one as PromiseFulfilledResult<unknown[]>).value);
  }
  async rollback(): Promise<void> {
    if (this.#begun && !this.#committed) await send(this.#client, { text: "rollback", values: [] }).catch(() => undefined);
  }
}

/** Runs a hot write as a pipeline; the work ends with `finish`, and without it nothing is kept. Deadlocks are tried again. */
export async function pipeline<T>(db: OrgDb, work: (tx: Pipeline) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await db.database.pool.connect();
    const tx = new Pipeline(db, client);
    let broken: Error | undefined;
    try {
      const result = await work(tx);
      if (!tx.isCommitted) await tx.rollback();
      if (tx.announced && tx.isCommitted) db.database.nudge();
      return result;
    } catch (error) {
      await tx.rollback();
      if (databaseError(error).code === DEADLOCK && attempt < 3) continue;
      if (databaseGone.has(databaseError(error).code ?? "")) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
