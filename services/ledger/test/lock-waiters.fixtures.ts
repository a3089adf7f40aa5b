/** Rows that a test holds locked, so that requests meet in a known order, whatever the speed of the machine. */
import pg from "pg";
import type { Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { eventually } from "../../../test/support/eventually.ts";

/** Locked row of a table. */
export interface HeldRow {
  /** Waits until a number of transactions wait for the row, directly or behind another waiting transaction. */
  waitForWaiters(count: number): Promise<unknown>;
  /** Returns the process ids of the waiting transactions. */
  findWaiters(): Promise<number[]>;
  /** Breaks the database connections of the waiting transactions, as when their process is killed. Returns their number. */
  breakWaiters(): Promise<number>;
  /** Lets the waiting transactions continue, in the order in which they came. */
  release(): Promise<unknown>;
}

/** Returns the process ids of the transactions that wait for the one of a connection, directly or behind another waiting transaction. */
async function findWaitersOf(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(`with recursive waiting as (
      select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      union select behind.pid from waiting join pg_locks behind on not behind.granted and waiting.pid = any(pg_blocking_pids(behind.pid)))
    select pid from waiting`);
  return rows.map(({ pid }) => pid);
}

/**
 * Runs requests that publish events while no event can be inserted, so that each of them has made all its checks, or waits for another
 * one, before any commits. Returns their results after all of them could continue.
 */
export async function meetBeforeCommit<T extends readonly Promise<unknown>[] | []>(start: () => T): Promise<{ -readonly [Key in keyof T]: Awaited<T[Key]> }> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("begin; lock table outbox in exclusive mode");
    const started = start();
    await eventually(`${started.length} transactions before their commit`, async () => (await findWaitersOf(client)).length >= started.length);
    await client.query("commit");
    return await Promise.all(started);
  } finally {
    await client.end();
  }
}

/** Locks a row as the owner of the ledger's tables until the work ends or calls `release`. */
export async function withLockedRow<T>({ organizationId }: Office, table: string, id: string, work: (row: HeldRow) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    await client.query("begin");
    await client.query(`select from ${table} where id = $1 for update`, [id]);
    const findWaiters = () => findWaitersOf(client);
    const waitForWaiters = (count: number) =>
      eventually(`${count} transactions that wait for a row of ${table}`, async () => (await findWaiters()).length >= count);
    const breakWaiters = async (): Promise<number> => {
      const admin = new pg.Client({ connectionString: running().adminUrl });
      await admin.connect();
      try {
        const { rows: backends } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
        const { rowCount } = await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [
          backends[0]!.pid,
        ]);
        return rowCount!;
      } finally {
        await admin.end();
      }
    };
    return await work({ waitForWaiters, findWaiters, breakWaiters, release: () => client.query("commit") });
  } finally {
    await client.end();
  }
}
