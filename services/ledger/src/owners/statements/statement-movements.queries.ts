/** Queries of the movements that an owner statement shows. */
import type { ownerStatements } from "@freehold/contract/trust/owner-statements";
import type { BodyOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { selectOwnedMovements } from "../ledgers/owner-ledger.queries.ts";
import type { ShareTerm } from "../ownership.rules.ts";
import type { StatementMovement } from "./owner-statement.rules.ts";

type Query = BodyOf<typeof ownerStatements.operations.createOwnerStatement> & { ownerId: string; ledgerVersion: number | undefined };

/** Selects the balance of an owner at each property before a period, and the movements of the period in the order of their dates. */
export const selectStatementMovements = (
  db: OrgDb,
  terms: readonly ShareTerm[],
  { ownerId, periodStart, periodEnd, basis, ledgerVersion }: Query,
): RawBuilder<StatementMovement> => sql<StatementMovement>`
  with movement as materialized (
    select * from (${selectOwnedMovements(db, terms, { basis, ledgerVersion })}) movement where owner_id = ${ownerId} and entry_date <= ${periodEnd})
  select property_id, null::date as date, '' as account_code, '' as account_name, '' as account_type, '' as description, null::text as vendor_name, null::int as share_bps,
    ${clampSumToSafeInteger(sql`sum(own_cents)`)} as own_cents, null::uuid as entry_id
  from movement where entry_date < ${periodStart} group by property_id having sum(own_cents) <> 0
  union all
  select m.property_id, m.entry_date, m.code, m.name, a.account_type, e.memo, vendor.name, m.share_bps, ${clampSumToSafeInteger(sql`m.own_cents`)}, m.entry_id
  from movement m join journal_entry e on e.organization_id = ${db.organizationId} and e.id = m.entry_id
    join category a on a.organization_id = ${db.organizationId} and a.id = m.account_id
    left join lateral (${selectVendorNames(db, basis)}) vendor on a.account_type = 'expense'
  where m.entry_date >= ${periodStart} order by date nulls first, entry_id, account_code`;

/** Selects the names of the vendors of the expenses in a movement `m`. */
const selectVendorNames = (db: OrgDb, basis: Query["basis"]): RawBuilder<unknown> =>
  sql`select string_agg(distinct v.name, ', ' order by v.name) as name
    from journal_line l join expense x on x.organization_id = l.organization_id and x.id = l.expense_id
      join vendor_copy v on v.organization_id = x.organization_id and v.id = coalesce(x.vendor_id, l.vendor_id)
    where l.organization_id = ${db.organizationId} and l.entry_id = m.entry_id and l.property_id = m.property_id and (coalesce(x.owned_on, x.incurred_on) = m.owned_on or e.source_type = 'expense')
      and ${sql.ref(basis === "cash" ? "l.cash_account_id" : "l.account_id")} = m.account_id and l.owner_id is not distinct from (case when m.whose = 'owner' then m.owner_id end)`;
