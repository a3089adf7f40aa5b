/** Retry queue and batches of event consumers. */
import { afterAll, describe, expect, test } from "@jest/globals";
import type { Envelope } from "@freehold/contract/events";
import { batchHandler } from "@freehold/kit/events/subscriptions";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { unavailable } from "@freehold/kit/errors";
import { createLogger } from "@freehold/kit/observability/log";
import { retryQueue } from "@freehold/kit/events/retry-queue";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { database as portfolio } from "../services/portfolio/src/database.ts";
import { running } from "./support/running.ts";

const database = await openDatabase(portfolio, running().databaseUrls.portfolio.service, 2);
afterAll(() => database.close());
const organizationId = newId();
const db = new OrgDb(database, systemPrincipal(organizationId));
const noAudience = { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] };
const anEvent = (entityId = newId()): Envelope => ({
  id: newId(),
  type: "unit.updated",
  organizationId,
  occurredAt: new Date().toISOString(),
  entityType: "unit",
  entityId,
  actorUserId: null,
  requestId: null,
  data: {},
  audience: noAudience,
});

describe("an event that could not be consumed", () => {
  const consumer = `test-${newId()}`;
  const queue = retryQueue(database, consumer, createLogger("test", "silent"));
  /** Enqueues an event and retries it up to six times, without the delays and always with the error. Returns its row. */
  async function failSixRetries(event: Envelope, error: () => Error) {
    await queue.enqueue(event, error());
    for (let retry = 0; retry < 6; retry++) {
      await db.all(sql`update parked_event set next_attempt_at = now() - interval '1 second' where consumer = ${consumer} and event_id = ${event.id}`);
      await queue.retryDue(() => Promise.reject(error()));
    }
    return db.first(sql`select attempts, dead_at is not null as is_dead, next_attempt_at - now() < interval '6 s' as is_soon
      from parked_event where consumer = ${consumer} and event_id = ${event.id}`);
  }

  test("becomes a dead letter after its first failure and five failed retries", async () => {
    expect(await failSixRetries(anEvent(), () => new Error("It cannot be read."))).toMatchObject({ attempts: 5, isDead: true });
  });

  test("is retried every few seconds without a limit while another service is unavailable", async () => {
    expect(await failSixRetries(anEvent(), () => unavailable())).toEqual({ attempts: 1, isDead: false, isSoon: true });
  });

  test("is retried before later events of its entity, concurrently with events of other entities", async () => {
    const [first, other] = [anEvent(), anEvent()];
    const second = anEvent(first.entityId);
    for (const event of [first, second, other]) await queue.enqueue(event, unavailable());
    const retryAll = async () => {
      await db.all(sql`update parked_event set next_attempt_at = now() - interval '1 second' where consumer = ${consumer} and dead_at is null`);
      const retried: string[] = [];
      await queue.retryDue(async ({ id }, position) => {
        retried.push(id);
        await db.all(sql`delete from parked_event where position = ${position}`);
      });
      return retried;
    };
    const before = await retryAll();
    expect([before.includes(first.id), before.includes(other.id), before.includes(second.id)]).toEqual([true, true, false]);
    expect(await retryAll()).toEqual([second.id]);
    expect(await queue.retryDue(() => Promise.reject(new Error("Nothing is due.")))).toBe(false);
  });
});

describe("batches of events", () => {
  test("collect events while the previous batch runs, and apply each event once", async () => {
    const batches: string[][] = [];
    const firstBatch = Promise.withResolvers<void>();
    const handler = batchHandler(async (_db, batch) => {
      if (batches.push(batch.map(({ id }) => id)) === 1) await firstBatch.promise;
    });
    const events = Array.from({ length: 5 }, () => anEvent());
    const once = () => Promise.reject(new Error("A batch does not use the inbox."));
    const done = events.map((event) => handler(db, event, once));
    await Promise.resolve();
    done.push(...[6, 7].map(() => handler(db, anEvent(), once)));
    firstBatch.resolve();
    await Promise.all(done);
    expect(batches.flat()).toHaveLength(7);
    expect(batches.length).toBeLessThan(4);
    expect(new Set(batches.flat()).size).toBe(7);
  });

  test("isolate a failing event: the other events of the batch are applied", async () => {
    const bad = anEvent();
    const applied: string[] = [];
    const handler = batchHandler((_db, batch) => {
      if (batch.includes(bad)) return Promise.reject(new Error("No."));
      applied.push(...batch.map(({ id }) => id));
      return Promise.resolve();
    });
    const good = [anEvent(), anEvent()];
    const results = await Promise.allSettled([good[0]!, bad, good[1]!].map((event) => handler(db, event, () => Promise.resolve())));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(applied.toSorted()).toEqual(good.map(({ id }) => id).toSorted());
  });
});
