/**
 * Bugs that are planted in a copy of the books, each of which the invariants must notice. The copy consists of temporary tables, which
 * hide those of the schema from the connection, so that no trigger refuses a bug and nobody else waits.
 */
import type { Client } from "pg";
import type { Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { findViolations } from "../invariants.queries.ts";

const TABLES = [
  "journal_entry",
  "journal_line",
  "account_month",
  "account_day",
  "list_total",
  "charge",
  "charge_credit",
  "payment",
  "payment_allocation",
  "payment_refund",
  "bank_deposit",
  "bank_deposit_payment",
];

export interface Bug {
  /** Statements that plant the bug; each changes at least one row. */
  plant: string[];
  /** Part of the invariant that notices it. */
  violates: string;
  /** Leaves the totals by account as they were before the bug. The default is that the totals follow the lines. */
  isWithoutTotals?: true;
}

const account = (code: string) => `(select id from category where code = '${code}')`;
/** Selects the id of one line of an account in an entry of a source. */
const lineOf = (source: string, code: string, condition = "true") =>
  `(select l.id from journal_line l join journal_entry e on e.id = l.entry_id
    where e.source = '${source}' and e.status = 'posted' and l.account_id = ${account(code)} and ${condition} order by l.id limit 1)`;
/** Selects the entry of one live allocation of a credit to a charge of income, neither of which was reopened. */
const settlement = `(select e.id from payment_allocation a join journal_entry e on e.id = a.entry_id join charge c on c.id = a.charge_id join payment p on p.id = a.payment_id
  where a.released_at is null and e.source = 'allocation' and c.category_id not in (${account("2110")}, ${account("2150")}) and e.moved_from is null and c.reopened_on is null and p.credit_released_on is null order by a.id limit 1)`;
/** Selects a column of one charge of income that has neither credits nor payments. */
const unpaidCharge = (column: "id" | "entry_id") => `(select ${column} from charge where status <> 'voided' and allocated_cents = 0 and credited_cents = 0
  and category_id not in (${account("2110")}, ${account("2150")}) order by id limit 1)`;
/** Posts the entries that a query selects once more. */
const postAgain = (entries: string) => [
  `insert into journal_entry select (jsonb_populate_record(e, jsonb_build_object('id', md5(e.id::text)::uuid))).* from journal_entry e where e.id = ${entries}`,
  `insert into journal_line select (jsonb_populate_record(l, jsonb_build_object('id', md5(l.id::text)::uuid, 'entry_id', md5(l.entry_id::text)::uuid))).*
    from journal_line l where l.entry_id = ${entries}`,
];

export const plantedBugs: Record<string, Bug> = {
  "a receivable without its lease": {
    plant: [`update journal_line set lease_id = null where id = ${lineOf("charge", "1100")}`],
    violates: "accounts receivable equals the open charges, by lease_id",
  },
  "a receivable of the other tenant": {
    plant: [
      `update journal_line l set tenant_id = (select tenant_id from charge where tenant_id <> l.tenant_id limit 1) where id = ${lineOf("charge", "1100")}`,
    ],
    violates: "accounts receivable equals the open charges, by tenant_id",
  },
  "a receipt without its property": {
    plant: [`update journal_line set property_id = null where id = ${lineOf("payment", "1050")}`],
    violates: "an entry that an operation posts balances in each property",
  },
  "a credit on another lease": {
    plant: [
      `update journal_line l set lease_id = (select lease_id from charge where lease_id <> l.lease_id limit 1) where id = ${lineOf("payment", "2150", "l.lease_id is not null")}`,
    ],
    violates: "by lease_id",
  },
  "a settlement one day early": {
    plant: [
      `update journal_entry set entry_date = entry_date - 1 where id = ${settlement}`,
      `update journal_line set entry_date = entry_date - 1 where entry_id = ${settlement}`,
    ],
    violates: "unless the charge or the credit was reopened",
  },
  "a line one day after its entry": {
    plant: [`update journal_line set entry_date = entry_date + 1 where id = ${lineOf("charge", "1100")}`],
    violates: "a line has the date of its entry",
  },
  "a charge that is posted twice": {
    plant: postAgain(unpaidCharge("entry_id")),
    violates: "the income of a charge equals its amount",
  },
  "a payment that is posted twice": {
    plant: postAgain("(select entry_id from payment where status = 'received' order by id limit 1)"),
    violates: "the money of each payment is at the bank of its deposit",
  },
  "income in another account": {
    plant: [`update journal_line l set account_id = ${account("5010")} where l.entry_id = ${unpaidCharge("entry_id")} and l.credit_cents > 0`],
    violates: "the income of a charge equals its amount",
  },
  "a settlement without income on the cash basis": {
    plant: [`update journal_line set cash_account_id = null where entry_id = ${settlement} and cash_account_id is not null`],
    violates: "the income of a charge on the cash basis",
  },
  "one side of a settlement on the cash basis only": {
    plant: [
      `update journal_line set cash_account_id = null where id = (select id from journal_line where entry_id = ${settlement} and cash_account_id is not null limit 1)`,
    ],
    violates: "an entry balances on the cash basis",
  },
  "a cent that is rounded away": {
    plant: [`update journal_line set debit_cents = debit_cents + 1 where id = ${lineOf("payment", "1050")}`],
    violates: "the lines of a posted entry sum to its totals",
  },
  "an allocation that the charge does not count": {
    plant: [`delete from payment_allocation where id = (select id from payment_allocation where released_at is null order by id limit 1)`],
    violates: "the allocated amount of a charge equals its live allocations",
  },
  "a credit of a payment that is spent and kept": {
    plant: [`update payment set unallocated_cents = unallocated_cents + 1 where id = (select id from payment where status = 'received' order by id limit 1)`],
    violates: "a payment equals its live allocations",
  },
  "a voided charge whose income stays": {
    plant: [`update charge set status = 'voided' where id = ${unpaidCharge("id")}`],
    violates: "and is none when it is voided",
  },
  "a waiver that the charge does not count": {
    plant: [`update charge_credit set reversed_at = now() where id = (select id from charge_credit where reversed_at is null order by id limit 1)`],
    violates: "the credited amount of a charge equals its live credits",
  },
  "a refund that leaves undeposited funds instead of the bank": {
    plant: [
      `update journal_line l set account_id = ${account("1050")} from payment_refund r where r.voided_at is null and l.entry_id = r.entry_id and l.account_id = r.bank_account_id`,
    ],
    violates: "a refund is paid from its bank account",
  },
  "a deposit that leaves the money undeposited": {
    plant: [`delete from journal_line l using bank_deposit d where d.status = 'posted' and l.entry_id = d.entry_id`],
    violates: "the money of each payment is at the bank of its deposit",
  },
  "a reversal that leaves the reversed entry posted": {
    plant: [
      `update journal_entry set status = 'posted', reversed_by_id = null where id = (select reverses_id from journal_entry where reverses_id is not null limit 1)`,
    ],
    violates: "a reversal and the reversed entry refer to each other",
  },
  "a month's total that misses a line": {
    plant: [
      `update account_month set debit_cents = debit_cents - 1 where (account_id, month) = (select account_id, month from account_month where debit_cents > 0 limit 1)`,
    ],
    violates: "the monthly and daily totals of an account equal the sums of its lines",
    isWithoutTotals: true,
  },
};

/** Posts a document of each kind in which a bug is planted, since a random history may have none that is still in effect. */
export async function postOneOfEach(office: Office, bankAccountId: string): Promise<void> {
  const tenancy = await aTenancy(office);
  const [settled, credited, voided] = await Promise.all([100, 60, 40].map((cents) => aCharge(office, tenancy.leaseId, cents)));
  await aCharge(office, tenancy.leaseId, 70);
  const pay = async (cents: number) => (await office.call("recordPayment", { body: aPayment(tenancy, cents) })).payment.id;
  const [allocated, refunded, deposited] = [await pay(100), await pay(50), await pay(30)];
  await office.call("allocatePayment", { params: { id: allocated }, body: { allocations: [{ chargeId: settled!, amountCents: 100 }] } });
  await office.call("refundPayment", { params: { id: refunded }, body: { amountCents: 20, method: "check", bankAccountId } });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-07", paymentIds: [deposited] } });
  await office.call("creditCharge", { params: { id: credited! }, body: { amountCents: 10, reason: "waive", creditedOn: "2026-01-07" } });
  await office.call("voidCharge", { params: { id: voided! }, body: { reason: "posted in error" } });
}

/** Recomputes the totals of the copy from its lines, as the triggers of the tables keep them. */
const totals = (["month", "day"] as const).flatMap((period) => {
  const start = period === "month" ? "date_trunc('month', entry_date)::date" : "entry_date";
  const side = (accountId: string, [debit, credit, cashDebit, cashCredit]: readonly string[]) =>
    `select organization_id, ${accountId} as account_id, ${start} as period, ${debit} as d, ${credit} as c, ${cashDebit} as cd, ${cashCredit} as cc from journal_line where ${accountId} is not null`;
  return [
    `delete from account_${period}`,
    `insert into account_${period} (organization_id, account_id, ${period}, debit_cents, credit_cents, cash_debit_cents, cash_credit_cents)
      select organization_id, account_id, period, sum(d), sum(c), sum(cd), sum(cc)
      from (${side("account_id", ["debit_cents", "credit_cents", "0", "0"])} union all ${side("cash_account_id", ["0", "0", "debit_cents", "credit_cents"])}) lines group by 1, 2, 3`,
  ];
});

/** Copies tables of the organization's books into temporary tables of the connection, in a transaction. */
export async function copyBooks(database: Client, tables: readonly string[] = TABLES): Promise<void> {
  await database.query("begin");
  for (const table of tables) await database.query(`create temp table ${table} on commit drop as select * from ${table}`);
  for (const table of tables) await database.query(`analyze pg_temp.${table}`);
}

/**
 * Plants a bug in the copy, and takes it out again. Returns the number of rows that each statement changed and the violations of the
 * invariants of `find`.
 */
export async function findPlanted(
  database: Client,
  { plant, isWithoutTotals }: Bug,
  find = findViolations,
): Promise<{ changed: number[]; violations: string[] }> {
  await database.query("savepoint intact");
  const changed: number[] = [];
  for (const statement of plant) changed.push((await database.query(statement)).rowCount ?? 0);
  if (!isWithoutTotals) for (const statement of totals) await database.query(statement);
  const violations = await find(database);
  await database.query("rollback to savepoint intact");
  return { changed, violations };
}
