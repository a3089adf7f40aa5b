/** WAL files of a PostgreSQL server of its own, which the launcher ends when they contain changes. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { switchWalAfterChanges } from "../../deploy/backup/wal-switch.ts";
import { freePorts } from "../../deploy/system/ports.ts";
import { preparePostgres } from "../../deploy/system/postgres.ts";
import { supervise, type SupervisedProcess } from "../../deploy/system/supervise.ts";
import { eventually } from "../support/eventually.ts";

const directory = mkdtempSync(join(tmpdir(), "freehold-wal-"));
let server: SupervisedProcess;
let url: string;
let client: pg.Client;

const connect = async (): Promise<pg.Client> => {
  const connected = new pg.Client({ connectionString: url });
  connected.on("error", () => undefined);
  await connected.connect();
  return connected;
};
const readFile = async () => (await client.query<{ file: string }>("select pg_walfile_name(pg_current_wal_insert_lsn()) as file")).rows[0]!.file;

beforeAll(async () => {
  const [port] = await freePorts(1);
  const postgres = await preparePostgres({ dir: join(directory, "postgres"), port: port!, fsync: "off" });
  url = postgres.url;
  server = supervise(postgres.child, join(directory, "postgres.log"), () => undefined);
  await postgres.ready();
  client = await connect();
});

afterAll(async () => {
  await client.end();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("a WAL file with a transaction is ended, also after the launcher's connection was lost, and one with checkpoints only is not", async () => {
  let [polls, isOver] = [0, false];
  const watching = switchWalAfterChanges(async () => {
    if (isOver) throw new Error("The test is over.");
    const watcher = await connect();
    const query = watcher.query.bind(watcher) as (text: string) => Promise<pg.QueryResult>;
    return Object.assign(watcher, { query: (text: string) => ((polls += 1), query(text)) });
  }, 20);
  const expectSwitchAfter = async (change: string) => {
    const before = await readFile();
    await client.query(change);
    await eventually("next WAL file", async () => (await readFile()) !== before);
  };
  await expectSwitchAfter("create table change ()");

  // Checkpoints alone do not switch the file, however often it polls.
  const after = await eventually("quiet WAL file", async () => {
    const [file, seen] = [await readFile(), polls];
    await eventually("ten polls", async () => polls > seen + 10);
    return (await readFile()) === file && file;
  });
  await client.query("checkpoint");
  const seen = polls;
  await eventually("ten polls", async () => polls > seen + 10);
  expect(await readFile()).toBe(after);

  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'");
  await expectSwitchAfter("drop table change");

  // A transaction that ends after one that began later.
  const early = await connect();
  await early.query("begin");
  await early.query("create table early ()");
  await expectSwitchAfter("create table later ()");
  const switched = await readFile();
  await early.query("commit");
  await eventually("next WAL file", async () => (await readFile()) !== switched);
  await early.end();
  isOver = true;
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'");
  await watching;
});
