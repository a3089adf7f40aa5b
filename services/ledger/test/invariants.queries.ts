/** Invariants of the ledger's tables, checked in the database after random histories. */
import type { Client } from "pg";

const account = (code: string) => `(select id from category where code = '${code}')`;
/** Key of a nullable dimension, since a join matches no nulls. */
const keyOf = (dimension: string) => `coalesce(${dimension}::text, 'none')`;

/**
 * Selects the values of a dimension for which the balance of an account differs from the sums of another query, whose members are
 * the dimension and `cents`.
 */
const differences = (code: string, dimension: string, expected: string) => `select key from
    (select ${keyOf(dimension)} as key, sum(debit_cents - credit_cents) as cents from journal_line where account_id = ${account(code)} group by 1) balance
    full join (select ${keyOf(dimension)} as key, sum(cents) as cents from (${expected}) expected group by 1) expected using (key)
    where coalesce(balance.cents, 0) <> coalesce(expected.cents, 0)`;

/** Condition that a charge `c` is income; deposits and charges for refunds are liabilities, whose balances have invariants of their own. */
const isIncomeCharge = `c.category_id not in (${account("2110")}, ${account("2150")})`;

/** Part of the credits of a charge `c` that a security deposit has paid, so that they reduce no income. */
const paidByDeposit =
  "coalesce((select sum(k.amount_cents) from charge_credit k where k.charge_id = c.id and k.security_deposit_id is not null and k.reversed_at is null), 0)";

/** Condition that no credit of the row `x` of a security deposit was taken back. */
const isSettled = (creditId: string) => `not exists (select from charge_credit k where k.reversed_at is not null and k.id = ${creditId})`;

/** Selects the moves of the money of payments, in undeposited funds and at banks, without refunds. */
const moneyMoves = `select l.payment_id, l.property_id, l.account_id, l.entry_date, l.debit_cents - l.credit_cents as cents
  from journal_line l join journal_entry e on e.id = l.entry_id left join journal_entry reversed on reversed.id = e.reverses_id
  join category c on c.id = l.account_id where l.payment_id is not null and 'refund' not in (e.source, coalesce(reversed.source, '')) and (c.code = '1050' or c.is_bank)`;

/** Selects the payments whose money in an account at a property is negative at the end of some day. */
const negativeMoney = (condition: string) => `select distinct payment_id || ' on ' || day from
    (select payment_id, entry_date as day, sum(sum(cents)) over (partition by payment_id, property_id, account_id order by entry_date) as cents
      from (${moneyMoves}) l where ${condition} group by payment_id, property_id, account_id, entry_date) balance where cents < 0`;

const dimensions = ["lease_id", "tenant_id", "property_id"] as const;
/** Dimensions that only the lines of charges have. */
const dimensionsOfCharges = [...dimensions, "unit_id", "charge_id"] as const;
/** Returns an invariant for each dimension of the lines of an account. */
const byDimension = (name: string, code: string, expected: string, each: readonly string[] = dimensions): [string, string][] =>
  each.map((dimension) => [`${name}, by ${dimension}`, differences(code, dimension, expected)]);

/** Selects the debit balances of an account at the end of each of its days, by a dimension. */
const runningBalances = (code: string, dimension: string) =>
  `select ${keyOf(dimension)} as key, entry_date as day, sum(sum(debit_cents - credit_cents)) over (partition by ${keyOf(dimension)} order by entry_date) as cents
      from journal_line where account_id = ${account(code)} group by 1, 2`;

/** Selects the values of a dimension for which the balance of an account has the wrong sign at the end of some day; 1 is a debit balance. */
const wrongSigns = (code: string, dimension: string, normalSign: 1 | -1) => `select distinct key || ' on ' || day from
    (${runningBalances(code, dimension)}) balance where cents * ${normalSign} < 0`;

/** Day for which an entry, given by its alias, was posted; the entry may have been moved out of a closed period. */
const dayOf = (alias: string) => `coalesce(${alias}.moved_from, ${alias}.entry_date)`;
/** Day of a time in the time zone of the organization. */
const localDay = (time: string) => `(${time} at time zone (select timezone from book))::date`;
/** Selects the documents `alias` whose reversal entry is not dated the later of the given day and the day of the reversed entry `e`. */
const misdatedReversals = (alias: string, from: string, day: string) => `select distinct ${alias}.id::text from ${from}
    join journal_entry reversal on reversal.id = e.reversed_by_id where ${dayOf("reversal")} <> greatest(${day}, e.entry_date)`;

