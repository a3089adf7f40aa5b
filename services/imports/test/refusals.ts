/** Refusals planted in the databases of the services that own the records. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../test/support/running.ts";

interface Refusal {
  database: "ledger" | "portfolio";
  table: string;
  event?: "insert" | "update";
  organizationId: string;
  /** SQL condition on the row `new`. Default every row. */
  condition?: string;
}

/** Constraint of each service whose violation is a 409. */
const constraints = { ledger: "payment_reversed_once", portfolio: "invite_pending_once" };

/** Refuses, with a 409, each insert or update of a row of a table for an organization while the work runs. */
export async function whileRefused<T>({ database, table, event = "insert", organizationId, condition = "true" }: Refusal, work: () => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: running().databaseUrls[database].owner });
  await owner.connect();
  // In a schema of its own, because another test compares the functions of the public one with their files.
  const schema = `refusal_${randomUUID().replaceAll("-", "")}`;
  await owner.query(`create schema ${schema};
    create function ${schema}.refuse() returns trigger language plpgsql as $$ begin
      raise exception 'refused' using errcode = '23514', constraint = '${constraints[database]}'; end $$;
    create trigger ${schema} before ${event} on ${table} for each row when (new.organization_id = '${organizationId}' and ${condition}) execute function ${schema}.refuse()`);
  try {
    return await work();
  } finally {
    await owner.query(`drop schema ${schema} cascade`);
    await owner.end();
  }
}
