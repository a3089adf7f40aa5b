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
): RawBuilder<unknown> {
  const isOfProperties = properties
    ? sql`(l.property_id = any(${properties.filter((id) => id !== null)}::uuid[]) or (l.property_id is null and ${properties.includes(null)}))`
    : sql`true`;
  return sql`
    with money as materialized (
      select l.payment_id, l.property_id, l.entry_date as day, sum(l.debit_cents - l.credit_cents) as cents from ${bankLines(db, account)} and ${isOfProperties} group by 1, 2, 3),
    held as materialized (
      select case l.account_id when ${chart.accountId(DEPOSITS_HELD)} then 'deposit' else 'prepaid' end as kind, l.property_id, l.tenant_id, l.payment_id, l.bank_account_id,
        l.entry_date, l.credit_cents - l.debit_cents as cents
      from journal_line l
      where l.organization_id = ${db.organizationId} and l.account_id in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)}) and ${isOfProperties}
        and (l.bank_account_id = ${account.id} or (l.bank_account_id is null and l.payment_id is not null))),
    change as (
      select payment_id, day, is_held from (
        select payment_id, day, is_held, lag(is_held, 1, false) over (partition by payment_id order by day) as was_held from (
          select payment_id, day, sum(sum(cents)) over (partition by payment_id order by day) > 0 as is_held from money
          where payment_id in (select payment_id from held where bank_account_id is null) group by 1, 2) dated) compared
      where is_held <> was_held),
    stay as materialized (
      select payment_id, arrived_on, left_on from (
        select payment_id, is_held, day as arrived_on, lead(day, 1, 'infinity') over (partition by payment_id order by day) as left_on from change) span
      where is_held),
    liability as materialized (
      select l.kind, l.property_id, coalesce(t.merged_into_id, l.tenant_id) as tenant_id, move.day, move.sign * l.cents as cents
      from held l left join stay s on s.payment_id = l.payment_id and l.bank_account_id is null and l.entry_date < s.left_on
        left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = l.tenant_id
        cross join lateral (values (greatest(l.entry_date, s.arrived_on), 1), (s.left_on, -1)) as move(day, sign)
      where (l.bank_account_id is not null or s.payment_id is not null) and move.day < 'infinity')
    select kind, property_id, tenant_id, day, cents from liability
    union all select case when property_id is null then 'manager' else 'owner' end, property_id, null::uuid, day, cents from (
      select property_id, day, cents from money union all select property_id, day, -cents from liability) rest`;
}

/** Selects the money in a bank account by beneficiary at the end of a day, without balances of zero unless requested. */
export const selectSubLedgers = (
  db: StatementRunner,
  chart: Chart,
  account: Pick<BankAccount, "id" | "categoryId">,
  asOf: string,
  { includesEmpty = false } = {},
): RawBuilder<BeneficiaryBalance> =>
  sql<BeneficiaryBalance>`select kind, property_id, tenant_id, sum(cents)::bigint as balance_cents from (${selectFlows(db, chart, account, undefined)}) flow
    where day <= ${asOf} group by 1, 2, 3 having ${includesEmpty} or sum(cents) <> 0`;
