/** A ledger as it is after the restore of a dump: its rows have transaction ids of the cluster that was dumped. */
import { migrate } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { compile, sql } from "@freehold/kit/db/statement";
import { randomInt, randomUUID } from "node:crypto";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";
import { database } from "../database.ts";
import { isInVersion } from "./ledger-version.ts";

/** Number of transaction ids by which the dumped cluster was ahead of this one. */
const AHEAD = 1_000_000;

/** Creates a database with one entry and version 1 of the dumped cluster. */
export async function restoreLedger() {
  const { adminUrl, databaseUrls } = running();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const name = `restored_${randomInt(2 ** 40)}`;
  await admin.query(`create database ${name}`);
  const url = adminUrl.replace(/\/postgres$/, `/${name}`);
  await migrate(database, url, new URL(databaseUrls.ledger.service).username);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const organizationId = randomUUID();
  const accountId = randomUUID();
  await client.query(
    `insert into category (organization_id, id, created_at, updated_at, code, name, account_type, normal_balance, subtype, is_bank, is_trust_liability)
      values ($1, $2, now(), now(), '4000', 'Rent', 'income', 'credit', 'rent', false, false)`,
    [organizationId, accountId],
  );

  /** Posts an entry whose lines have the default transaction id, or a later one. */
  async function post(idsAhead?: number): Promise<string> {
    const entryId = newId();
    await client.query("begin");
    await client.query(
      `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
        values ($1, $2, now(), now(), 'Entry', now(), '2026-01-01', 'posted', 'manual', 5, 5)`,
      [organizationId, entryId],
    );
    const transactionId = idsAhead === undefined ? "" : `, (pg_current_xact_id()::text::bigint + ${idsAhead})::text::xid8`;
    await client.query(
      `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents${transactionId && ", transaction_id"})
        select $1, gen_random_uuid(), $2, $3, $3, '2026-01-01', debit, credit${transactionId} from (values (5, 0), (0, 5)) as line (debit, credit)`,
      [organizationId, entryId, accountId],
    );
    await client.query("commit");
    return entryId;
  }

  const record = (number: number, snapshot = "pg_current_snapshot()") =>
    client.query(`insert into ledger_version (organization_id, number, snapshot, created_at) values ($1, $2, ${snapshot}, now())`, [organizationId, number]);

  const dumpedEntryId = await post(AHEAD);
  const next = `(pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${AHEAD})`;
  await record(1, `format('%s:%s:', ${next}, ${next})::pg_snapshot`);

  return {
    dumpedEntryId,
    post: () => post(),
    record: (number: number) => record(number),
    /** Starts an era, as the first migration in another cluster does. */
    beginEra: () => client.query("select begin_transaction_era(1)"),
    entriesIn: async (version: number): Promise<string[]> => {
      const { text, values } = compile(sql`select distinct l.entry_id from journal_line l
        where l.organization_id = ${organizationId} and ${isInVersion({ organizationId } as OrgDb, version, "l")} order by 1`);
      return (await client.query<{ entry_id: string }>(text, values)).rows.map((row) => row.entry_id);
    },
    end: async () => {
      await client.end();
      await admin.query(`drop database ${name}`);
      await admin.end();
    },
  };
}
