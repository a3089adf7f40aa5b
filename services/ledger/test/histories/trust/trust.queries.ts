/** Queries of random histories of trust: invariants of bank accounts and their documents, journal lines, and a fingerprint of the records. */
import type { Client } from "pg";

const account = (code: string) => `(select id from category where code = '${code}')`;
const BANKS = "(select id from category where is_bank)";
/** Entries of a document with all their reversals. */
const entriesOf = (type: string, id: string) => `(select e.id from journal_entry e where e.source_type = '${type}' and e.source_id = ${id})`;

/** Selects the money that each document that is in effect has moved in a bank account. */
const documentMoves = `
  select d.trust_bank_account_id as bank_account_id, p.amount_cents as cents from payment p join bank_deposit d on d.id = p.bank_deposit_id where p.status <> 'reversed'
  union all select r.trust_bank_account_id, -r.amount_cents from payment_refund r where r.voided_at is null
  union all select x.bank_account_id, -x.amount_cents from expense_payment x where x.status in ('issued', 'pending')
    and not exists (select from management_fee_run r where r.expense_payment_id = x.id)
  union all select bank_account_id, -amount_cents from owner_payable where status = 'paid'
  union all select bank_account_id, amount_cents from owner_contribution where voided_at is null
  union all select from_bank_account_id, -amount_cents from bank_transfer where status = 'posted'
  union all select to_bank_account_id, amount_cents from bank_transfer where status = 'posted'
  union all select bank_account_id, case kind when 'interest' then amount_cents else -amount_cents end from bank_adjustment where voided_at is null
  union all select bank_account_id, -amount_cents from security_deposit_transaction where voided_at is null and kind in ('refund', 'owner_transfer')`;

const trustInvariants: Record<string, string> = {
  "the balance of a bank account equals what its documents have moved": `select key from
    (select bank_account_id::text as key, sum(debit_cents - credit_cents) as cents from journal_line where account_id in ${BANKS} group by 1) books
    full join (select bank_account_id::text as key, sum(cents) as cents from (${documentMoves}) moves group by 1) documents using (key)
    where coalesce(books.cents, 0) <> coalesce(documents.cents, 0)`,
  "money in a bank names its bank account": `select id::text from journal_line where account_id in ${BANKS} and bank_account_id is null`,
  "the distributions to an owner equal the payouts that are paid": `select coalesce(books.owner_id, documents.owner_id)::text from
    (select owner_id, property_id, sum(debit_cents - credit_cents) as cents from journal_line where account_id = ${account("3200")} group by 1, 2) books
    full join (select owner_id, property_id, sum(amount_cents) as cents from owner_payable where status = 'paid' group by 1, 2) documents using (owner_id, property_id)
    where coalesce(books.cents, 0) <> coalesce(documents.cents, 0)`,
  "the contributions of an owner equal those that are not voided": `select coalesce(books.owner_id, documents.owner_id)::text from
    (select owner_id, property_id, sum(credit_cents - debit_cents) as cents from journal_line where account_id = ${account("3100")} group by 1, 2) books
    full join (select owner_id, property_id, sum(amount_cents) as cents from owner_contribution where voided_at is null group by 1, 2) documents using (owner_id, property_id)
    where coalesce(books.cents, 0) <> coalesce(documents.cents, 0)`,
  "a transfer takes its amount from one bank account to the other": `select t.id::text from bank_transfer t
    join lateral (select coalesce(sum(l.debit_cents - l.credit_cents) filter (where l.bank_account_id = t.from_bank_account_id), 0) as from_cents,
        coalesce(sum(l.debit_cents - l.credit_cents) filter (where l.bank_account_id = t.to_bank_account_id), 0) as to_cents
      from journal_line l where l.entry_id in ${entriesOf("transfer", "t.id")} and l.account_id in ${BANKS}) moved on true
    where (moved.from_cents, moved.to_cents) <> (case t.status when 'posted' then -t.amount_cents else 0 end, case t.status when 'posted' then t.amount_cents else 0 end)`,
  "a transfer moves deposits and prepaid rent with their money": `select t.id::text from bank_transfer t
    join lateral (select coalesce(sum(l.credit_cents - l.debit_cents), 0) as cents from journal_line l
      where l.entry_id in ${entriesOf("transfer", "t.id")} and l.account_id in (${account("2100")}, ${account("2150")}) and l.bank_account_id = t.to_bank_account_id) moved on true
    where t.status = 'posted' and moved.cents <> (select coalesce(sum((a ->> 'amountCents')::bigint), 0) from jsonb_array_elements(t.allocations) a where a ->> 'kind' in ('deposit', 'prepaid'))`,
  "a payout is paid with the money of its property": `select p.id::text from owner_payable p
    where p.status = 'paid' and coalesce((select sum(l.credit_cents - l.debit_cents) from journal_line l where l.entry_id = p.entry_id
      and l.account_id in ${BANKS} and l.bank_account_id = p.bank_account_id and l.property_id = p.property_id), 0) <> p.amount_cents`,
  "the fees of a run add up to its total": `select r.id::text from management_fee_run r
    where r.status = 'completed' and r.total_cents <> coalesce((select sum(f.amount_cents + f.reversed_cents) from management_fee f where f.run_id = r.id), 0)`,
  "what a finalized reconciliation has cleared is not reversed": `select i.entry_id::text from reconciliation_item i
    join reconciliation r on r.id = i.reconciliation_id and r.status = 'finalized' join journal_entry e on e.id = i.entry_id
    join journal_entry reversal on reversal.id = e.reversed_by_id where i.is_cleared and i.is_live and reversal.created_at > r.finalized_at`,
  "a finalized reconciliation ends with the balance of the statement": `select r.id::text from reconciliation r where r.status = 'finalized'
    and r.opening_balance_cents + r.cleared_deposits_cents - r.cleared_withdrawals_cents <> r.statement_ending_balance_cents`,
};

