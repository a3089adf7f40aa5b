import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { PropertyMoney } from "@freehold/proto/ledger/v1/ledger";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { getChart } from "../../chart/categories.ts";
import { BANK_ACCOUNTS_BY_TYPE, UNDEPOSITED_FUNDS } from "../../chart/chart.ts";

/** Returns the money of a property in trust accounts and undeposited funds after all entries, whether any of them holds or lacks some, and its unpaid expenses. */
export async function getPropertyMoney(db: StatementRunner, propertyId: string): Promise<PropertyMoney> {
  const chart = await getChart(db);
  const row =
    await db.first(sql<PropertyMoney>`select ${clampSumToSafeInteger(sql`coalesce(sum(cents), 0)`)} as cents, coalesce(bool_or(cents <> 0), false) as is_held,
      (select ${clampSumToSafeInteger(sql`coalesce(sum(outstanding_cents), 0)`)} from expense
        where organization_id = ${db.organizationId} and property_id = ${propertyId} and outstanding_cents > 0) as unpaid_expense_cents
    from (select sum(l.debit_cents - l.credit_cents) as cents from journal_line l join category c on c.organization_id = l.organization_id and c.id = l.account_id
      where l.organization_id = ${db.organizationId} and l.property_id = ${propertyId} and ((c.is_bank and c.id <> ${chart.accountId(BANK_ACCOUNTS_BY_TYPE.business)}) or c.id = ${chart.accountId(UNDEPOSITED_FUNDS)})
      group by l.account_id, l.bank_account_id) place`);
  return row!;
}
