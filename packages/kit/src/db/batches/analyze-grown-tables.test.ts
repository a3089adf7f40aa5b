import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate } from "../database.ts";
import pg from "pg";
import { running } from "../../../../../test/support/running.ts";
import { database } from "../../../../../services/imports/src/database.ts";

/** Database of this file alone, since its statistics are compared. */
const NAME = "grown_tables_test";
const { adminUrl, databaseUrls } = running();
const urlOf = (url: string) => Object.assign(new URL(url), { pathname: `/${NAME}` }).href;
const admin = new pg.Client({ connectionString: adminUrl });
const [owner, service] = (["owner", "service"] as const).map((role) => new pg.Client({ connectionString: urlOf(databaseUrls.imports[role]) })) as [
  pg.Client,
  pg.Client,
];

beforeAll(async () => {
  await admin.connect();
  const role = (url: string) => new URL(url).username;
  await admin.query(`create database ${NAME} owner ${role(databaseUrls.imports.owner)}`);
  await migrate(database, urlOf(databaseUrls.imports.owner), role(databaseUrls.imports.service));
  for (const client of [owner, service]) await client.connect();
  await owner.query("create table grown (id int) with (autovacuum_enabled = false)");
});
afterAll(async () => {
  for (const client of [owner, service]) await client.end();
  await admin.query(`drop database ${NAME}`);
  await admin.end();
});

/** Adds rows and returns how many rows the planner expects after the service has updated the statistics. */
async function expectedRowsAfter(added: number): Promise<number> {
  await owner.query("insert into grown select generate_series(1, $1::int)", [added]);
  await owner.query("select pg_stat_force_next_flush()");
  await owner.query("select");
  await service.query("select analyze_grown_tables()");
  const { rows } = await owner.query<{ rows: number }>("select reltuples::int as rows from pg_class where relname = 'grown'");
  return rows[0]!.rows;
}

test("the service updates the statistics of a table that has grown by half, and of no other", async () => {
  expect(await expectedRowsAfter(1_000)).toBe(1_000);
  expect(await expectedRowsAfter(400)).toBe(1_000);
  expect(await expectedRowsAfter(400)).toBe(1_800);
});

test("the statistics are those of a sample", async () => {
  await expectedRowsAfter(2_000);
  const { rows } = await owner.query<{ bounds: number }>("select array_length(histogram_bounds, 1) as bounds from pg_stats where tablename = 'grown'");
  expect(rows[0]!.bounds).toBe(11);
});
