/**
 * Database access of one organization. An `OrgDb` always carries its organization, so no statement runs without one.
 *
 * Reads are single scoped statements. Writes run in a `transaction` (entities and rules) or, on the few hot money paths,
 * in a `pipeline` (statements sent together). Both publish events that commit with them.
 */
import type { MikroORM } from "@mikro-orm/postgresql";
import type pg from "pg";
import { portalUserOf, systemPrincipal, type Principal } from "../auth/principal.ts";
import { abandoned, unavailable, type ApiError } from "../errors.ts";
import { fairTurns, type FairTurns } from "../fair-turns.ts";
import type { RedactedColumns } from "./change-tracking.ts";
import { translateDatabaseError } from "./database-error.ts";
import { compile, send, sendOnce, sendOnSnapshot, sql, type RawBuilder, type RowAccess } from "./statement.ts";

/** Snapshot of the database on which an export reads. */
export interface Snapshot {
  /** Connection with the open transaction. */
  connection: pg.ClientBase;
  /** Lists that are read by a cursor, by their names, with the totals of each. */
  lists: Map<string, { nextPage: number; totals: unknown }>;
  /** Results of calls to other services that all pages share, by name. */
  fetched: Map<string, Promise<unknown>>;
  /** False once the transaction has ended; no further read is sent. */
  isOpen: boolean;
}

export interface Database {
  orm: MikroORM;
  pool: pg.Pool;
  /** Turns of the organizations at the connections of the pool, for reads. */
  readTurns: FairTurns;
  /** Turns of the organizations at exports. */
  exportTurns: FairTurns;
  /** Snapshot on which all reads run, instead of on connections of the pool. */
  snapshot?: Snapshot | undefined;
  /** The refusal for each constraint that a request can violate, by the constraint's name. */
  constraints: Record<string, () => ApiError>;
  /** Columns whose values are hidden from recorded changes. Undefined when the service's events carry no changes. */
  redactedColumns?: RedactedColumns | undefined;
  /** Called after a commit that published events. */
  wakeRelay: () => void;
  /** Called after a commit that requested a job. */
  wakeScheduler: () => void;
}

/** Maximum wait of a read for its turn: longer than a statement may take, so that slow reads of others delay it and do not refuse it. */
const MAX_TURN_WAIT_MS = 9_000;

/** Creates the turns of reads. One organization has at most half of the connections, so its slow reads leave the others free. */
export function readTurns(connections: number): FairTurns {
  const perGroup = Math.ceil(connections / 2);
  return fairTurns({ total: connections, perGroup, perMember: perGroup, waiting: 10_000, waitMs: MAX_TURN_WAIT_MS });
}

/** Maximum wait of an export for its turn: longer than most lists take over a common line. */
const MAX_EXPORT_WAIT_MS = 60_000;

/** Creates the turns of exports: a quarter of the connections, of which the office of an organization has half, and its portal users together as many. */
export function exportTurns(connections: number): FairTurns {
  const total = Math.max(1, Math.floor(connections / 4));
  const perGroup = Math.ceil(total / 2);
  return fairTurns({ total, perGroup, perMember: perGroup, waiting: 1_000, waitMs: MAX_EXPORT_WAIT_MS });
}

/** Use of an idempotency key by one request. */
export interface IdempotencyClaim {
  key: string;
  /** User whose key it is, or the organization for a key that all its users share. */
  userId: string;
  /** Operation and path: the same key on another operation is another key. */
  operation: string;
  /** Digest of the request: of its validated body, or what the service that sends it names. */
  fingerprint: string;
  /** Stored permanently instead of for 24 hours. */
  isPermanent?: boolean;
}

/** One request of a group commit (see `group-commit.ts`). */
export interface CommitParticipant {
  /** Adds a write to the group's commit and resolves with its result after the commit. */
  join(unit: object): Promise<unknown>;
  /** Tells the group that the request has ended and will write no more. */
  leave(): void;
}

/** Party that waits for work: the caller of a request, or the scheduler of a job. Once it has left, no further statement or transaction starts. */
export interface Waiter {
  hasLeft(): boolean;
  /** Called after each commit of the work. */
  onCommit?(): void;
}

/** Properties of a request besides its content. */
export interface RequestContext {
  requestId: string | null;
  /** Network address of the caller. */
  clientAddress?: string | undefined;
  /** Versions from `If-Match`; the first row locked for an update must have one of them. */
  ifMatch?: readonly number[] | undefined;
  idempotency?: IdempotencyClaim | undefined;
  /** Party that waits for the work. Without one, the work is always done to its end. */
  waiter?: Waiter | undefined;
  /** Set when the request shares its commit with others. */
  commitParticipant?: CommitParticipant | undefined;
}

