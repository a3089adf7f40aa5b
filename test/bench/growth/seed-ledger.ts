/**
 * Seeds the ledger of an organization: a deposit at the start of each lease and rent every month, most of it paid, some
 * late, partially or in advance. For some leases the next month's rent is posted.
 */
import type pg from "pg";
import { CHARGED_AHEAD_INTERVAL, months, nextMonth } from "./sizes.ts";

/** Returns the id of the account with a code, as an SQL literal. */
type AccountIdByCode = (code: string) => string;

const baseColumns = "organization_id, id, created_at, updated_at";

const projections = [
  `insert into tenant_copy (${baseColumns}, full_name) select organization_id, tenant_id, created_at, created_at, full_name from lease_seed`,
  `insert into property_copy (${baseColumns}, name, city, state) select distinct organization_id, property_id, created_at, created_at, 'House ' || property_number, 'Albany', 'NY' from lease_seed`,
  `insert into unit_copy (${baseColumns}, property_id, unit_number) select organization_id, unit_id, created_at, created_at, property_id, unit_number::text from lease_seed`,
  `insert into lease_copy (${baseColumns}, tenancy_id, property_id, unit_id, tenant_id, payer_ids, status, start_date, end_date, billing_started_at)
    select organization_id, lease_id, created_at, created_at, lease_id, property_id, unit_id, tenant_id, array[tenant_id], 'active', start_date, end_date, created_at from lease_seed`,
];

/** Inserts the recurring charge rules; runs last, so that the ledger's posting job finds no due charges. */
const recurringChargeRules = (account: AccountIdByCode) =>
  `insert into recurring_charge_rule (${baseColumns}, lease_id, unit_id, property_id, tenant_id, amount_cents, category_id, day_of_month, start_date, end_date, post_from, kind, label, status,
      is_lease_rent, prorates_first_month)
    select organization_id, rule_id, created_at, created_at, lease_id, unit_id, property_id, tenant_id, rent_cents, ${account("4000")}, 1, start_date, end_date, '${months()[0]}', 'rent', 'Rent', 'active', true, true
    from lease_seed`;

/** Charges of one type in one month. */
interface ChargeMonth {
  chargeType: "deposit" | "rent";
  /** The first day of the month, on which the charge falls due. */
  day: string;
  /** Months before the current one; -1 for the next month, which has no payments. */
  monthsAgo: number;
}

/** SQL expressions of the paid amounts: 1 in 25 leases owes the current month, 1 in 100 the previous one, a few pay half, some pay in advance. */
function paymentAmounts({ chargeType, monthsAgo }: ChargeMonth): { appliedCents: string; prepaidCents: string } {
  if (monthsAgo < 0) return { appliedCents: "0", prepaidCents: "0" };
  if (chargeType === "deposit") return { appliedCents: "rent_cents", prepaidCents: "0" };
  if (monthsAgo === 0) return { appliedCents: "case when n % 25 = 0 then 0 when n % 40 = 1 then rent_cents / 2 else rent_cents end", prepaidCents: "0" };
  if (monthsAgo === 1) return { appliedCents: "case when n % 100 = 0 then 0 else rent_cents end", prepaidCents: "0" };
  return { appliedCents: "rent_cents", prepaidCents: monthsAgo === 6 ? "case when n % 50 = 7 then 2500 else 0 end" : "0" };
}

const dateOf = (timestamp: string) => `(${timestamp} at time zone 'America/New_York')::date`;

/** Creates a temporary table with the columns of all rows of the month, in order of payment. */
async function createMonthTable(client: pg.Client, month: ChargeMonth, account: AccountIdByCode): Promise<void> {
  const { appliedCents, prepaidCents } = paymentAmounts(month);
  const isDeposit = month.chargeType === "deposit";
  const id = (at: string, kind: number) => `pg_temp.id_of(${at}, ${kind}, key)`;
  const timestampAt = (offset: string) => `least('${month.day}'::timestamptz + ${offset} - interval '${isDeposit ? 3 : 0} hours', now() - interval '2 hours')`;
  await client.query("drop table if exists pg_temp.this_month");
  await client.query(`create temp table this_month as
    select *, ${dateOf("posted_at")} as posted_on, ${dateOf("received_at")} as received_on, ${id("posted_at", 16)} as charge_id, ${id("posted_at", 17)} as charge_entry_id,
      ${id("received_at", 18)} as payment_id, ${id("received_at", 19)} as payment_entry_id, ${id("received_at", 20)} as allocation_id,
      case applied_cents when rent_cents then 'paid' when 0 then 'pending' else 'partially_paid' end as charge_status
    from (select *, '${month.day}'::date as due_date, ${appliedCents} as applied_cents, ${prepaidCents} as prepaid_cents, '${isDeposit ? "Deposit" : "Rent"}' as charge_name,
        '${month.chargeType}' as charge_type, ${account(isDeposit ? "2110" : "4000")} as category_id,
        ${timestampAt("interval '9 hours' + n * interval '1 ms'")} as posted_at,
        ${timestampAt("n % 18 * interval '1 day' + interval '15 hours' + n % 3600 * interval '1 s'")} as received_at
      from lease_seed${month.monthsAgo < 0 ? ` where n % ${CHARGED_AHEAD_INTERVAL} = 0` : ""}) timed order by received_at, n`);
}

