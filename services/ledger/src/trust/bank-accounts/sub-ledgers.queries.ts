/** Money in a bank account by beneficiary, derived from the journal. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output } from "@freehold/contract/operation";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT } from "../../chart/chart.ts";
import type { BankAccount } from "./bank-account.entity.ts";
import { bankLines } from "./register.queries.ts";

type SubLedger = Output<typeof bankAccounts.operations.listSubLedgers>["subLedgers"][number];

/** Money of one beneficiary: of a property, of a tenant at a property, or of the manager when there is neither. */
export type Beneficiary = Pick<SubLedger, "kind" | "propertyId" | "tenantId">;
type BeneficiaryBalance = Beneficiary & { balanceCents: number };

/** Restriction of sub-ledgers to some properties; null is money without a property. */
type PropertyFilter = readonly (string | null)[] | undefined;

/** Days of movements: movements before the first day are dated on it, and those after the last are left out. By default all have their own days. */
interface FlowDays {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Selects the movements of the money in a bank account as `kind`, `property_id`, `tenant_id`, `day` and `cents`. Deposits held and
 * prepaid rent are in the account from the day on which the money of their payment reaches it until the day on which it has left, for
 * instance by the void of its bank deposit, unless the line names another account, as those of transfers do. The rest of the money of a
 * property belongs to its owners; the rest of the money without a property to the manager. Only the payments of deposits held and prepaid rent are
 * followed day by day: they are a small part of all payments.
 */
export function selectFlows(
  db: StatementRunner,
  chart: Chart,
  account: Pick<BankAccount, "id" | "categoryId">,
  properties: PropertyFilter,
  { from, to }: FlowDays,
): RawBuilder<unknown> {
  const dated = (day: string) => (from === undefined ? sql.ref(day) : sql`greatest(${sql.ref(day)}, ${from}::date)`);
  const isSelected = (line: string) =>
    sql`${propertyCondition(line, properties)} and ${to === undefined ? sql`true` : sql`${sql.ref(`${line}.entry_date`)} <= ${to}`}`;
  const isHeld = (line: string) => sql`${sql.ref(`${line}.organization_id`)} = ${db.organizationId}
    and ${sql.ref(`${line}.account_id`)} in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)}) and ${isSelected(line)}`;
  const lines = sql`${bankLines(db, account)} and ${isSelected("l")}`;
  return sql`
    with money as (select l.property_id, ${dated("l.entry_date")} as day, sum(l.debit_cents - l.credit_cents) as cents from ${lines} group by 1, 2),
    held as materialized (
      select case l.account_id when ${chart.accountId(DEPOSITS_HELD)} then 'deposit' else 'prepaid' end as kind, l.property_id, l.tenant_id, l.payment_id, l.bank_account_id,
        l.entry_date, l.credit_cents - l.debit_cents as cents
      from journal_line l where ${isHeld("l")} and (l.bank_account_id = ${account.id} or (l.bank_account_id is null and l.payment_id is not null))),
    payment_money as (
      select l.payment_id, l.entry_date as day, sum(l.debit_cents - l.credit_cents) as cents from ${lines}
        and l.payment_id in (select h.payment_id from journal_line h where ${isHeld("h")} and h.bank_account_id is null) group by 1, 2),
    change as (
      select payment_id, day, is_held from (
        select payment_id, day, is_held, lag(is_held, 1, false) over (partition by payment_id order by day) as was_held from (
          select payment_id, day, sum(cents) over (partition by payment_id order by day) > 0 as is_held from payment_money) by_day) compared
      where is_held <> was_held),
    stay as materialized (
      select payment_id, arrived_on, left_on from (
        select payment_id, is_held, day as arrived_on, lead(day, 1, 'infinity') over (partition by payment_id order by day) as left_on from change) span
      where is_held),
    liability as materialized (
      select l.kind, l.property_id, coalesce(t.merged_into_id, l.tenant_id) as tenant_id, ${dated("move.day")} as day, move.sign * l.cents as cents
      from held l left join stay s on s.payment_id = l.payment_id and l.bank_account_id is null and l.entry_date < s.left_on
        left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = l.tenant_id and t.merged_into_id is not null
        cross join lateral (values (greatest(l.entry_date, s.arrived_on), 1), (s.left_on, -1)) as move(day, sign)
      where (l.bank_account_id is not null or s.payment_id is not null) and move.day < 'infinity')
    select kind, property_id, tenant_id, day, cents from liability
    union all select case when property_id is null then 'manager' else 'owner' end, property_id, null::uuid, day, cents from (
      select property_id, day, cents from money union all select property_id, day, -cents from liability) rest`;
}

/** Condition that names no other case than the filter has, so that the generic plan can use the index of the properties. */
function propertyCondition(line: string, properties: PropertyFilter): RawBuilder<unknown> {
  if (!properties) return sql`true`;
  const propertyId = sql.ref(`${line}.property_id`);
  const ids = properties.filter((id) => id !== null);
  const isOfIds = sql`${propertyId} = any(${ids}::uuid[])`;
  if (!properties.includes(null)) return isOfIds;
  return ids.length === 0 ? sql`${propertyId} is null` : sql`(${isOfIds} or ${propertyId} is null)`;
}

/** Selects the money in a bank account by beneficiary at the end of a day, without balances of zero unless requested. */
export const selectSubLedgers = (
  db: StatementRunner,
  chart: Chart,
  account: Pick<BankAccount, "id" | "categoryId">,
  asOf: string,
  { includesEmpty = false } = {},
): RawBuilder<BeneficiaryBalance> =>
  sql<BeneficiaryBalance>`select kind, property_id, tenant_id, sum(cents)::bigint as balance_cents from (${selectFlows(db, chart, account, undefined, { from: asOf, to: asOf })}) flow
    group by 1, 2, 3 having ${includesEmpty} or sum(cents) <> 0`;
