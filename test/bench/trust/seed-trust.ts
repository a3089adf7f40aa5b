/** Seeds trust money by SQL: an owner and a management fee agreement per property, all payments in a bank account, and a bank statement. */
import type { Office } from "../../support/office.ts";
import { aBankAccount } from "../../../services/ledger/src/trust/trust.fixtures.ts";
import type { BenchSystem } from "../bench-system.ts";
import { withClient } from "../growth/seed.ts";

/** Bank account with the money of the owners, and one whose transactions are also on a statement. */
export interface SeededTrust {
  bankAccountId: string;
  statementAccountId: string;
}

const baseColumns = "organization_id, id, created_at, updated_at";
const newBase = "organization_id, gen_random_uuid(), now(), now()";

/** Gives each property an owner of its own. */
async function seedOwners(bench: BenchSystem, { organizationId }: Office): Promise<void> {
  await withClient(bench, "portfolio", async (client) => {
    await client.query(
      `create temp table property_seed as select organization_id, id as property_id, name, gen_random_uuid() as owner_id from property where organization_id = $1`,
      [organizationId],
    );
    await client.query(`insert into owner (${baseColumns}, full_name, email, is_active, include1099, payout_method, hold_payouts, statement_deliver, portal_status)
      select organization_id, owner_id, now(), now(), 'Owner of ' || name, 'owner@example.com', true, false, 'ach', false, 'email', 'none' from property_seed`);
    await client.query(
      `update property_owner o set owner_id = s.owner_id from property_seed s where o.organization_id = s.organization_id and o.property_id = s.property_id`,
    );
    await client.query("update list_total set rows = rows + (select count(*) from property_seed) where organization_id = $1 and list = 'owner' and shard = 0", [
      organizationId,
    ]);
    await client.query("vacuum (analyze) property_owner");
  });
}

/** Selects an account by its code. */
const account = (code: string) => `(select c.id from category c where c.organization_id = $1 and c.code = '${code}')`;

/** Deposits what is undeposited of each property, with one entry per month and property. */
const deposits = [
  `create temp table deposit_seed as select organization_id, gen_random_uuid() as entry_id, property_id, date_trunc('month', entry_date)::date as month,
      max(entry_date) as day, sum(debit_cents - credit_cents)::bigint as cents
    from journal_line where organization_id = $1 and account_id = ${account("1050")} group by 1, 3, 4`,
  `insert into journal_entry (${baseColumns}, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
    select organization_id, entry_id, now(), now(), 'Deposit of payments', day, day, 'posted', 'deposit', cents, cents from deposit_seed where $1::uuid is not null`,
  `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, lease_id, tenant_id, payment_id, bank_account_id)
    select l.organization_id, gen_random_uuid(), s.entry_id, side.account_id, side.account_id, s.day, side.debit, side.credit, l.property_id, l.lease_id, l.tenant_id, l.payment_id, side.bank
    from journal_line l join deposit_seed s on s.property_id = l.property_id and s.month = date_trunc('month', l.entry_date)::date
      cross join lateral (values (${account("1000")}, l.debit_cents, 0::bigint, $2::uuid), (${account("1050")}, 0, l.debit_cents, null)) side (account_id, debit, credit, bank)
    where l.organization_id = $1 and l.account_id = ${account("1050")} and l.debit_cents > 0`,
];

/** Agreements from two months ago on, as if the fees of earlier months were charged. */
const agreements = `insert into management_fee_agreement (${baseColumns}, property_id, effective_from, fee_type, percent_bps, waive_when_vacant, included_charge_types, manager_keeps_charge_types, category_id)
  select ${newBase}, property_id, date_trunc('month', current_date) - interval '2 months', 'percent_of_collected', 800, false, '{rent}', '{}', ${account("5040")} from (select distinct organization_id, property_id from deposit_seed) p where $1::uuid is not null`;

/** Transactions of some three hundred a day, each on the statement up to two days later. */
const statement = [
  `create temp table transaction_seed as select $1::uuid as organization_id, gen_random_uuid() as entry_id, n, current_date - 400 + (n / 300)::int as day, (1000 + n * 37 % 100000)::bigint as cents
    from generate_series(1, $2::int) n`,
  `insert into journal_entry (${baseColumns}, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
    select organization_id, entry_id, now(), now(), 'Interest', day, day, 'posted', 'adjustment', cents, cents from transaction_seed where $1::uuid is not null`,
  `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, bank_account_id)
    select s.organization_id, gen_random_uuid(), s.entry_id, side.account_id, side.account_id, s.day, side.debit, side.credit, side.bank from transaction_seed s
      cross join lateral (values (${account("1020")}, s.cents, 0::bigint, $2::uuid), (${account("4090")}, 0, s.cents, null)) side (account_id, debit, credit, bank) where s.organization_id = $1`,
  `insert into bank_statement_line (${baseColumns}, bank_account_id, upload_id, line_number, posted_on, amount_cents, description, line_key)
    select ${newBase}, $2::uuid, $2::uuid, n, day + n % 3, cents, 'Interest', sha256(n::text::bytea) from transaction_seed where organization_id = $1`,
];

/** Seeds the trust money of an organization whose leases were seeded, and a statement of a number of lines. */
export async function seedTrust(bench: BenchSystem, office: Office, statementLines: number): Promise<SeededTrust> {
  await seedOwners(bench, office);
  const bankAccountId = await aBankAccount(office, "operating", { name: "Owners" });
  const statementAccountId = await aBankAccount(office, "reserve", { name: "Statement" });
  const { organizationId } = office;
  await withClient(bench, "ledger", async (client) => {
    await client.query(deposits[0]!, [organizationId]);
    await client.query(deposits[1]!, [organizationId]);
    await client.query(deposits[2]!, [organizationId, bankAccountId]);
    await client.query(agreements, [organizationId]);
    await client.query(statement[0]!, [organizationId, statementLines]);
    await client.query(statement[1]!, [organizationId]);
    for (const rows of statement.slice(2)) await client.query(rows, [organizationId, statementAccountId]);
    await client.query("drop table deposit_seed, transaction_seed");
    await client.query("vacuum (analyze)");
  });
  return { bankAccountId, statementAccountId };
}