/** Runs SQL statements in the scope of one organization. */
export interface StatementRunner {
  readonly organizationId: string;
  readonly principal: Principal;
  readonly requestId: string | null;
  /** Network address of the caller, undefined for work without one. */
  readonly clientAddress: string | undefined;
  /** Runs a statement in the organization's scope and returns its rows. */
  all<R>(query: RawBuilder<R>): Promise<R[]>;
  /** Runs a statement in the organization's scope and returns its first row, if any. */
  first<R>(query: RawBuilder<R>): Promise<R | undefined>;
}

/** Runs the reads of one organization. `transaction` and `pipeline` take it to run the writes. */
export class OrgDb implements StatementRunner, RowAccess {
  readonly principal: Principal;
  readonly portalUser: string;
  readonly request: RequestContext;
  readonly database: Database;

  constructor(database: Database, principal: Principal, request: RequestContext = { requestId: null }, portalUser = portalUserOf(principal)) {
    this.database = database;
    this.portalUser = portalUser;
    this.principal = principal;
    this.request = request;
  }
  get organizationId(): string {
    return this.principal.organizationId;
  }
  get requestId(): string | null {
    return this.request.requestId;
  }
  get clientAddress(): string | undefined {
    return this.request.clientAddress;
  }
  /** Throws when the waiter has left. */
  requireWaiter(): void {
    if (this.request.waiter?.hasLeft()) throw abandoned();
  }
  /** Runs a read in a turn of the organization, or on the open snapshot. Throws 499 if the caller has left, and translates database errors. */
  async read<T>(start: () => Promise<T>): Promise<T> {
    const { snapshot, readTurns, constraints } = this.database;
    const startForWaiter = () => {
      this.requireWaiter();
      return start();
    };
    try {
      if (snapshot?.isOpen === false) throw unavailable(new Error("The snapshot of an export has ended."));
      return await (snapshot ? startForWaiter() : readTurns.run({ group: this.organizationId, member: this.organizationId }, startForWaiter));
    } catch (error) {
      throw translateDatabaseError(error, constraints);
    }
  }
  all<R>(query: RawBuilder<R>): Promise<R[]> {
    const { snapshot, pool } = this.database;
    return this.read(() => (snapshot ? send<R>(snapshot.connection, compile(query), this) : sendOnce(pool, query, this)));
  }
  async first<R>(query: RawBuilder<R>): Promise<R | undefined> {
    return (await this.all(query))[0];
  }
  /** Runs reads on one snapshot of the database, in one round trip, and returns the rows of each. */
  onSnapshot<const Q extends readonly RawBuilder<unknown>[]>(...queries: Q): Promise<{ [I in keyof Q]: Q[I] extends RawBuilder<infer R> ? R[] : never }> {
    const { snapshot, pool } = this.database;
    const sendAll = () =>
      snapshot ? Promise.all(queries.map((query) => send(snapshot.connection, compile(query), this))) : sendOnSnapshot(pool, queries, this);
    return this.read(sendAll) as never;
  }
}

/** Resets the settings: a null restores the value of the connection. */
const resetPlanSettings = sql`select set_config('plan_cache_mode', null, true), set_config('enable_seqscan', null, true),
  set_config('enable_nestloop', null, true), set_config('work_mem', null, true)`;
const customPlanSettings = (allowsNestedLoops: boolean) =>
  sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true),
    set_config('enable_nestloop', ${allowsNestedLoops ? "on" : "off"}, true), set_config('work_mem', '16MB', true)`;

/**
 * Runs a statement with a custom plan and more memory, and returns its rows. The generic plan, made for an organization of
 * average size, uses nested loops that are slow for thousands of properties. Planning costs about 20 ms each time, so statements
 * over the rows of one record use the generic plan. Without `allowsNestedLoops` joins are hashed or merged: PostgreSQL cannot estimate the
 * rows of a common table expression with window functions, and a nested loop over two large ones takes minutes.
 */
export async function allWithCustomPlan<R>(db: StatementRunner, query: RawBuilder<R>, { allowsNestedLoops = true } = {}): Promise<R[]> {
  const plan = customPlanSettings(allowsNestedLoops);
  if (db instanceof OrgDb && !db.database.snapshot) return (await db.onSnapshot(plan, query))[1];
  await db.all(plan);
  const rows = await db.all(query);
  await db.all(resetPlanSettings);
  return rows;
}

/** Organization id of statements and rows that belong to no organization. */
export const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

/** Returns an `OrgDb` for tables without row-level security. Through it, tables of organizations appear empty. */
export const unscopedDb = (database: Database): OrgDb => new OrgDb(database, systemPrincipal(NO_ORGANIZATION));