const chargeLines = (account: AccountIdByCode) =>
  `(values (1, ${account("1100")}, null::uuid, rent_cents, 0, charge_id, null::uuid), (2, category_id, null, 0, rent_cents, charge_id, null))
    as line (k, account_id, cash_account_id, debit, credit, charge_id, payment_id)`;

const depositCents = "case charge_type when 'deposit' then applied_cents else 0 end";

const paymentLines = (
  account: AccountIdByCode,
) => `(values (1, ${account("1050")}, ${account("1050")}, applied_cents + prepaid_cents, 0, null::uuid, payment_id),
  (2, ${account("1100")}, category_id, 0, applied_cents, charge_id, payment_id),
  (3, ${account("2110")}, ${account("2110")}, ${depositCents}, 0, charge_id, payment_id),
  (4, ${account("2100")}, ${account("2100")}, 0, ${depositCents}, charge_id, payment_id),
  (5, ${account("2150")}, ${account("2150")}, 0, prepaid_cents, null, payment_id)) as line (k, account_id, cash_account_id, debit, credit, charge_id, payment_id)`;

const insertLines = (entity: "charge" | "payment", datePrefix: string, kind: number, lines: string, description: string) => `insert into journal_line
  (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, unit_id, lease_id, tenant_id, charge_id, payment_id, description)
  select organization_id, pg_temp.id_of(${datePrefix}_at, ${kind}, key * 8 + k), ${entity}_entry_id, account_id, cash_account_id, ${datePrefix}_on, debit, credit,
    property_id, unit_id, lease_id, tenant_id, line.charge_id, line.payment_id, ${description}
  from this_month cross join lateral ${lines} where debit + credit > 0`;

const insertEntries = (entity: "charge" | "payment", datePrefix: string, memo: string, cents: string, total: string) => `insert into journal_entry
  (${baseColumns}, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
  select organization_id, ${entity}_entry_id, ${datePrefix}_at, ${datePrefix}_at, ${memo}, ${datePrefix}_at, ${datePrefix}_on, 'posted', '${entity}', ${total}, ${total} from this_month where ${cents} > 0`;

const storedResponse = `format('{"payment":{"id":"%1$s","organizationId":"%2$s","tenantId":"%3$s","leaseId":"%4$s","amountCents":%5$s,"tenant":{"id":"%3$s","fullName":"%6$s"},'
    || '"property":{"id":"%7$s"},"unit":{"id":"%8$s"},"allocations":[{"id":"%9$s","paymentId":"%1$s","chargeId":"%10$s","charge":{"id":"%10$s","name":"%11$s","status":"%12$s"}}]}}',
    payment_id, organization_id, tenant_id, lease_id, applied_cents + prepaid_cents, full_name, property_id, unit_id, allocation_id, charge_id, charge_name, charge_status)`;