const violationsQuery = Object.entries(trustInvariants)
  .map(([invariant, query]) => `select '${invariant}' as invariant, violation from (${query}) violations (violation)`)
  .join(" union all ");

/** Returns a message about each violation of an invariant of trust. */
export async function findTrustViolations(database: Client): Promise<string[]> {
  const { rows } = await database.query<{ invariant: string; violation: string }>({ name: "find_trust_violations", text: violationsQuery });
  return rows.map(({ invariant, violation }) => `Violated: ${invariant} (${violation}).`);
}

/** Journal line with the codes of its accounts on both bases. */
export interface Line {
  day: string;
  code: string;
  cashCode: string | null;
  isBank: boolean;
  bank: string | null;
  property: string | null;
  owner: string | null;
  tenant: string | null;
  lease: string | null;
  payment: string | null;
  cents: number;
}

/** Returns all lines of the organization. */
export async function readLines(database: Client): Promise<Line[]> {
  const { rows } = await database.query<Line>({
    name: "read_trust_lines",
    text: `select entry_date::text as day, c.code, k.code as "cashCode", c.is_bank as "isBank", l.bank_account_id as bank, l.property_id as property, l.owner_id as owner,
        l.tenant_id as tenant, l.lease_id as lease, l.payment_id as payment, (l.debit_cents - l.credit_cents)::float8 as cents
      from journal_line l join category c on c.id = l.account_id left join category k on k.id = l.cash_account_id`,
  });
  return rows;
}

const TABLES = [
  "journal_entry",
  "journal_line",
  "charge",
  "charge_credit",
  "payment",
  "payment_allocation",
  "payment_refund",
  "payment_reversal",
  "bank_deposit",
  "bank_deposit_payment",
  "bank_transfer",
  "bank_adjustment",
  "owner_contribution",
  "owner_payable",
  "expense",
  "expense_allocation",
  "expense_payment",
  "management_fee_run",
  "management_fee",
  "management_fee_base",
  "security_deposit",
  "security_deposit_charge",
  "security_deposit_deduction",
  "security_deposit_transaction",
  "reconciliation",
  "reconciliation_item",
];

/** Tables of documents and their entries, in whose copies bugs are planted. */
export const TRUST_TABLES: readonly string[] = TABLES;

/** Member of a charge that a daily job sets when it publishes that the charge is overdue. */
const CHANGED_BY_JOBS = "array['overdue_announced_at']";

/** Returns a digest of the rows of each table, which a refused command must leave unchanged. */
export async function fingerprint(database: Client): Promise<Record<string, string>> {
  const digests = TABLES.map((table) => {
    const row = table === "charge" ? `(to_jsonb(t) - ${CHANGED_BY_JOBS})::text` : "t::text";
    return `select '${table}' as name, md5(string_agg(${row}, '' order by ${row})) as digest from ${table} t`;
  });
  const { rows } = await database.query<{ name: string; digest: string }>({ name: "fingerprint_trust", text: digests.join(" union all ") });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Condition that an allocation or credit settles rent `c` of a property in a month. */
const rentOfMonth = (day: string) => `c.property_id = $1 and c.charge_type = 'rent' and date_trunc('month', ${day}) = $2::date`;

/** Returns the rent of a property that money or deposits have settled in a month, of payments that were not reversed. */
export async function readCashRent(database: Client, propertyId: string, month: string): Promise<number> {
  const { rows } = await database.query<{ cents: number }>(
    `select coalesce(sum(cents), 0)::float8 as cents from (
      select a.amount_cents as cents from payment_allocation a join journal_entry e on e.id = a.entry_id join charge c on c.id = a.charge_id
        where a.released_at is null and ${rentOfMonth("e.entry_date")}
      union all select k.amount_cents from charge_credit k join charge c on c.id = k.charge_id
        where k.reversed_at is null and k.security_deposit_id is not null and ${rentOfMonth("k.credited_on")}) settled`,
    [propertyId, month],
  );
  return rows[0]!.cents;
}

/** Returns the sum of what the management fees of a property in a month count. */
export async function readFeeBase(database: Client, propertyId: string, month: string): Promise<number> {
  const { rows } = await database.query<{ cents: number }>(
    `select coalesce(sum(b.amount_cents), 0)::float8 as cents from management_fee_base b join management_fee f on f.id = b.fee_id
      join management_fee_run r on r.id = f.run_id where r.status = 'completed' and f.property_id = $1 and f.month = $2`,
    [propertyId, month],
  );
  return rows[0]!.cents;
}
