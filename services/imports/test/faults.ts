/** Faults planted in the databases of the system under test. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../test/support/running.ts";

type Database = "imports" | "ledger" | "portfolio";

/** Raises an error in a database whenever a row of the table meets the condition, or delays the row by `delayMs`, until the work is done. */
export async function withFault<T>(
  database: Database,
  { table, event = "insert", when, errcode = "P0001", delayMs }: { table: string; event?: string; when: string; errcode?: string; delayMs?: number },
  work: (mend: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: running().databaseUrls[database].owner });
  await client.connect();
  const name = `fault_${randomUUID().replaceAll("-", "")}`;
  const action = delayMs === undefined ? `raise exception 'planted' using errcode = '${errcode}';` : `perform pg_sleep(${delayMs / 1_000}); return new;`;
  const mend = () => client.query(`drop schema if exists ${name} cascade`);
  await client.query(`create schema ${name}; create function ${name}.plant() returns trigger language plpgsql as $$ begin ${action} end $$;
    create trigger ${name} before ${event} on ${table} for each row when (${when}) execute function ${name}.plant()`);
  try {
    return await work(mend);
  } finally {
    await mend();
    await client.end();
  }
}
