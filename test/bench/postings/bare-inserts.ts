/** Baseline of a posting run: the rows that it wrote, inserted into tables that have a primary key and nothing else. */
import pg from "pg";
import type { BenchSystem } from "../bench-system.ts";

const BATCH_SIZE = 100;
const tables = ["journal_entry", "journal_line", "charge", "outbox"] as const;

/** Selects the rows of each table that belong to the charges `$2` of the organization `$1`. */
const rowsOfCharges: Record<(typeof tables)[number], string> = {
  charge: "select * from charge where organization_id = $1 and id = any($2)",
  journal_entry:
    "select e.* from journal_entry e join charge c on c.organization_id = e.organization_id and c.entry_id = e.id where c.organization_id = $1 and c.id = any($2)",
  journal_line:
    "select l.* from journal_line l join charge c on c.organization_id = l.organization_id and c.entry_id = l.entry_id where c.organization_id = $1 and c.id = any($2)",
  outbox: "select * from outbox where organization_id = $1 and (envelope ->> 'entityId')::uuid = any($2)",
};

/** Creates the tables. `insertAgain` inserts the rows of charges again, a hundred charges in a transaction, and returns the seconds. */
export async function createBareInserts({ system }: BenchSystem, organizationId: string) {
  const client = new pg.Client({ connectionString: system.adminUrl!.replace(/\/postgres$/, "/ledger") });
  await client.connect();
  await client.query("create schema bare");
  for (const table of tables)
    await client.query(
      `create table bare.${table} (like public.${table}); alter table bare.${table} add primary key (${table === "outbox" ? "position" : "organization_id, id"})`,
    );
  const insert = (table: string, rows: string) =>
    client.query({ name: table, text: `insert into bare.${table} select * from json_populate_recordset(null::bare.${table}, $1)`, values: [rows] });
  const readRows = async (table: (typeof tables)[number], ids: readonly string[]): Promise<string> =>
    (await client.query<{ rows: string }>(`select json_agg(r)::text as rows from (${rowsOfCharges[table]}) r`, [organizationId, ids])).rows[0]!.rows;
  return {
    async insertAgain(chargeIds: readonly string[]): Promise<number> {
      await client.query(`truncate ${tables.map((table) => `bare.${table}`).join()}`);
      const batches: [table: string, rows: string][][] = [];
      for (let start = 0; start < chargeIds.length; start += BATCH_SIZE) {
        const batch: [table: string, rows: string][] = [];
        for (const table of tables) batch.push([table, await readRows(table, chargeIds.slice(start, start + BATCH_SIZE))]);
        batches.push(batch);
      }
      const started = performance.now();
      for (const batch of batches) {
        await client.query("begin");
        for (const [table, rows] of batch) await insert(table, rows);
        await client.query("commit");
      }
      return (performance.now() - started) / 1_000;
    },
    close: () => client.end(),
  };
}
