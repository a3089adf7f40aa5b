/** Queries of the checks of a bank account. */
import type { Check } from "@freehold/contract/trust/check-register";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Check with the id of the owner whose name portfolio has. */
export type CheckRow = Check & { ownerId: string | null };

interface Period {
  bankAccountId: string;
  from: string;
  to: string;
}

/** Selects the checks of a bank account of all days, with their numbers as they were recorded. */
function selectChecks({ organizationId }: StatementRunner, bankAccountId: string): RawBuilder<unknown> {
  const ofAccount = (alias: string, column = "bank_account_id") =>
    sql`${sql.ref(`${alias}.organization_id`)} = ${organizationId} and ${sql.ref(`${alias}.${column}`)} = ${bankAccountId}`;
  const tenantName = (id: RawBuilder<unknown>) => sql`(select t.full_name from tenant_copy t where t.organization_id = ${organizationId} and t.id = ${id})`;
  return sql`
    select p.reference_number as number, v.name as payee, null::uuid as owner_id, p.amount_cents, p.status in ('failed', 'voided') as is_voided,
        p.status = 'pending' as is_pending, 'expense_payment' as entity_type, p.id as entity_id, p.entry_id
      from expense_payment p left join vendor_copy v on v.organization_id = p.organization_id and v.id = p.vendor_id
      where ${ofAccount("p")} and p.payment_method = 'check'
    union all select o.reference_number, null, o.owner_id, o.amount_cents, o.status = 'voided', false, 'owner_payable', o.id, o.entry_id
      from owner_payable o where ${ofAccount("o")} and o.method = 'check' and o.entry_id is not null
    union all select d.reference_number, coalesce(nullif(array_to_string(d.payees, ', '), ''), ${tenantName(sql`deposit.tenant_id`)}), null, d.amount_cents,
        d.voided_at is not null, false, 'security_deposit', d.security_deposit_id, d.entry_id
      from security_deposit_transaction d join security_deposit deposit on deposit.organization_id = d.organization_id and deposit.id = d.security_deposit_id
      where ${ofAccount("d")} and d.kind = 'refund' and d.method = 'check' and d.entry_id is not null
    union all select r.reference_number, ${tenantName(sql`p.tenant_id`)}, null, r.amount_cents, r.voided_at is not null, false, 'payment', r.payment_id, r.entry_id
      from payment_refund r join payment p on p.organization_id = r.organization_id and p.id = r.payment_id
      where ${ofAccount("r", "trust_bank_account_id")} and r.method = 'check'`;
}

/** Selects the number of a check that is numeric, without leading zeros; null for another one. */
const numeric = sql`case when number ~ '^[0-9]{1,15}$' then number::bigint end`;

/** Selects the checks of a period, at most `limit`, by number. */
export const selectCheckRegister = (db: StatementRunner, { bankAccountId, from, to }: Period, limit: number): RawBuilder<CheckRow> => sql<CheckRow>`
  select c.number, e.entry_date as date, c.payee, c.owner_id, c.amount_cents,
    case when c.is_voided then 'voided' when cleared.id is not null then 'cleared' when c.is_pending then 'pending' else 'issued' end as status,
    cleared.id as reconciliation_id, cleared.statement_end_date as cleared_on, c.entity_type, c.entity_id, c.entry_id as journal_entry_id
  from (${selectChecks(db, bankAccountId)}) c
    join journal_entry e on e.organization_id = ${db.organizationId} and e.id = c.entry_id
    left join lateral (select r.id, r.statement_end_date from reconciliation_item i
        join reconciliation r on r.organization_id = i.organization_id and r.id = i.reconciliation_id and r.status = 'finalized'
      where i.organization_id = ${db.organizationId} and i.entry_id = c.entry_id and i.bank_account_id = ${bankAccountId} and i.is_cleared and i.is_live) cleared on not c.is_voided
  where e.entry_date between ${from} and ${to}
  order by ${numeric} nulls last, c.number nulls last, e.entry_date, c.entry_id limit ${limit}`;

/** Selects the ranges of numbers between the first and the last check of a period that no check of the account has. */
export const selectMissingNumbers = (db: StatementRunner, { bankAccountId, from, to }: Period): RawBuilder<{ firstNumber: number; lastNumber: number }> => sql`
  with check_number as (select distinct ${numeric} as n, e.entry_date between ${from} and ${to} as is_in_period from (${selectChecks(db, bankAccountId)}) c
      join journal_entry e on e.organization_id = ${db.organizationId} and e.id = c.entry_id where ${numeric} is not null),
    followed as (select n, lead(n) over (order by n) as next from (select distinct n from check_number) used
      where n between (select min(n) from check_number where is_in_period) and (select max(n) from check_number where is_in_period))
  select n + 1 as first_number, next - 1 as last_number from followed where next > n + 1 order by n`;
