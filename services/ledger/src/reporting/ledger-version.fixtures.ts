/** Postings in progress for the tests of ledger versions. */
import { newId } from "@freehold/kit/db/entity";
import pg from "pg";
import type { Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";

interface HeldPosting {
  entryId: string;
  commit(): Promise<void>;
}

/** Opens a connection and begins a transaction in the organization's row-level security scope. */
async function beginTransaction({ organizationId }: Office): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  await client.query("begin");
  await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
  return client;
}

/** Posts an entry in a transaction that stays open until `commit`. */
export async function holdPosting(office: Office, { date, amountCents }: { date: string; amountCents: number }): Promise<HeldPosting> {
  const client = await beginTransaction(office);
  const entryId = newId();
  await client.query(
    `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
      values ($1, $2, now(), now(), 'Held posting', $3::date + interval '15 hours', $3, 'posted', 'manual', $4, $4)`,
    [office.organizationId, entryId, date, amountCents],
  );
  await client.query(
    `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents)
      select $1, gen_random_uuid(), $2, c.id, c.id, $3, line.debit_cents, line.credit_cents
      from (values ('1000', $4::bigint, 0), ('4090', 0, $4::bigint)) as line (code, debit_cents, credit_cents)
        join category c on c.organization_id = $1 and c.code = line.code`,
    [office.organizationId, entryId, date, amountCents],
  );
  return {
    entryId,
    commit: async () => {
      await client.query("commit");
      await client.end();
    },
  };
}

/** Counts the lines of an entry whose transaction id is below the high-water mark of a version's snapshot. */
export async function countLinesBelowHighWaterMark(office: Office, version: number, entryId: string): Promise<number> {
  const client = await beginTransaction(office);
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from journal_line l join ledger_version v on v.organization_id = l.organization_id and v.number = $2
      where l.organization_id = $1 and l.entry_id = $3 and l.transaction_id < pg_snapshot_xmax(v.snapshot)`,
    [office.organizationId, version, entryId],
  );
  await client.end();
  return rows[0]!.count;
}