const monthStatements = (account: AccountIdByCode) => [
  insertEntries("charge", "posted", "charge_name", "rent_cents", "rent_cents"),
  insertLines("charge", "posted", 21, chargeLines(account), "charge_name"),
  `insert into charge (${baseColumns}, lease_id, tenant_id, property_id, unit_id, recurring_charge_rule_id, name, charge_type, category_id, amount_cents, allocated_cents, credited_cents,
      balance_cents, due_date, posted_at, period_start, period_end, status, entry_id, overdue_announced_at)
    select organization_id, charge_id, posted_at, case when applied_cents > 0 then greatest(posted_at, received_at) else posted_at end, lease_id, tenant_id, property_id, unit_id,
      case charge_type when 'rent' then rule_id end, charge_name, charge_type, category_id, rent_cents, applied_cents, 0, rent_cents - applied_cents, due_date, posted_at,
      case charge_type when 'rent' then due_date end, case charge_type when 'rent' then (due_date + interval '1 month')::date - 1 end, charge_status, charge_entry_id,
      case when applied_cents < rent_cents and due_date < now() then due_date + interval '29 hours' end
    from this_month`,
  insertEntries("payment", "received", "'Payment from ' || full_name", "applied_cents + prepaid_cents", `applied_cents + prepaid_cents + ${depositCents}`),
  insertLines("payment", "received", 22, paymentLines(account), "'Payment'"),
  `insert into payment (${baseColumns}, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, received_at, status, idempotency_key, request_hash, answer, entry_id)
    select organization_id, payment_id, received_at, received_at, tenant_id, lease_id, property_id, unit_id, applied_cents + prepaid_cents, prepaid_cents,
      (array['ach', 'card', 'check'])[n % 3 + 1], received_at, 'received', payment_id::text, md5(payment_id::text), ${storedResponse}, payment_entry_id
    from this_month where applied_cents + prepaid_cents > 0`,
  `insert into payment_allocation (${baseColumns}, payment_id, charge_id, amount_cents, entry_id)
    select organization_id, allocation_id, received_at, received_at, payment_id, charge_id, applied_cents, payment_entry_id from this_month where applied_cents > 0`,
];

const accountTotals = (table: string, column: string, periodOfLine: string, organizationId: string) =>
  `insert into ${table} (organization_id, account_id, ${column}, shard, debit_cents, credit_cents, lines, cash_debit_cents, cash_credit_cents, cash_lines)
    select organization_id, account_id, ${periodOfLine}, 0, sum(debit_cents * is_accrual), sum(credit_cents * is_accrual), sum(is_accrual),
      sum(debit_cents * is_cash), sum(credit_cents * is_cash), sum(is_cash)
    from (select organization_id, account_id, entry_date, debit_cents, credit_cents, 1 as is_accrual, 0 as is_cash from journal_line where organization_id = '${organizationId}'
      union all select organization_id, cash_account_id, entry_date, debit_cents, credit_cents, 0, 1 from journal_line
        where organization_id = '${organizationId}' and cash_account_id is not null) line group by 1, 2, 3`;

/** Inserts the ledger rows of this connection's lease seeds month by month, then the balances that triggers maintain otherwise. */
export async function seedLedger(client: pg.Client, organizationId: string, log: (text: string) => void): Promise<void> {
  const { rows } = await client.query<{ code: string; id: string }>("select code, id from category where organization_id = $1", [organizationId]);
  const idByCode = new Map(rows.map(({ code, id }) => [code, `'${id}'::uuid`]));
  const account: AccountIdByCode = (code) => idByCode.get(code)!;
  for (const statement of projections) await client.query(statement);
  const monthStarts = months();
  const rents = monthStarts.map((day, index): ChargeMonth => ({ chargeType: "rent", day, monthsAgo: monthStarts.length - 1 - index }));
  const chargeMonths: ChargeMonth[] = [{ ...rents[0]!, chargeType: "deposit" }, ...rents, { chargeType: "rent", day: nextMonth(), monthsAgo: -1 }];
  for (const month of chargeMonths) {
    await createMonthTable(client, month, account);
    for (const statement of monthStatements(account)) await client.query(statement);
    if (month.monthsAgo % 10 === 0) log(`  ${organizationId} is seeded up to ${month.day}`);
  }
  await client.query(recurringChargeRules(account));
  await client.query(
    `insert into open_charge select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from charge where organization_id = '${organizationId}' and balance_cents > 0`,
  );
  await client.query(accountTotals("account_month", "month", "date_trunc('month', entry_date)::date", organizationId));
  await client.query(accountTotals("account_day", "day", "entry_date", organizationId));
  await client.query(
    `insert into list_total select organization_id, 'open_charge', 0, count(*), sum(balance_cents) from open_charge where organization_id = '${organizationId}' group by 1`,
  );
  const totals = { charge: "amount_cents", payment: "amount_cents", journal_entry: "debit_total_cents" };
  for (const [list, amount] of Object.entries(totals))
    await client.query(
      `insert into list_total select organization_id, '${list}', 0, count(*), sum(${amount}) from ${list} where organization_id = '${organizationId}' group by 1`,
    );
  await client.query(`insert into search_entry select * from search_source where organization_id = '${organizationId}'`);
}