/** Queries of entries that were not posted for the day of their document, apart from a move out of a closed period. */
const documentDates: Record<string, string> = {
  // The day of the receipt in the organization's time zone at that time, which is that of new offices, or in its current one.
  "a payment is dated the day of its receipt": `select p.id::text from payment p join journal_entry e on e.id = p.entry_id
    where ${dayOf("e")} not in (${localDay("p.received_at")}, (p.received_at at time zone 'America/New_York')::date)`,
  "a payment is reversed on the day of its reversal": misdatedReversals(
    "v",
    "payment_reversal v join journal_entry e on e.source_type = 'payment' and e.source_id = v.payment_id and e.source in ('payment', 'allocation')",
    localDay("v.reversed_at"),
  ),
  "a refund is dated the day of its time or, if later, that of the receipt, unless credit was released": `select r.id::text from payment_refund r
    join payment p on p.id = r.payment_id join journal_entry receipt on receipt.id = p.entry_id join journal_entry e on e.id = r.entry_id
    where p.credit_released_on is null and ${dayOf("e")} <> greatest(${localDay("r.refunded_at")}, receipt.entry_date)`,
  "a refund is voided on the day of its void": `${misdatedReversals("r", "payment_refund r join journal_entry e on e.id = r.entry_id", localDay("r.voided_at"))} and r.voided_at is not null
    union all select r.id::text from payment_refund r join journal_entry e on e.reverses_id = r.entry_id where e.entry_date <> r.voided_on`,
  "a charge is voided on the day of its void or, if later, of its reopening": `${misdatedReversals("c", "charge c join journal_entry e on e.id = c.entry_id", `${localDay("c.voided_at")}, c.reopened_on`)}
    and c.status = 'voided' and not c.is_superseded`,
  "a credit is reversed on the day of its reversal": `${misdatedReversals("k", "charge_credit k join charge c on c.id = k.charge_id join journal_entry e on e.id = k.entry_id", localDay("k.reversed_at"))}
    and not c.is_superseded`,
  "an allocation is released on the day of its entry": `select a.id::text from payment_allocation a join journal_entry e on e.id = a.release_entry_id
    where e.entry_date <> a.released_on`,
  "a deposit is dated its day or the first open day": `select d.id::text from bank_deposit d join journal_entry e on e.id = d.entry_id
    where e.entry_date <> d.deposited_on and (e.entry_date < d.deposited_on or extract(day from e.entry_date) <> 1)`,
};

