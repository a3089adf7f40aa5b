/** The ledger's books as its database keeps them, read beside the service: what no sequence of requests may break. */
import type { Client } from "pg";

const account = (code: string) => `(select id from category where code = '${code}')`;
/** What an account holds for each lease, credits below zero. */
const heldFor = (code: string) => `select lease_id, sum(debit_cents - credit_cents) as cents from journal_line where account_id = ${account(code)} group by 1`;

/** Each selects what breaks it. Row-level security keeps them inside the organization of the connection. */
const invariants: Record<string, string> = {
  "a posted entry has lines, and they balance to its totals": `select e.id::text from journal_entry e
    left join (select entry_id, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1) l on l.entry_id = e.id
    where e.status <> 'draft' and (l.debit, l.credit) is distinct from (e.debit_total_cents::numeric, e.credit_total_cents::numeric)`,
  "a draft has no lines": "select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id where e.status = 'draft'",
  "the balance of an account is the sum of its lines": `select account_id::text from
    (select account_id, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1) l
    full join (select account_id, sum(debit_cents) as debit, sum(credit_cents) as credit from account_month group by 1) m using (account_id)
    where (l.debit, l.credit) is distinct from (m.debit, m.credit)`,
  "a list is as long as it is kept that it is": `select list from
    (select 'charge' as list, count(*) as rows, sum(amount_cents) as cents from charge having count(*) > 0
      union all select 'open_charge', count(*) filter (where balance_cents > 0), sum(balance_cents) from charge having count(*) > 0
      union all select 'payment', count(*), sum(amount_cents) from payment having count(*) > 0
      union all select 'journal_entry', count(*), sum(debit_total_cents) from journal_entry where status <> 'draft' having count(*) > 0) l
    full join (select list, sum(rows) as rows, sum(amount_cents) as cents from list_total group by 1) k using (list)
    where (l.rows, l.cents) is distinct from (k.rows, k.cents)`,
  "everything sums to zero": "select 'off by ' || sum(debit_cents - credit_cents) from journal_line having sum(debit_cents - credit_cents) <> 0",
  "receivables are the open charges of each lease": `select lease_id::text from (${heldFor("1100")}) held
    full join (select lease_id, sum(balance_cents) as open from charge group by 1) c using (lease_id) where coalesce(cents, 0) <> coalesce(open, 0)`,
  "prepayments are what payments of each lease have left": `select lease_id::text from (${heldFor("2150")}) held
    full join (select lease_id, sum(unallocated_cents) as rest from payment where status = 'received' group by 1) p using (lease_id)
    where coalesce(cents, 0) <> -coalesce(rest, 0)`,
  "deposits held are what was paid of deposits": `select lease_id::text from (${heldFor("2100")}) held
    full join (select lease_id, sum(allocated_cents) as paid from charge where charge_type = 'deposit' group by 1) c using (lease_id)
    where coalesce(cents, 0) <> -coalesce(paid, 0)`,
  "a charge is settled by its allocations": `select c.id::text from charge c where c.allocated_cents <> coalesce((select sum(amount_cents) from payment_allocation a where a.charge_id = c.id), 0)`,
  "a payment is what was allocated and what is left, or nothing once it is reversed": `select p.id::text from payment p
    left join lateral (select coalesce(sum(amount_cents), 0) as cents from payment_allocation a where a.payment_id = p.id) a on true
    where (p.status = 'reversed' and a.cents <> 0) or (p.status = 'received' and a.cents + p.unallocated_cents <> p.amount_cents)`,
  "a reversal and what it reverses name each other": `select e.id::text from journal_entry e
    full join journal_entry r on r.reverses_id = e.id where (e.status = 'reversed' or e.reversed_by_id is not null or r.reverses_id is not null)
    and (e.status, e.reversed_by_id) is distinct from ('reversed'::text, r.id)`,
  "a reversal is the exact opposite": `select e.id::text from journal_entry e join journal_line l on l.entry_id in (e.id, e.reversed_by_id)
    where e.reversed_by_id is not null group by e.id, l.account_id, l.lease_id having sum(l.debit_cents - l.credit_cents) <> 0`,
};

const all = Object.entries(invariants)
  .map(([sentence, query]) => `select '${sentence}' as sentence, broken from (${query}) found (broken)`)
  .join(" union all ");

/** Every invariant that is broken, with what breaks it. */
export async function brokenInvariants(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ sentence: string; broken: string }>(all);
  return rows.map(({ sentence, broken }) => `Not true: ${sentence} (${broken}).`);
}

const tables = ["journal_entry", "journal_line", "charge", "payment", "payment_allocation", "payment_reversal"];

/** How much there is of everything, and what every account holds: what a refused command must leave as it was. */
export async function standing(database: Client): Promise<unknown[]> {
  const counts = tables.map((table) => `select '${table}' as what, count(*) as much from ${table}`);
  const balances = "select account_id::text, sum(debit_cents - credit_cents) from account_month group by 1";
  const open =
    "select 'open charges', coalesce(sum(balance_cents), 0) from charge union all select 'unallocated', coalesce(sum(unallocated_cents), 0) from payment";
  return (await database.query([...counts, balances, open].join(" union all ") + " order by 1")).rows;
}
