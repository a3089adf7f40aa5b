/** Transactions over the entities of one organization. */
import type { Envelope } from "@freehold/contract/events";
import { LockMode, type EntityClass, type EntityData, type FilterQuery, type FindOneOptions, type RequiredEntityData } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Principal } from "../auth/principal.ts";
import { notFound, preconditionFailed } from "../errors.ts";
import { insertRows } from "./batches/insert-rows.ts";
import { createChangeTracker, type ChangeTracker } from "./change-tracking.ts";
import { newId } from "./entity.ts";
import type { OrgDb, StatementRunner } from "./org-db.ts";
import { compile, type RawBuilder } from "./statement.ts";

type Identified = { id: string; organizationId: string; version: number };

/** Transaction over the entities of one organization. SQL statements see the entity changes made before them. */
export class OrgTx implements StatementRunner {
  readonly db: OrgDb;
  readonly #em: EntityManager;
  /** Events that commit with the transaction, in the order of publication. */
  readonly events: Envelope[] = [];
  /** Sentences for the response about what the transaction does although it should not be done. */
  readonly warnings: string[] = [];
  /** Set when the transaction has requested a job. */
  hasJobRequests = false;
  readonly changeTracker: ChangeTracker | undefined;
  #ifMatch: readonly number[] | undefined;

  constructor(db: OrgDb, em: EntityManager) {
    this.db = db;
    this.#em = em;
    this.#ifMatch = db.request.ifMatch;
    this.changeTracker = db.database.redactedColumns && createChangeTracker(em, db.database.redactedColumns);
  }
  get principal(): Principal {
    return this.db.principal;
  }
  get organizationId(): string {
    return this.db.organizationId;
  }
  get requestId(): string | null {
    return this.db.requestId;
  }
  get clientAddress(): string | undefined {
    return this.db.clientAddress;
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
  /**
   * Locks one row until the commit. Throws 404 when the organization has no such row. The first row that a transaction locks
   * with this method is the one that `If-Match` refers to: throws 412 when it has none of its versions.
   */
  async getForUpdate<E extends Identified>(entity: EntityClass<E>, id: string, resource: string, where: FilterQuery<E> = {}): Promise<E> {
    const row = await this.#em.findOne(entity, { ...(where as object), id } as never, { lockMode: LockMode.PESSIMISTIC_WRITE } as never);
    if (!row) throw notFound(resource);
    const expectedVersions = this.#ifMatch;
    this.#ifMatch = undefined;
    if (expectedVersions && !expectedVersions.includes((row as Identified).version)) {
      throw preconditionFailed(`The ${resource.toLowerCase()} has changed since you read it. Read it again and repeat the change.`, "version_conflict");
    }
    this.changeTracker?.track(entity, [row as Identified]);
    return row as E;
  }
  /** Locks the existing rows of the ids until the commit, in the order of ids, so that two transactions that lock only these rows cannot deadlock. */
  async findAllForUpdate<E extends Identified>(entity: EntityClass<E>, ids: readonly string[]): Promise<E[]> {
    if (ids.length === 0) return [];
    const rows = await this.#em.find(entity, { id: { $in: [...ids] } } as never, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } } as never);
    this.changeTracker?.track(entity, rows as Identified[]);
    return rows as E[];
  }
  /** Locks those rows of the ids that no other transaction has locked, without waiting, and returns them in the order of ids. */
  async findAvailableForUpdate<E extends Identified>(entity: EntityClass<E>, ids: readonly string[]): Promise<E[]> {
    if (ids.length === 0) return [];
    const options = { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE, orderBy: { id: "asc" } };
    const rows = await this.#em.find(entity, { id: { $in: [...ids] } } as never, options as never);
    this.changeTracker?.track(entity, rows as Identified[]);
    return rows as E[];
  }
  create<E extends object>(entity: EntityClass<E>, data: Omit<RequiredEntityData<E>, "organizationId">): E {
    const row = this.#em.create(entity, { ...data, organizationId: this.organizationId } as unknown as RequiredEntityData<E>);
    this.#em.persist(row);
    return row;
  }
  /** Inserts rows of an entity in one statement and returns them with their ids. They are not entities of the transaction: later changes of them are not written. */
  async insertAll<E extends Identified, T extends Omit<RequiredEntityData<E>, "organizationId">>(
    entity: EntityClass<E>,
    rows: readonly T[],
  ): Promise<(T & { id: string })[]> {
    const inserted = rows.map((row) => ({ id: newId(), ...row }));
    if (rows.length > 0) await this.all(insertRows(this.#em.getMetadata().get(entity), this.organizationId, inserted));
    return inserted;
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
