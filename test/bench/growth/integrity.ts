/** Integrity checks of rows that were inserted with triggers and foreign keys disabled. */
import type pg from "pg";

interface ForeignKey {
  name: string;
  child: string;
  parent: string;
  /** Pairs of a child's column and the parent's column. */
  pairs: [string, string][];
}

/** Returns every foreign key of the database from the catalog. */
async function readForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`select conname as name, conrelid::regclass::text as child, confrelid::regclass::text as parent,
      (select json_agg(json_build_array(c.attname, p.attname) order by k.ordinal) from unnest(conkey, confkey) with ordinality as k (child, parent, ordinal)
        join pg_attribute c on c.attrelid = conrelid and c.attnum = k.child join pg_attribute p on p.attrelid = confrelid and p.attnum = k.parent) as pairs
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`);
  return rows;
}

const danglingRowsQuery = ({
  child,
  parent,
  pairs,
}: ForeignKey) => `select from ${child} c where ${pairs.map(([column]) => `c.${column} is not null`).join(" and ")}
  and not exists (select from ${parent} p where ${pairs.map(([column, key]) => `p.${key} = c.${column}`).join(" and ")})`;

const accountBalanceCents = (
  code: string,
) => `(select coalesce(sum(debit_cents - credit_cents), 0) from account_month m join category a on a.organization_id = m.organization_id and a.id = m.account_id
  where m.organization_id = $1 and a.code = '${code}')`;

/** Ledger invariants of an organization, each with a query that returns its violations. */
const invariants: Record<string, string> = {
  "every entry balances and stores its totals": `select from (select entry_id, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line where organization_id = $1 group by 1) l
    full join (select id, debit_total_cents, credit_total_cents from journal_entry where organization_id = $1) e on e.id = l.entry_id
    where l.debit is distinct from e.debit_total_cents or l.credit is distinct from e.credit_total_cents or l.debit <> l.credit`,
  "monthly balances are the sums of the lines": `select from (select account_id, date_trunc('month', entry_date)::date as month, sum(debit_cents) as debit, sum(credit_cents) as credit
      from journal_line where organization_id = $1 group by 1, 2) l
    full join (select account_id, month, sum(debit_cents) as debit, sum(credit_cents) as credit from account_month where organization_id = $1 group by 1, 2) m using (account_id, month)
    where coalesce(l.debit, 0) <> coalesce(m.debit, 0) or coalesce(l.credit, 0) <> coalesce(m.credit, 0)`,
  "daily balances are the sums of the lines": `select from (select account_id, entry_date as day, sum(debit_cents) as debit, sum(credit_cents) as credit
      from journal_line where organization_id = $1 group by 1, 2) l
    full join (select account_id, day, sum(debit_cents) as debit, sum(credit_cents) as credit from account_day where organization_id = $1 group by 1, 2) m using (account_id, day)
    where coalesce(l.debit, 0) <> coalesce(m.debit, 0) or coalesce(l.credit, 0) <> coalesce(m.credit, 0)`,
  "a line has the date of its entry": `select from journal_line l join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
    where l.organization_id = $1 and l.entry_date <> e.entry_date`,
  "charges are settled by their allocations": `select from charge c left join (select charge_id, sum(amount_cents) as cents from payment_allocation where organization_id = $1 and released_at is null group by 1) a
    on a.charge_id = c.id where c.organization_id = $1 and (c.allocated_cents <> coalesce(a.cents, 0)
      or c.status <> case when c.balance_cents = 0 then 'paid' when c.allocated_cents > 0 then 'partially_paid' else 'pending' end)`,
  "unallocated amounts of payments are correct": `select from payment p left join (select payment_id, sum(amount_cents) as cents from payment_allocation where organization_id = $1 and released_at is null group by 1) a
    on a.payment_id = p.id where p.organization_id = $1 and p.unallocated_cents <> p.amount_cents - p.refunded_cents - coalesce(a.cents, 0)`,
  "receivables equal the open charges": `select where ${accountBalanceCents("1100")} <> (select sum(balance_cents) from charge where organization_id = $1)`,
  "open charges are those with a balance": `select from
      (select id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from charge where organization_id = $1 and balance_cents > 0) c
    full join (select charge_id as id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from open_charge where organization_id = $1) o on o.id = c.id
    where c is distinct from o`,
  "stored list totals match the rows": `select from list_total where organization_id = $1 and (rows, amount_cents) is distinct from case list
    when 'open_charge' then (select (count(*), sum(balance_cents)::bigint) from open_charge where organization_id = $1)
    when 'charge' then (select (count(*), sum(amount_cents)::bigint) from charge where organization_id = $1)
    when 'payment' then (select (count(*), sum(amount_cents)::bigint) from payment where organization_id = $1)
    else (select (count(*), sum(debit_total_cents)::bigint) from journal_entry where organization_id = $1) end`,
  "undeposited funds equal the payments": `select where ${accountBalanceCents("1050")} <> (select sum(amount_cents) from payment where organization_id = $1)`,
  "prepaid rent equals the unallocated amounts": `select where ${accountBalanceCents("2150")} <> -(select sum(unallocated_cents) from payment where organization_id = $1)`,
  "deposits held equal the paid deposit charges": `select where ${accountBalanceCents("2100")} <> -(select sum(allocated_cents) from charge where organization_id = $1 and charge_type = 'deposit')`,
};

async function assertNoViolations(client: pg.Client, invariant: string, query: string, values: string[]): Promise<void> {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from (${query}) violation`, values);
  if (rows[0]!.count !== "0") throw new Error(`Seeded data violates "${invariant}" in ${rows[0]!.count} rows.`);
}

/** Throws an error on the first foreign key of the database with dangling rows, or invariant that an organization's ledger violates. */
export async function assertIntegrity(client: pg.Client, organizationIds: readonly string[]): Promise<void> {
  for (const key of await readForeignKeys(client)) await assertNoViolations(client, key.name, danglingRowsQuery(key), []);
  for (const organizationId of organizationIds)
    for (const [invariant, query] of Object.entries(invariants)) await assertNoViolations(client, invariant, query, [organizationId]);
}
