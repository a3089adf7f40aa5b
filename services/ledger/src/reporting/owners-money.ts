/** Money of the owners of properties: what the properties have earned, less what was spent and paid to owners. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { getChart } from "../chart/categories.ts";
import { OWNER_PAYABLE } from "../chart/chart.ts";
import { accountMovements } from "./account-movements.ts";

/**
 * Returns the money of the owners of one property or of all at the end of a day in cents: income, expenses and equity of properties on
 * the cash basis, and account 2200. Amounts that name no property belong to the management company.
 */
export async function readOwnersMoney(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<number> {
  const chart = await getChart(db);
  const isOwners = sql`a.organization_id = ${db.organizationId} and (a.account_type in ('income', 'expense', 'equity') or a.id = ${chart.accountId(OWNER_PAYABLE)})`;
  const ofCompany = sql`select sum(l.credit_cents - l.debit_cents) from journal_line l join category a on a.organization_id = l.organization_id and a.id = l.cash_account_id
    where l.organization_id = ${db.organizationId} and l.property_id is null and l.entry_date <= ${asOf} and ${isOwners}`;
  const row = await db.first(sql<{ cents: number }>`select ${clampSumToSafeInteger(sql`coalesce(sum(m.credit_cents - m.debit_cents), 0)
      - ${propertyId === undefined ? sql`coalesce((${ofCompany}), 0)` : sql`0`}`)} as cents
    from (${accountMovements(db, { basis: "cash", propertyId }, undefined, asOf)}) m join category a on a.id = m.account_id where ${isOwners}`);
  return row!.cents;
}
