/** Money of owners that was received but is not in the bank accounts from which they are paid. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import type { ShareTerm } from "../ownership.rules.ts";
import { selectOwnedMovements } from "./owner-ledger.queries.ts";
import type { MoneyScope } from "./property-figures.queries.ts";

/** Selects what each owner of properties has earned by payments whose money is undeposited or, for one bank account, in another trust account at the end of a day. */
export function selectMoneyElsewhere(
  db: StatementRunner,
  chart: Chart,
  terms: readonly ShareTerm[],
  { asOf, bankAccountId }: MoneyScope,
): RawBuilder<{ propertyId: string; ownerId: string; cents: number }> {
  const propertyIds = [...new Set(terms.map(({ propertyId }) => propertyId))];
  const inOtherAccount = bankAccountId === undefined ? sql`false` : sql`l.bank_account_id in (select id from account where id <> ${bankAccountId})`;
  return sql`with account as (select id from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'),
      elsewhere as materialized (select l.payment_id from journal_line l
        where l.organization_id = ${db.organizationId} and l.property_id = any(${propertyIds}::uuid[]) and l.payment_id is not null and l.entry_date <= ${asOf}
          and (l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} or ${inOtherAccount})
        group by l.payment_id having sum(l.debit_cents) > sum(l.credit_cents))
    select m.property_id, m.owner_id, ${clampSumToSafeInteger(sql`sum(m.own_cents)`)} as cents
    from (${selectOwnedMovements(db, terms, { basis: "cash", ledgerVersion: undefined }, sql`l.payment_id in (select payment_id from elsewhere)`)}) m
    where m.entry_date <= ${asOf} group by 1, 2 having sum(m.own_cents) > 0`;
}
