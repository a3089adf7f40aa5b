/** Money of each owner of properties in a bank account, by the own ledgers. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { shareTerms } from "../ownership.rules.ts";
import type { OwnMoney } from "./money-in-account.rules.ts";
import { selectOwnedMovements, selectOwnerBalances } from "./owner-ledger.queries.ts";

/** Money of an owner at a property. */
export type OwnMoneyRow = OwnMoney & { propertyId: string };

/**
 * Selects the money of each owner of properties at the end of a day: the balance of the own ledger, and what of it has moved in a bank account and
 * elsewhere. What a payment has settled is where the money of the payment is, and an entry without a payment where it has moved money. A row without an
 * owner has what entries that name no owner have moved to the account from other ones.
 */
export function selectMoneyInAccount(
  db: StatementRunner,
  chart: Chart,
  account: { id: string; categoryId: string },
  properties: readonly OwnedProperty[],
  asOf: string,
): RawBuilder<OwnMoneyRow> {
  const terms = properties.flatMap(shareTerms);
  const propertyIds = properties.map(({ propertyId }) => propertyId);
  const movements = (condition: RawBuilder<unknown>) => selectOwnedMovements(db, terms, { basis: "cash", ledgerVersion: undefined }, condition);
  const isIn = (place: RawBuilder<unknown>) =>
    sql`(l.payment_id in (select payment_id from held where is_here = ${place}) or (l.payment_id is null and l.entry_id in (select entry_id from located where is_here = ${place})))`;
  const cents = (column: string) => sql`${clampSumToSafeInteger(sql`coalesce(sum(cents) filter (where kind = ${sql.lit(column)}), 0)`)}`;
  return sql<OwnMoneyRow>`with trust as materialized (select id, category_id from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'),
      money as materialized (select l.property_id, l.payment_id, l.entry_id, l.owner_id, coalesce(l.bank_account_id = ${account.id} and l.account_id = ${account.categoryId}, false) as is_here,
          l.debit_cents - l.credit_cents as cents
        from journal_line l where l.organization_id = ${db.organizationId} and l.property_id = any(${propertyIds}::uuid[]) and l.entry_date <= ${asOf}
          and (l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} or (l.bank_account_id, l.account_id) in (select id, category_id from trust))),
      held as materialized (select payment_id, is_here from money where payment_id is not null group by 1, 2 having sum(cents) > 0),
      named as materialized (select money.property_id, money.owner_id, money.is_here, money.cents from money
        join journal_entry e on e.organization_id = ${db.organizationId} and e.id = money.entry_id where e.source_type = 'transfer' and money.owner_id is not null),
      located as materialized (select entry_id, bool_or(is_here) as is_here from money where payment_id is null group by 1)
    select property_id, owner_id, ${cents("balance")} as balance_cents, ${cents("elsewhere")} as elsewhere_cents, ${cents("here")} as here_cents,
      ${cents("transfer")} as transferred_cents
    from (select 'balance' as kind, property_id, owner_id, balance_cents as cents from (${selectOwnerBalances(db, terms, asOf)}) balance
      union all select 'elsewhere', property_id, owner_id, own_cents from (${movements(isIn(sql`false`))}) movement where entry_date <= ${asOf}
      union all select 'here', property_id, owner_id, own_cents from (${movements(isIn(sql`true`))}) movement where entry_date <= ${asOf}
      union all select kind, property_id, owner_id, cents from named cross join lateral (values ('transfer'), (case when is_here then 'here' else 'elsewhere' end)) part (kind)
      union all select 'transfer', property_id, null, cents from (select property_id, is_here, cents, sum(cents) over (partition by property_id, entry_id) as net_cents
          from money where payment_id is null and owner_id is null) ownerless
        where is_here and net_cents = 0) part
    group by 1, 2`;
}
