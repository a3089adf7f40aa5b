/** Invariants of a whole system at rest, in SQL. Violations are returned as sentences. */
import pg from "pg";
import { services, type ServiceName } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";

/** Runs queries as the superuser, who bypasses row-level security. */
export async function asSuperuser<T>({ adminUrl }: System, database: ServiceName, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl!.replace(/\/postgres$/, `/${database}`) });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

type Invariants = Record<string, string>;

const ledgerInvariants: Invariants = {
  "each account's balance is the sum of its lines": `select account_id from
    (select organization_id, account_id, date_trunc('month', entry_date)::date as month, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1, 2, 3) computed
    full join (select organization_id, account_id, month, sum(debit_cents) as debit, sum(credit_cents) as credit from account_month group by 1, 2, 3) stored
      using (organization_id, account_id, month)
    where coalesce(computed.debit, 0) <> coalesce(stored.debit, 0) or coalesce(computed.credit, 0) <> coalesce(stored.credit, 0)`,
  "receivables equal the sum of the open charges": `select organization_id from
    (select line.organization_id, sum(line.debit_cents - line.credit_cents) as owed from journal_line line
      join category c on c.organization_id = line.organization_id and c.id = line.account_id where c.code = '1100' group by 1) r
    full join (select organization_id, sum(balance_cents) as open from charge group by 1) o using (organization_id)
    where coalesce(owed, 0) <> coalesce(open, 0)`,
  "the list totals match the lists": `select list from
    (select organization_id, 'charge' as list, count(*) as rows, sum(amount_cents) as cents from charge group by 1
      union all select organization_id, 'open_charge', count(*) filter (where balance_cents > 0), sum(balance_cents) from charge group by 1
      union all select organization_id, 'payment', count(*), sum(amount_cents) from payment group by 1
      union all select organization_id, 'journal_entry', count(*), sum(debit_total_cents) from journal_entry where status <> 'draft' group by 1) computed
    full join (select organization_id, list, sum(rows) as rows, sum(amount_cents) as cents from list_total group by 1, 2) stored using (organization_id, list)
    where (computed.rows, computed.cents) is distinct from (stored.rows, stored.cents)`,
  "the trial balance is zero": "select organization_id from journal_line group by 1 having sum(debit_cents - credit_cents) <> 0",
};

const listTotalInvariants: Invariants = Object.fromEntries(
  ["property", "unit", "owner", "tenant", "vendor", "lease"].map((list) => [
    `the list total of ${list} matches the list`,
    `select organization_id from (select organization_id, count(*) as rows from ${list} where deleted_at is null group by 1) computed
      full join (select organization_id, sum(rows) as rows from list_total where list = '${list}' group by 1) stored using (organization_id)
      where coalesce(computed.rows, 0) <> coalesce(stored.rows, 0)`,
  ]),
);

const commonInvariants: Invariants = {
  "every event is published": "select event_id from unpublished_event",
  "no event is in a retry queue": "select event_id from parked_event",
  "row-level security is enabled on every table with a policy, and forced on each of them except search_entry": `select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    and exists (select from pg_policy where polrelid = c.oid)
    and not (c.relrowsecurity and (c.relforcerowsecurity or c.relname = 'search_entry'))`,
  "no job is scheduled by a wrong clock": "select job from scheduled_work where next_run_at > now() + interval '26 hours'",
};

async function findViolations(client: pg.Client, database: ServiceName, invariants: Invariants): Promise<string[]> {
  const violations: string[] = [];
  for (const [invariant, statement] of Object.entries(invariants)) {
    const { rowCount } = await client.query(`${statement} limit 1000`);
    if (rowCount) violations.push(`${database}: not true that ${invariant} (${rowCount})`);
  }
  return violations;
}

/** Returns the violated invariants of the ledger, the events, the lists and row-level security. */
export async function brokenInvariants(system: System): Promise<string[]> {
  const violations = await Promise.all(
    services.map((name) =>
      asSuperuser(system, name, (client) =>
        findViolations(client, name, { ...commonInvariants, ...(name === "ledger" && ledgerInvariants), ...(name === "portfolio" && listTotalInvariants) }),
      ),
    ),
  );
  return violations.flat();
}

/**
 * Counts journal entries dated after tomorrow. The writers send past dates, or none for payment reversals, which the ledger dates
 * by its clock; so each of these entries was dated by a wrong clock.
 */
export const countFutureEntries = (system: System): Promise<number> =>
  asSuperuser(system, "ledger", async (client) => (await client.query("select id from journal_entry where entry_date > current_date + 1")).rowCount ?? 0);

/** Returns the corruption that PostgreSQL's amcheck finds in the tables of every service. Rejects for a corrupt index. */
export async function findCorruption(system: System): Promise<string[]> {
  const violations = await Promise.all(
    services.map((name) =>
      asSuperuser(system, name, async (client) => {
        await client.query("create extension if not exists amcheck");
        await client.query(`select bt_index_check(c.oid, true) from pg_class c join pg_am a on a.oid = c.relam
          where a.amname = 'btree' and c.relkind = 'i' and c.relnamespace = 'public'::regnamespace`);
        const { rows } = await client.query<{ table: string; msg: string }>(`select c.relname as table, v.msg from pg_class c, lateral verify_heapam(c.oid) v
          where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
        return rows.map(({ table, msg }) => `${name}.${table}: ${msg}`);
      }),
    ),
  );
  return violations.flat();
}

/**
 * Returns the number of published payment events, those that communications did not consume, and the number of payments that it notified the
 * user of, in notifications that count several.
 */
export async function paymentEffects(system: System, userId: string): Promise<{ published: number; missing: string[]; notified: number }> {
  const published = await asSuperuser(
    system,
    "ledger",
    async (client) => (await client.query<{ event: string }>(`select event_id as event from outbox where envelope ->> 'type' = 'payment.received'`)).rows,
  );
  return asSuperuser(system, "communications", async (client) => {
    const inboxRows = await client.query<{ event_id: string }>("select event_id from inbox where consumer = 'communications'");
    const { rows } = await client.query<{ notified: string }>(
      "select coalesce(sum(event_count), 0) as notified from notification where type = 'payment.received' and user_id = $1",
      [userId],
    );
    const inbox = new Set(inboxRows.rows.map(({ event_id }) => event_id));
    const missing = published.filter(({ event }) => !inbox.has(event)).map(({ event }) => event);
    return { published: published.length, missing, notified: Number(rows[0]!.notified) };
  });
}
