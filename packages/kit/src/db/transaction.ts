/** Transactions over entities: retried after a conflict with another one, idempotent per key, with their events in the outbox. */
import type { Envelope } from "@freehold/contract/events";
import type { EntityManager } from "@mikro-orm/postgresql";
import { setTimeout as sleep } from "node:timers/promises";
import { groupAdjacentBatches, type BatchWrite, type BatchWriter } from "./batches/batch-write.ts";
import { attachChanges } from "./change-tracking.ts";
import { isTransactionConflict, translateDatabaseError } from "./database-error.ts";
import { claimKeys, IdempotentReplay } from "./idempotency.ts";
import type { IdempotencyClaim, OrgDb } from "./org-db.ts";
import { OrgTx } from "./org-tx.ts";
import { insertIntoOutbox } from "./outbox.ts";

const MAX_ATTEMPTS = 3;

/** The writes of one request. */
export interface WriteUnit<T = unknown> {
  db: OrgDb;
  work: (tx: OrgTx) => Promise<T>;
  /** Set when the same writes of several requests can run as one batch. */
  batch?: BatchWrite | undefined;
}

/**
 * Runs the work in one transaction: either all of it commits or none. A deadlock or a serialization failure is retried, so the work must have no
 * effect outside the database. In an idempotent operation the result is the operation's response and is stored with the key.
 */
export const transaction = <T>(db: OrgDb, work: WriteUnit<T>["work"]): Promise<T> => commitOrJoin({ db, work });

/** Runs a batch write in a transaction; requests of a group commit that use the same writer run as one batch. */
export const batchTransaction = <Input, Result>(db: OrgDb, write: BatchWriter<Input, Result>, input: Input): Promise<Result> =>
  commitOrJoin({ db, work: async (tx) => (await write(tx, [input]))[0]!, batch: { write: write as BatchWrite["write"], input } });

async function commitOrJoin<T>(unit: WriteUnit<T>): Promise<T> {
  const { commitParticipant } = unit.db.request;
  const result = commitParticipant ? await commitParticipant.join(unit) : (await commitUnits([unit]))[0];
  if (result instanceof IdempotentReplay) throw result;
  return result as T;
}

/**
 * Runs the writes of one user in order and commits all of them or none. Returns each result, or the stored response where
 * the idempotency key was used before.
 */
export async function commitUnits(units: readonly WriteUnit[]): Promise<unknown[]> {
  const { database } = units[0]!.db;
  for (const { db } of units) requireUnusedKey(db);
  for (let attempt = 1; ; attempt++) {
    for (const { db } of units) db.requireWaiter();
    try {
      const { results, hasEvents, hasJobRequests } = await attemptCommit(units);
      for (const {
        db: { request },
      } of units) {
        request.waiter?.onCommit?.();
        if (request.idempotency) committedKeys.add(request.idempotency);
      }
      if (hasEvents) database.wakeRelay();
      if (hasJobRequests) database.wakeScheduler();
      return results;
    } catch (error) {
      if (!isTransactionConflict(error) || attempt === MAX_ATTEMPTS) throw translateDatabaseError(error, database.constraints);
      await sleep(10 * attempt);
    }
  }
}

/** Requests whose transaction with an idempotency key has committed. */
const committedKeys = new WeakSet<IdempotencyClaim>();

/**
 * Throws in development when a request with an idempotency key begins a second transaction: the key's response was stored with the
 * first one, so a repetition of the request would skip the second.
 */
function requireUnusedKey({ request: { idempotency } }: OrgDb): void {
  if (process.env["NODE_ENV"] !== "production" && idempotency && committedKeys.has(idempotency))
    throw new Error(`${idempotency.operation} has a second transaction under its idempotency key. Write everything in one.`);
}

interface Committed {
  results: unknown[];
  hasEvents: boolean;
  hasJobRequests: boolean;
}

function attemptCommit(units: readonly WriteUnit[]): Promise<Committed> {
  const { db } = units[0]!;
  const em = db.database.orm.em.fork({ session: { variables: { "app.organization_id": db.organizationId, "app.portal_user": db.portalUser } } });
  em.setFilterParams("organization", { organizationId: db.organizationId });
  return em.transactional(async (shared) => {
    // A caller may have left while the transaction waited for its connection.
    for (const unit of units) unit.db.requireWaiter();
    const outerTx = new OrgTx(db, shared as EntityManager);
    const [results, events]: [unknown[], Envelope[]] = [[], []];
    let hasJobRequests = false;
    const claimOf = (unit: WriteUnit) => unit.db.request.idempotency;
    const keys = await claimKeys(
      outerTx,
      units.flatMap((unit) => claimOf(unit) ?? []),
    );
    for (const batch of groupAdjacentBatches(units)) {
      // Each batch has its own identity map: entities read by an earlier one would be stale.
      const own = shared.fork({ keepTransactionContext: true }) as EntityManager;
      const tx = new OrgTx(batch[0].db, own);
      const run = async (indexes: readonly number[]) => {
        const inputs = () => indexes.map((index) => batch[index]!.batch!.input);
        const written = indexes.length > 1 ? await batch[0].batch!.write(tx, inputs()) : [await batch[indexes[0]!]!.work(tx)];
        await own.flush();
        events.push(...attachChanges(tx.events, tx.changeTracker));
        hasJobRequests ||= tx.hasJobRequests;
        return written;
      };
      results.push(...(await keys.runOnce(batch.map(claimOf), run)));
    }
    if (events.length > 0) await outerTx.all(insertIntoOutbox(outerTx, events));
    await keys.storeResponses();
    return { results, hasEvents: events.length > 0, hasJobRequests };
  });
}
