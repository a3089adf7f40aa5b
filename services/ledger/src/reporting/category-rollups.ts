import type { accountingReports } from "@freehold/contract/ledger/accounting-reports";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { clampSumToSafeInteger } from "@freehold/domain/money";

type Operation = typeof accountingReports.operations.listCategoryRollups;

/**
 * Returns the net change of each account with journal lines between two dates, both included. Amounts on the side of the account's
 * normal balance are positive.
 */
export async function listCategoryRollups(
  db: OrgDb,
  { startDate, endDate, propertyId, unitId, ...query }: QueryOf<Operation>,
): Promise<Output<Operation>["rollups"]> {
  const basis = query.basis ?? (await getLedgerSettings(db)).defaultBasis;
  const accountId = sql.ref(basis === "cash" ? "l.cash_account_id" : "l.account_id");
  return db.all(sql<Output<Operation>["rollups"][number]>`
    select c.code as category_code, count(distinct l.entry_id) as transaction_count,
      ${clampSumToSafeInteger(sql`sum(case c.normal_balance when 'debit' then l.debit_cents - l.credit_cents else l.credit_cents - l.debit_cents end)`)} as net_amount_cents
    from journal_line l join category c on c.organization_id = l.organization_id and c.id = ${accountId}
    where l.organization_id = ${db.organizationId} and l.entry_date between ${startDate} and ${endDate}
      and (${propertyId ?? null}::uuid is null or l.property_id = ${propertyId ?? null}::uuid) and (${unitId ?? null}::uuid is null or l.unit_id = ${unitId ?? null}::uuid)
    group by c.code order by c.code`);
}