/** Queries of violations by invariant. Row-level security restricts them to the organization of the connection. */
const invariants: Record<string, string> = {
  ...documentDates,
  "the lines of a posted entry sum to its totals": `select e.id::text from journal_entry e
    left join (select entry_id, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1) l on l.entry_id = e.id
    where e.status <> 'draft' and (l.debit, l.credit) is distinct from (e.debit_total_cents::numeric, e.credit_total_cents::numeric)`,
  "a draft has no lines": "select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id where e.status = 'draft'",
  "the monthly and daily totals of an account equal the sums of its lines, on each basis": `select account_id::text from
    (select account_id, date_trunc('month', entry_date)::date as period, 'month' as kind, debit_cents, credit_cents, 0 as cash_debit_cents, 0 as cash_credit_cents from journal_line
      union all select account_id, entry_date, 'day', debit_cents, credit_cents, 0, 0 from journal_line
      union all select cash_account_id, date_trunc('month', entry_date)::date, 'month', 0, 0, debit_cents, credit_cents from journal_line where cash_account_id is not null
      union all select cash_account_id, entry_date, 'day', 0, 0, debit_cents, credit_cents from journal_line where cash_account_id is not null
      union all select account_id, month, 'month', -debit_cents, -credit_cents, -cash_debit_cents, -cash_credit_cents from account_month
      union all select account_id, day, 'day', -debit_cents, -credit_cents, -cash_debit_cents, -cash_credit_cents from account_day) total
    group by account_id, kind, period having sum(debit_cents) <> 0 or sum(credit_cents) <> 0 or sum(cash_debit_cents) <> 0 or sum(cash_credit_cents) <> 0`,
  "the maintained list totals equal the rows of the list": `select list from
    (select 'charge' as list, count(*) as rows, sum(amount_cents) as cents from charge having count(*) > 0
      union all select 'open_charge', count(*) filter (where balance_cents > 0), sum(balance_cents) from charge having count(*) > 0
      union all select 'payment', count(*), sum(amount_cents) from payment having count(*) > 0
      union all select 'journal_entry', count(*), sum(debit_total_cents) from journal_entry where status <> 'draft' having count(*) > 0) actual
    full join (select list, sum(rows) as rows, sum(amount_cents) as cents from list_total group by 1) maintained using (list)
    where (actual.rows, actual.cents) is distinct from (maintained.rows, maintained.cents)`,
  "debits equal credits": "select 'off by ' || sum(debit_cents - credit_cents) from journal_line having sum(debit_cents - credit_cents) <> 0",
  ...Object.fromEntries([
    ...byDimension(
      "accounts receivable equals the open charges",
      "1100",
      "select lease_id, tenant_id, property_id, unit_id, id as charge_id, balance_cents as cents from charge",
      dimensionsOfCharges,
    ),
    ...byDimension(
      "prepaid rent equals the unallocated payments",
      "2150",
      "select coalesce(credit_lease_id, lease_id) as lease_id, tenant_id, property_id, -unallocated_cents as cents from payment where status = 'received'",
    ),
    ...byDimension(
      "deposits held equal the paid deposits",
      "2100",
      `select coalesce(deposit_lease_id, lease_id) as lease_id, tenant_id, property_id, unit_id, id as charge_id, -allocated_cents as cents from charge where charge_type = 'deposit'
        union all select lease_id, tenant_id, property_id, unit_id, charge_id, debit_cents - credit_cents from journal_line where deposit_id is not null and account_id = ${account("2100")}`,
      dimensionsOfCharges,
    ),
    ...byDimension(
      "deposits due equal the open deposits",
      "2110",
      "select lease_id, tenant_id, property_id, unit_id, id as charge_id, -balance_cents as cents from charge where charge_type = 'deposit'",
      dimensionsOfCharges,
    ),
  ]),
  "accounts payable equals the unpaid expenses and the bank fees of reversals, less the unallocated payments": differences(
    "2000",
    "property_id",
    `select property_id, -outstanding_cents as cents from expense
      union all select null, unallocated_cents from expense_payment where status in ('issued', 'pending')
      union all select l.property_id, l.debit_cents - l.credit_cents from journal_line l join journal_entry e on e.id = l.entry_id
        left join journal_entry reversed on reversed.id = e.reverses_id where l.account_id = ${account("2000")} and 'bank_fee' in (e.source, coalesce(reversed.source, ''))`,
  ),
  "the paid amount of an expense equals its live allocations": `select x.id::text from expense x
    where x.paid_cents <> coalesce((select sum(amount_cents) from expense_allocation a where a.expense_id = x.id and a.released_at is null), 0)`,
  "a payment of expenses equals its live allocations and its unallocated amount": `select p.id::text from expense_payment p
    where p.amount_cents <> p.unallocated_cents + coalesce((select sum(amount_cents) from expense_allocation a where a.expense_payment_id = p.id and a.released_at is null), 0)`,
  "the expense account of an expense equals its amount, on the cash basis what is paid of it": `select x.id::text from expense x
    left join (select e.source_id, sum(l.debit_cents - l.credit_cents) as cents from journal_line l join journal_entry e on e.id = l.entry_id join category c on c.id = l.account_id
      where e.source_type = 'expense' and c.account_type = 'expense' group by 1) posted on posted.source_id = x.id
    where coalesce(posted.cents, 0) <> case x.status when 'voided' then 0 else x.amount_cents end`,
  "what the manager has earned equals the collected management fees, less those that were given back": `select 'earned' from (
      select coalesce((select sum(credit_cents - debit_cents) from journal_line where account_id = ${account("4060")}), 0) as posted,
        coalesce((select sum(collected_cents) from management_fee_run where status = 'completed'), 0) - coalesce((select sum(t.amount_cents)
          from management_fee_return t join management_fee_run r on r.id = t.run_id and r.status = 'completed' where t.effect = 'collected'), 0) as expected) earned
    where posted <> expected`,
  "management fees count no more of an allocation than it settles": `select a.id::text from payment_allocation a join management_fee_base b on b.allocation_id = a.id
      join management_fee f on f.id = b.fee_id join management_fee_run r on r.id = f.run_id and r.status = 'completed'
    group by a.id, a.amount_cents having abs(sum(b.amount_cents)) > a.amount_cents`,
  "no management fee of a reversed payment is left": `select p.id::text from payment p join management_fee_base b on b.payment_id = p.id
      join management_fee f on f.id = b.fee_id join management_fee_run r on r.id = f.run_id and r.status = 'completed'
    where p.status = 'reversed' group by p.id having sum(b.amount_cents) > 0`,
  "on no day is more settled than is charged to a lease": wrongSigns("1100", "lease_id", 1),
  "on no day is more prepaid rent of a tenant used than was received": wrongSigns("2150", "tenant_id", -1),
  "on no day is more prepaid rent of a lease used than it holds": wrongSigns("2150", "lease_id", -1),
  "on days that were never closed, a renewal holds all credit of a payment from its takeover on, and none before": `select p.id::text from payment p
    join lease_copy holder on holder.id = p.credit_lease_id where p.status <> 'reversed' and not exists (select from accounting_period a where a.organization_id = p.organization_id and a.reopened_at is not null) and exists (
      select from (select holder.start_date as day union select entry_date from journal_line where payment_id = p.id and account_id = ${account("2150")}) days
      where day >= first_open_day(p.organization_id) and (select sum(l.debit_cents - l.credit_cents) from journal_line l where l.payment_id = p.id and l.account_id = ${account("2150")}
        and l.entry_date <= day and (l.lease_id is distinct from p.credit_lease_id) = (day >= holder.start_date)) <> 0)`,
  // An allocation that was removed had paid the deposit until the day of its removal, also when its payment is returned as of an earlier day.
  "on no day are the deposits held for a lease negative, but for what payments that were returned by then had paid": `select key || ' on ' || day from
    (${runningBalances("2100", "lease_id")}) balance where cents > coalesce((select sum(a.amount_cents) from payment_allocation a
      join payment_reversal v on v.payment_id = a.payment_id join journal_entry reversal on reversal.id = v.entry_id join journal_entry e on e.id = a.entry_id
      join charge c on c.id = a.charge_id and c.charge_type = 'deposit' where greatest(e.entry_date, reversal.entry_date) <= day
        and (a.release_entry_id is null or a.released_on > day) and coalesce(c.deposit_lease_id, c.lease_id)::text = key), 0)`,
  "what was taken out of a security deposit in the journal equals its transactions and posted deductions": `select d.id::text from security_deposit d
    where coalesce((select sum(l.credit_cents - l.debit_cents) from journal_line l where l.deposit_id = d.id and l.account_id = ${account("2100")}), 0)
      <> coalesce((select sum(case x.kind when 'transfer_in' then x.amount_cents else -x.amount_cents end) from security_deposit_transaction x
          where x.security_deposit_id = d.id and x.voided_at is null and x.entry_id is not null and (x.kind <> 'application' or ${isSettled("any(x.credit_ids)")})), 0)
        - coalesce((select sum(x.amount_cents) from security_deposit_deduction x where x.security_deposit_id = d.id and x.entry_id is not null and ${isSettled("x.credit_id")}), 0)`,
  "what was taken out of a security deposit is at the lease that holds it": `select d.id::text from security_deposit d join journal_line l on l.deposit_id = d.id and l.account_id = ${account("2100")}
    where l.lease_id <> d.lease_id group by d.id, l.lease_id having sum(l.debit_cents) <> sum(l.credit_cents)`,
  "every deposit charge belongs to a security deposit": `select c.id::text from charge c
    where c.charge_type = 'deposit' and c.status <> 'voided' and not exists (select from security_deposit_charge x where x.id = c.id)`,
  "on no day are the deposits due of a lease negative": wrongSigns("2110", "lease_id", -1),
  "on no day is the undeposited money of a property negative": wrongSigns("1050", "property_id", 1),
  "a charge is dated its due date":
    "select c.id::text from charge c join journal_entry e on e.id = c.entry_id where coalesce(e.moved_from, e.entry_date) <> c.due_date",
  "a live allocation is not dated before its receipt and its charge": `select a.id::text from payment_allocation a join journal_entry e on e.id = a.entry_id
    join charge c on c.id = a.charge_id join payment p on p.id = a.payment_id join journal_entry receipt on receipt.id = p.entry_id
    where a.released_at is null and e.entry_date < greatest(c.due_date, receipt.entry_date)`,
  "an allocation settles its charge on the later of receipt and due date, unless the charge or the credit was reopened": `select a.id::text from payment_allocation a
    join journal_entry e on e.id = a.entry_id join charge c on c.id = a.charge_id join payment p on p.id = a.payment_id join journal_entry receipt on receipt.id = p.entry_id
    where a.released_at is null and e.moved_from is null and c.reopened_on is null and p.credit_released_on is null and e.entry_date <> greatest(c.due_date, receipt.entry_date)`,
  "a renewal takes nothing over before it starts": `select e.id::text from journal_entry e
    join journal_line l on l.entry_id = e.id and l.credit_cents > 0 join lease_copy renewal on renewal.id = l.lease_id
    where e.memo = 'Taken over by the renewal' and e.source = 'allocation' and coalesce(e.moved_from, e.entry_date) < renewal.start_date`,
  "a renewal takes nothing over from itself": `select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id
    where e.memo = 'Taken over by the renewal' group by e.id having count(distinct l.lease_id) = 1`,
  "a bank fee is an expense and a payable of the organization, without a property": `select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id
    where e.source = 'bank_fee' and (l.property_id is not null or l.cash_account_id is not null
      or l.account_id <> case when l.debit_cents > 0 then ${account("5050")} else ${account("2000")} end)`,
  "an unpaid late fee is due after the grace period of a charge that is not voided": `select f.id::text from charge f join charge c on c.id = f.late_fee_for_charge_id
    where f.balance_cents > 0 and f.allocated_cents = 0
      and (c.status = 'voided' or f.due_date <> c.due_date + (c.late_fee_terms ->> 'graceDays')::int + 1 + f.late_fee_day_index)`,
  "an entry that an operation posts balances in each property": `select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id
    left join journal_entry reversed on reversed.id = e.reverses_id
    where 'manual' not in (e.source, coalesce(reversed.source, '')) group by e.id, l.property_id having sum(l.debit_cents - l.credit_cents) <> 0`,
  "the allocated amount of a charge equals its live allocations": `select c.id::text from charge c where c.allocated_cents <> coalesce((select sum(amount_cents) from payment_allocation a where a.charge_id = c.id and a.released_at is null), 0)`,
  "the income of a charge equals its amount less its credits, and is none when it is voided": `select c.id::text from charge c
    left join (select charge_id, account_id, sum(credit_cents - debit_cents) as cents from journal_line group by 1, 2) l on l.charge_id = c.id and l.account_id = c.category_id
    where ${isIncomeCharge} and coalesce(l.cents, 0) <> case when c.status = 'voided' then 0 else c.amount_cents - c.credited_cents + ${paidByDeposit} end`,
  "the income of a charge on the cash basis equals its allocations": `select c.id::text from charge c
    left join (select charge_id, cash_account_id, sum(credit_cents - debit_cents) as cents from journal_line group by 1, 2) l
      on l.charge_id = c.id and l.cash_account_id = c.category_id
    where ${isIncomeCharge} and coalesce(l.cents, 0) <> c.allocated_cents + ${paidByDeposit}`,
  "an entry balances on the cash basis": `select entry_id::text from journal_line where cash_account_id is not null
    group by entry_id having sum(debit_cents) <> sum(credit_cents)`,
  "a credit has the date of its entry, and is not dated before its charge": `select k.id::text from charge_credit k
    join journal_entry e on e.id = k.entry_id join charge c on c.id = k.charge_id where k.credited_on <> e.entry_date or k.credited_on < c.due_date`,
  "the credited amount of a charge equals its live credits": `select c.id::text from charge c
    where c.credited_cents <> coalesce((select sum(amount_cents) from charge_credit k where k.charge_id = c.id and k.reversed_at is null), 0)`,
  "a payment equals its live allocations, unallocated and refunded amount, and a reversed payment has none": `select p.id::text from payment p
    left join lateral (select coalesce(sum(amount_cents), 0) as cents from payment_allocation a where a.payment_id = p.id and a.released_at is null) a on true
    where (p.status = 'reversed' and a.cents <> 0) or (p.status in ('received', 'refunded') and a.cents + p.unallocated_cents + p.refunded_cents <> p.amount_cents)`,
  "the refunded amount of a payment equals its refunds": `select p.id::text from payment p
    where p.refunded_cents <> coalesce((select sum(amount_cents) from payment_refund r where r.payment_id = p.id and r.voided_at is null), 0)`,
  "the money of each payment is at the bank of its deposit from then on, otherwise undeposited": `select p.id::text from payment p
    left join bank_deposit d on d.id = p.bank_deposit_id left join (select l.payment_id, l.account_id, sum(l.debit_cents - l.credit_cents) as cents
      from journal_line l join journal_entry e on e.id = l.entry_id left join journal_entry reversed on reversed.id = e.reverses_id
      where 'refund' not in (e.source, coalesce(reversed.source, '')) group by 1, 2) l
      on l.payment_id = p.id and l.account_id = coalesce(d.bank_account_id, ${account("1050")})
    where coalesce(l.cents, 0) <> case when p.status = 'reversed' then 0 else p.amount_cents end`,
  "money at a bank names the bank account of its deposit or refund": `select l.id::text from journal_line l join journal_entry e on e.id = l.entry_id join category c on c.id = l.account_id and c.is_bank
    left join bank_deposit d on e.source_type = 'deposit' and d.id = e.source_id left join payment_refund r on r.entry_id in (e.id, e.reverses_id)
    where (d.id is not null and l.bank_account_id is distinct from d.trust_bank_account_id) or (r.id is not null and l.bank_account_id is distinct from r.trust_bank_account_id)`,
  "a refund is paid from its bank account on its day": `select r.id::text from payment_refund r join journal_entry e on e.id = r.entry_id
    left join journal_line l on l.entry_id = r.entry_id and l.account_id = r.bank_account_id
    where r.refunded_on <> e.entry_date or l.credit_cents is distinct from r.amount_cents`,
  "the refunds of reversed payments are charged to the leases whose credit was refunded": `select lease_id::text from
    (select l.lease_id, sum(l.debit_cents - l.credit_cents) as cents from journal_line l join journal_entry e on e.id = l.entry_id and e.source_type = 'payment' and e.source = 'refund'
      join payment p on p.id = e.source_id and p.status = 'reversed' where l.account_id = ${account("2150")}
        and not exists (select from payment_refund r where r.entry_id = e.id and r.voided_at is not null) group by 1 having sum(l.debit_cents) <> sum(l.credit_cents)) refunded
    full join (select lease_id, sum(amount_cents) as cents from charge where category_id = ${account("2150")} and status <> 'voided' group by 1) charged using (lease_id)
    where refunded.cents is distinct from charged.cents`,
  "on no day is the undeposited money of a payment at a property negative": negativeMoney(`account_id = ${account("1050")}`),
  "on no day is the deposited money of a payment at a property negative": negativeMoney(`account_id <> ${account("1050")}`),
  "the money of each property is that of its settled charges and of the credit of its leases": `select key from
    (select ${keyOf("property_id")} as key, sum(cents) as cents from (${moneyMoves}) m group by 1) money
    full join (select ${keyOf("property_id")} as key, sum(cents) as cents from (
      select c.property_id, c.allocated_cents as cents from charge c
      union all select p.property_id, p.unallocated_cents + p.refunded_cents from payment p where p.status <> 'reversed') owned group by 1) owned using (key)
    where coalesce(money.cents, 0) <> coalesce(owned.cents, 0)`,
  "a voided deposit has no effect on any day": `select d.id::text from bank_deposit d join journal_entry e on e.source_type = 'deposit' and e.source_id = d.id
    join journal_line l on l.entry_id = e.id where d.status = 'voided'
      and not exists (select 1 from journal_entry moved where moved.source_type = 'deposit' and moved.source_id = d.id and moved.moved_from is not null)
    group by d.id, l.account_id, l.property_id, l.payment_id, e.entry_date
    having sum(l.debit_cents - l.credit_cents) <> 0`,
  "a deposit sums to its payments": `select d.id::text from bank_deposit d where d.amount_cents <> (select sum(p.amount_cents)
    from bank_deposit_payment m join payment p on p.id = m.payment_id where m.deposit_id = d.id)`,
  "an entry is moved from a closed day to the first of a later month, and manual entries are not moved": `select id::text from journal_entry
    where moved_from is not null and (source = 'manual' or entry_date <= moved_from or extract(day from entry_date) <> 1)`,
  "a line has the date of its entry": "select e.id::text from journal_entry e join journal_line l on l.entry_id = e.id where l.entry_date <> e.entry_date",
  "a reversal and the reversed entry refer to each other": `select e.id::text from journal_entry e
    full join journal_entry r on r.reverses_id = e.id where (e.status = 'reversed' or e.reversed_by_id is not null or r.reverses_id is not null)
    and (e.status, e.reversed_by_id) is distinct from ('reversed'::text, r.id)`,
  "a reversal offsets the reversed entry in every account": `select e.id::text from journal_entry e join journal_line l on l.entry_id in (e.id, e.reversed_by_id)
    where e.reversed_by_id is not null group by e.id, l.account_id, l.lease_id, l.tenant_id, l.property_id having sum(l.debit_cents - l.credit_cents) <> 0`,
};

