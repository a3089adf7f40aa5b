/** Expenses of the properties of an owner, in the owner portal. */
import type { OwnerExpense, ownerPortalMoney } from "@freehold/contract/portals/owner-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { selectOwnedMovements } from "../../owners/ledgers/owner-ledger.queries.ts";
import { shareTerms } from "../../owners/ownership.rules.ts";
import { openOwnerAccess } from "./owner-access.ts";

type Operation = typeof ownerPortalMoney.operations.listOwnerPortalExpenses;
/** Row of a page: an expense, or nulls on an empty page, with the totals of all pages. */
type Row = Omit<OwnerExpense, "propertyName" | "journalEntryId"> & {
  journalEntryId: string | null;
  total: number;
  totalAmountCents: OwnerExpense["amountCents"];
};

/** Returns a page of the expenses that the caller bears in a period, by date. Throws a 404 for a property that the caller never owned. */
export async function listOwnerPortalExpenses(
  caller: OrgDb,
  clients: Clients,
  { propertyId, from, to, basis, page, pageSize }: QueryOf<Operation>,
): Promise<Output<Operation>> {
  const { db, ownerId, properties } = await openOwnerAccess(caller, clients, propertyId);
  const names = new Map(properties.map((property) => [property.propertyId, property.propertyName]));
  const order = sql`entry_date, entry_id, code, property_id, whose, owned_on`;
  const rows = await db.all(sql<Row>`
    with expense_movement as materialized (select m.* from (${selectOwnedMovements(db, properties.flatMap(shareTerms), { basis, ledgerVersion: undefined })}) m
        join category a on a.organization_id = ${db.organizationId} and a.id = m.account_id and a.account_type = 'expense'
      where m.owner_id = ${ownerId} and m.entry_date between ${from} and ${to}),
      total as (select count(*) as total, ${clampSumToSafeInteger(sql`-sum(own_cents)`)} as total_amount_cents from expense_movement),
      page as materialized (select * from expense_movement order by ${order} limit ${pageSize} offset ${(page - 1) * pageSize})
    select total.*, page.entry_id as journal_entry_id, page.entry_date as date, page.property_id, page.code as account_code, page.name as account_name, e.memo as description,
      page.share_bps, ${clampSumToSafeInteger(sql`-page.total_cents`)} as total_cents, ${clampSumToSafeInteger(sql`-page.own_cents`)} as amount_cents
    from total left join page on true left join journal_entry e on e.organization_id = ${db.organizationId} and e.id = page.entry_id
    order by page.entry_date, page.entry_id, page.code, page.property_id, page.whose, page.owned_on`);
  const { total, totalAmountCents } = rows[0]!;
  return {
    expenses: rows.flatMap((row) => expenseView(row, names)),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    totalAmountCents,
  };
}

function expenseView({ journalEntryId, total: _total, totalAmountCents: _totalAmountCents, ...row }: Row, names: ReadonlyMap<string, string>): OwnerExpense[] {
  return journalEntryId === null ? [] : [{ ...row, journalEntryId, propertyName: names.get(row.propertyId)! }];
}
