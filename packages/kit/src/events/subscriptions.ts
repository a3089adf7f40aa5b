/** Event handlers of a service. */
import type { Envelope, EventData, EventType } from "@freehold/contract/events";
import type { OrgDb } from "../db/org-db.ts";
import type { OrgTx } from "../db/org-tx.ts";

export type EventOf<T extends EventType> = Omit<Envelope, "data" | "type"> & { type: T; data: EventData<T> };
/** Runs the effect in one transaction with the inbox row; a redelivered event has no second effect. */
export type Once = (effect: (tx: OrgTx) => Promise<void>) => Promise<void>;
/** The handler of each event type. It may call other services first and makes its changes inside `once`. */
export type Subscriptions = { [T in EventType]?: (db: OrgDb, event: EventOf<T>, once: Once) => Promise<void> };

/** A handler as the consumer calls it, without the types of its event. */
export type EventHandler = (db: OrgDb, event: Envelope, once: Once) => Promise<void>;

const batchHandlers = new WeakSet<EventHandler>();

/** Tells whether a handler deduplicates events itself, so that the consumer needs no inbox lookup and no order for it. */
export const isBatchHandler = (handler: EventHandler | undefined): boolean => handler !== undefined && batchHandlers.has(handler);

/**
 * Creates a handler for high-volume events that tolerates any order and redelivery. Events of an organization that arrive
 * while its last batch is in progress form the next batch. When a batch fails, its events are applied one by one, so that
 * one bad event does not hold back the others.
 */
export function batchHandler(applyAll: (db: OrgDb, events: readonly Envelope[]) => Promise<void>): EventHandler {
  interface Batch {
    events: Envelope[];
    done: Promise<void>;
  }
  const openBatches = new Map<string, Batch>();
  const lastBatch = new Map<string, Promise<void>>();

  function openBatch(db: OrgDb): Batch {
    const { organizationId } = db;
    const events: Envelope[] = [];
    const done = (lastBatch.get(organizationId) ?? Promise.resolve()).then(() => {
      openBatches.delete(organizationId);
      return applyAll(db, events);
    });
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (lastBatch.get(organizationId) === settled) lastBatch.delete(organizationId);
      });
    lastBatch.set(organizationId, settled);
    const batch = { events, done };
    openBatches.set(organizationId, batch);
    return batch;
  }

  const handler: EventHandler = async (db, event) => {
    const { events, done } = openBatches.get(db.organizationId) ?? openBatch(db);
    events.push(event);
    await done.catch((error: unknown) => {
      if (events.length === 1) throw error;
      return applyAll(db, [event]);
    });
  };
  batchHandlers.add(handler);
  return handler;
}
