/** Money of owners that is not in the bank account from which they are paid. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import type { ShareTerm } from "../ownership.rules.ts";
import { isOfPayout, selectOwnedMovements } from "./owner-ledger.queries.ts";
import type { MoneyScope } from "./property-figures.queries.ts";

/** Money of an owner of a property that is elsewhere. */
export interface MoneyElsewhere {
  propertyId: string;
  ownerId: string;
  cents: number;
  /** Money of all owners of the property that is elsewhere. Less than the sum of theirs after a transfer that names no owner. */
  totalCents: number;
}

/**
 * Selects the money of the owners of properties that is undeposited or, for one bank account, in other trust accounts at the end of a day: what they have
 * earned by payments that are there, what was received, paid and transferred there for them.
 */
export function selectMoneyElsewhere(
  db: StatementRunner,
  chart: Chart,
  terms: readonly ShareTerm[],
  { asOf, bankAccountId, countsLaterPayouts = false }: MoneyScope,
): RawBuilder<MoneyElsewhere> {
  const ofProperties = sql`l.organization_id = ${db.organizationId} and l.property_id = any(${[...new Set(terms.map(({ propertyId }) => propertyId))]}::uuid[])`;
  const isCounted = (alias: string) =>
    sql`(${sql.ref(`${alias}.entry_date`)} <= ${asOf} or (${countsLaterPayouts} and ${isOfPayout(db, sql.ref(`${alias}.entry_id`))}))`;
  const isUndeposited = sql`l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)}`;
  const inOther = sql`l.bank_account_id in (select id from other)`;
  const isMoney = sql`(${isUndeposited} or (${inOther} and l.account_id in (select category_id from other)))`;
  const isThere = sql`(l.payment_id in (select payment_id from elsewhere) or (l.payment_id is null and l.entry_id in (select entry_id from located)))`;
  return sql`with other as materialized (select id, category_id from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'
        and id <> ${bankAccountId ?? null}),
      money as materialized (select l.property_id, l.payment_id, l.entry_id, l.owner_id, l.debit_cents - l.credit_cents as cents from journal_line l
        where ${ofProperties} and ${isMoney} and ${isCounted("l")}),
      elsewhere as materialized (select payment_id from money where payment_id is not null group by 1 having sum(cents) > 0),
      located as materialized (select distinct entry_id from money where payment_id is null),
      part as (select m.property_id, m.owner_id, m.own_cents as cents
          from (${selectOwnedMovements(db, terms, { basis: "cash", ledgerVersion: undefined }, isThere)}) m where ${isCounted("m")}
        union all select money.property_id, money.owner_id, money.cents from money join journal_entry e on e.organization_id = ${db.organizationId} and e.id = money.entry_id
          where e.source_type = 'transfer' and money.owner_id is not null),
      liability as (select l.property_id, l.debit_cents - l.credit_cents as cents from journal_line l
        where ${ofProperties} and l.account_id in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)}) and l.entry_date <= ${asOf}
          and (${inOther} or (l.bank_account_id is null and l.payment_id in (select payment_id from elsewhere)))),
      total as (select property_id, greatest(0, sum(cents)) as cents from (select property_id, cents from money union all select property_id, cents from liability) each group by 1)
    select part.property_id, part.owner_id, ${clampSumToSafeInteger(sql`sum(part.cents)`)} as cents, ${clampSumToSafeInteger(sql`max(total.cents)`)} as total_cents
    from part join total on total.property_id = part.property_id group by 1, 2 having sum(part.cents) > 0`;
}
