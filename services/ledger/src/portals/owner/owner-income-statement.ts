/** Income statement of an owner, in the owner portal. */
import type { OwnerIncomeStatement, ownerPortalMoney } from "@freehold/contract/portals/owner-portal-money";
import type { QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { selectOwnedMovements } from "../../owners/ledgers/owner-ledger.queries.ts";
import { shareTerms } from "../../owners/ownership.rules.ts";
import { incomeStatement, type AccountAmount } from "./owner-income-statement.rules.ts";
import { openOwnerAccess } from "./owner-access.ts";

type Query = QueryOf<typeof ownerPortalMoney.operations.getOwnerPortalIncomeStatement>;

/** Returns the income and expenses of the caller in a period. Throws a 404 for a property that the caller never owned. */
export async function getOwnerPortalIncomeStatement(
  caller: OrgDb,
  clients: Clients,
  { propertyId, from, to, basis }: Query,
): Promise<{ report: OwnerIncomeStatement }> {
  const { db, ownerId, properties } = await openOwnerAccess(caller, clients, propertyId);
  const rows = await db.all(sql<AccountAmount>`
    select m.property_id, m.code as account_code, m.name as account_name, a.account_type, ${clampSumToSafeInteger(sql`sum(m.own_cents)`)} as own_cents
    from (${selectOwnedMovements(db, properties.flatMap(shareTerms), { basis, ledgerVersion: undefined })}) m
      join category a on a.organization_id = ${db.organizationId} and a.id = m.account_id and a.account_type in ('income', 'expense')
    where m.owner_id = ${ownerId} and m.entry_date between ${from} and ${to}
    group by 1, 2, 3, 4 having sum(m.own_cents) <> 0 order by 2`);
  return { report: { from, to, basis, ...incomeStatement(properties, rows) } };
}
