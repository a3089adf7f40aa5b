/** What becomes of events that could not be consumed at once. */
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
const nobody = { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] };
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
  audience: nobody,
});

describe("an event that could not be consumed", () => {
  const consumer = `test-${newId()}`;
  const parked = retryQueue(database, consumer, createLogger("test", "silent"));
  /** Tries the parked event six times, each as soon as its wait is over, and answers how it stands. */
  async function tryOften(event: Envelope, error: () => Error) {
    await parked.enqueue(event, error());
    for (let tries = 0; tries < 6; tries++) {
      await db.all(sql`update parked_event set next_attempt_at = now() - interval '1 second' where consumer = ${consumer} and event_id = ${event.id}`);
      await parked.retryDue(() => Promise.reject(error()));
    }
    return db.first(sql`select attempts, dead_at is not null as is_dead, next_attempt_at - now() < interval '6 s' as is_soon
      from parked_event where consumer = ${consumer} and event_id = ${event.id}`);
  }

  test("is a dead letter when it has failed six times by itself", async () => {
    expect(await tryOften(anEvent(), () => new Error("It cannot be read."))).toMatchObject({ attempts: 5, isDead: true });
  });

  test("is none, and is tried every few seconds, however long a neighbour is away", async () => {
    expect(await tryOften(anEvent(), () => unavailable())).toEqual({ attempts: 1, isDead: false, isSoon: true });
  });

  test("is tried before what came after it about the same thing, and beside what is about others", async () => {
    const [first, other] = [anEvent(), anEvent()];
    const second = anEvent(first.entityId);
    for (const event of [first, second, other]) await parked.enqueue(event, unavailable());
    const due = async () => {
      await db.all(sql`update parked_event set next_attempt_at = now() - interval '1 second' where consumer = ${consumer} and dead_at is null`);
      const tried: string[] = [];
      await parked.retryDue(async ({ id }, position) => {
        tried.push(id);
        await db.all(sql`delete from parked_event where position = ${position}`);
      });
      return tried;
    };
    const before = await due();
    expect([before.includes(first.id), before.includes(other.id), before.includes(second.id)]).toEqual([true, true, false]);
    expect(await due()).toEqual([second.id]);
    expect(await parked.retryDue(() => Promise.reject(new Error("Nothing is due.")))).toBe(false);
  });
});

describe("events in lots", () => {
  test("gather while the one before is under way, and each is done once", async () => {
    const lots: string[][] = [];
    const free = Promise.withResolvers<void>();
    const handler = batchHandler(async (_db, lot) => {
      if (lots.push(lot.map(({ id }) => id)) === 1) await free.promise;
    });
    const events = Array.from({ length: 5 }, () => anEvent());
    const once = () => Promise.reject(new Error("Nothing is marked."));
    const done = events.map((event) => handler(db, event, once));
    await Promise.resolve();
    done.push(...[6, 7].map(() => handler(db, anEvent(), once)));
    free.resolve();
    await Promise.all(done);
    expect(lots.flat()).toHaveLength(7);
    expect(lots.length).toBeLessThan(4);
    expect(new Set(lots.flat()).size).toBe(7);
  });

  test("fail by themselves: what stands beside one that cannot be done is done", async () => {
    const bad = anEvent();
    const took: string[] = [];
    const handler = batchHandler((_db, lot) => {
      if (lot.includes(bad)) return Promise.reject(new Error("No."));
      took.push(...lot.map(({ id }) => id));
      return Promise.resolve();
    });
    const good = [anEvent(), anEvent()];
    const results = await Promise.allSettled([good[0]!, bad, good[1]!].map((event) => handler(db, event, () => Promise.resolve())));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(took.toSorted()).toEqual(good.map(({ id }) => id).toSorted());
  });
});
