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
  select property_id, null::date as date, '' as account_code, '' as account_name, '' as account_type, '' as description, null::int as share_bps,
    ${clampSumToSafeInteger(sql`sum(own_cents)`)} as own_cents, null::uuid as entry_id
  from movement where entry_date < ${periodStart} group by property_id having sum(own_cents) <> 0
  union all
  select m.property_id, m.entry_date, m.code, m.name, a.account_type, e.memo, m.share_bps, ${clampSumToSafeInteger(sql`m.own_cents`)}, m.entry_id
  from movement m join journal_entry e on e.organization_id = ${db.organizationId} and e.id = m.entry_id
    join category a on a.organization_id = ${db.organizationId} and a.id = m.account_id
  where m.entry_date >= ${periodStart} order by date nulls first, entry_id, account_code`;
