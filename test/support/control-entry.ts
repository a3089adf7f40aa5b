/** Journal entries on control accounts, which the API accepts from the operations of other documents only. */
import { newId } from "@freehold/kit/db/entity";
import pg from "pg";
import type { Office } from "./office.ts";
import { running } from "./running.ts";

interface ControlEntry {
  debit: string;
  credit: string;
  amountCents: number;
  /** Day of the entry, `YYYY-MM-DD`. */
  date: string;
  propertyId?: string;
  ownerId?: string;
}

/** Posts an entry on control accounts in the ledger's database and returns its id. Debit and credit are account codes. */
export async function postControlEntry({ organizationId }: Office, { debit, credit, amountCents, date, propertyId, ownerId }: ControlEntry): Promise<string> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    const id = newId();
    await client.query("begin");
    await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    await client.query(
      `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
        values ($1, $2, now(), now(), 'Control entry', $3::date + interval '15 hours', $3, 'posted', 'manual', $4, $4)`,
      [organizationId, id, date, amountCents],
    );
    await client.query(
      `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, owner_id)
        select $1, gen_random_uuid(), $2, c.id, c.id, $3, line.debit_cents, line.credit_cents, $7, $8
        from (values ($4, $6::bigint, 0), ($5, 0, $6::bigint)) as line (code, debit_cents, credit_cents)
          join category c on c.organization_id = $1 and c.code = line.code`,
      [organizationId, id, date, debit, credit, amountCents, propertyId ?? null, ownerId ?? null],
    );
    await client.query("commit");
    return id;
  } finally {
    await client.end();
  }
}
