/** Statements on a connection of a service. */
import { afterAll, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { database as portfolio } from "../services/portfolio/src/database.ts";
import { running } from "./support/running.ts";

const database = await openDatabase(portfolio, running().databaseUrls.portfolio.service, 1);
afterAll(() => database.close());
const db = new OrgDb(database, systemPrincipal(newId()));

test("a statement that was refused when it was first parsed works on the same connection once its table is found", async () => {
  const countUnits = () => db.all(sql<{ count: number }>`select count(*) as count, 'refused once' as note from unit`);
  await database.pool.query("set search_path to pg_catalog");
  await expect(countUnits()).rejects.toThrow('relation "unit" does not exist');
  await database.pool.query("set search_path to public");
  expect(await countUnits()).toEqual([{ count: 0, note: "refused once" }]);
});
