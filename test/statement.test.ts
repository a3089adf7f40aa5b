/** Statements and lists on the connections of a service. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { listPage } from "@freehold/kit/db/list";
import { OrgDb, type RequestContext } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import pg from "pg";
import { database as portfolio } from "../services/portfolio/src/database.ts";
import { running } from "./support/running.ts";
import { startProxy } from "./systems/faults/proxy.ts";

const database = await openDatabase(portfolio, running().databaseUrls.portfolio.service, 1);
afterAll(() => database.close());
const db = new OrgDb(database, systemPrincipal(newId()));

test("a statement whose first parse failed because its table was not found succeeds later on the same connection", async () => {
  const countUnits = () => db.all(sql<{ count: number }>`select count(*) as count, 'refused once' as note from unit`);
  await database.pool.query("set search_path to pg_catalog");
  await expect(countUnits()).rejects.toThrow('relation "unit" does not exist');
  await database.pool.query("set search_path to public");
  expect(await countUnits()).toEqual([{ count: 0, note: "refused once" }]);
});

describe("a list", () => {
  const unreachablePool = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
  const listVendors = (pool: pg.Pool, waiter?: RequestContext["waiter"]) =>
    listPage(
      new OrgDb({ ...database, pool }, db.principal, { requestId: null, waiter }),
      { page: 1, pageSize: 20, sortBy: "name", sortDirection: "asc" },
      { select: sql`v.id`, from: sql`vendor v`, where: [sql`v.organization_id = ${db.organizationId}`], sorts: { name: sql`v.name` }, table: "v" },
    );

  test("fails with 503 and Retry-After while the database is unavailable", async () => {
    expect((await listVendors(database.pool)).rows).toEqual([]);
    await expect(listVendors(unreachablePool)).rejects.toMatchObject({ status: 503, headers: { "Retry-After": expect.any(String) as unknown } });
  });

  test("is not read for a caller that has disconnected", async () => {
    await expect(listVendors(database.pool, { hasLeft: () => true })).rejects.toMatchObject({ status: 499 });
  });
});

describe("a write that waits for a connection", () => {
  /** Runs the work while a transaction has the only connection for writes. */
  async function whileConnectionIsTaken(work: (free: () => void) => Promise<unknown>): Promise<void> {
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    const { promise: isTaken, resolve: onTaken } = Promise.withResolvers<void>();
    const holding = transaction(db, () => (onTaken(), isFree));
    await isTaken;
    await work(free).finally(free);
    await holding;
  }

  test("is refused with 503 and Retry-After when no connection becomes free", () =>
    whileConnectionIsTaken(() =>
      expect(transaction(db, () => Promise.resolve())).rejects.toMatchObject({ status: 503, headers: { "Retry-After": expect.any(String) as unknown } }),
    ));

  test("is not executed for a caller that has disconnected meanwhile", async () => {
    let [hasLeft, isExecuted] = [false, false];
    const caller = new OrgDb(database, db.principal, { requestId: null, waiter: { hasLeft: () => hasLeft } });
    await whileConnectionIsTaken((free) => {
      const abandoned = expect(transaction(caller, () => Promise.resolve((isExecuted = true)))).rejects.toMatchObject({ status: 499 });
      hasLeft = true;
      free();
      return abandoned;
    });
    expect(isExecuted).toBe(false);
  });
});

test("reads and writes fail with 503 when PostgreSQL vanishes without closing its connections, and later ones use new connections", async () => {
  const url = new URL(running().databaseUrls.portfolio.service);
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const own = await openDatabase(portfolio, url.href, 1);
  try {
    const ownDb = new OrgDb(own, db.principal);
    const read = () => ownDb.all(sql`select 1 as one`);
    const write = () => transaction(ownDb, (tx) => tx.all(sql`select 1 as one`));
    await Promise.all([read(), write()]);
    await proxy.setMode("blackHole");
    const vanished = { status: 503, headers: { "Retry-After": expect.any(String) as unknown } };
    await Promise.all([read, write].map((work) => expect(work()).rejects.toMatchObject(vanished)));
    await proxy.setMode("pass");
    expect(await Promise.all([read(), write()])).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  } finally {
    await own.close();
    await proxy.close();
  }
}, 60_000);