const violationsQuery = Object.entries(invariants)
  .map(([invariant, query]) => `select '${invariant}' as invariant, violation from (${query}) violations (violation)`)
  .join(" union all ");

/** Returns a message about each violation of an invariant. */
export async function findViolations(database: Client): Promise<string[]> {
  // By name, so that a connection plans these hundred subqueries once.
  const { rows } = await database.query<{ invariant: string; violation: string }>({ name: "find_violations", text: violationsQuery });
  return rows.map(({ invariant, violation }) => `Violated: ${invariant} (${violation}).`);
}

/** Returns the live allocations to the charges of leases, each as text with the day on which it settles its charge. */
export async function findSettlements(database: Client, leaseIds: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ settlement: string }>(
    `select concat_ws(' ', a.payment_id, a.charge_id, a.amount_cents, e.entry_date) as settlement
      from payment_allocation a join journal_entry e on e.id = a.entry_id join charge c on c.id = a.charge_id where c.lease_id = any($1) and a.released_at is null`,
    [leaseIds],
  );
  return rows.map(({ settlement }) => settlement).sort();
}

/** Returns a fingerprint of all lines through a date, which no operation may change while the periods are closed. */
export async function fingerprintThrough(database: Client, date: string): Promise<string> {
  const { rows } = await database.query<{ fingerprint: string }>(
    "select concat_ws(' ', count(*), sum(debit_cents), sum(hashtext(id::text))) as fingerprint from journal_line where entry_date <= $1",
    [date],
  );
  return rows[0]!.fingerprint;
}

/** Returns the number of journal entries other than those of bank deposits. */
export async function countEntries(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "select count(*)::int as count from journal_entry where source <> 'deposit' and source_type is distinct from 'deposit'",
  );
  return rows[0]!.count;
}

const TABLES = [
  "journal_entry",
  "journal_line",
  "charge",
  "payment",
  "payment_allocation",
  "payment_refund",
  "payment_reversal",
  "charge_credit",
  "bank_deposit",
];

/** Returns the row counts, account balances and open amounts, which a refused command must leave unchanged. */
export async function takeSnapshot(database: Client): Promise<unknown[]> {
  const counts = TABLES.map((table) => `select '${table}' as name, count(*) as value from ${table}`);
  const balances = "select account_id::text, sum(debit_cents - credit_cents) from account_month group by 1";
  const openAmounts =
    "select 'open charges', coalesce(sum(balance_cents), 0) from charge union all select 'unallocated', coalesce(sum(unallocated_cents), 0) from payment";
  return (await database.query({ name: "take_snapshot", text: [...counts, balances, openAmounts].join(" union all ") + " order by 1" })).rows;
}
