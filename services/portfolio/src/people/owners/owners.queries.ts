import type { Owner, owners } from "@freehold/contract/people/owners";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { balanceCents, hasBalance, withBalances } from "../balances.queries.ts";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { sql } from "@freehold/kit/db/statement";

export type OwnerRow = Omit<Owner, "balanceCents"> & { version: number };

const columns = sql`o.id, o.organization_id, o.full_name, o.email, o.phone, o.is_active, o.company_name, o.mailing_address, o.include1099, o.w9_received_on,
  o.payout_method, o.hold_payouts, o.statement_deliver, o.tax_id_type, o.tax_id_last4, o.user_id, o.portal_status, o.created_at, o.updated_at, o.deleted_at, o.version`;

/** One owner, or 404; a deleted one only to whom just deleted it. */
export async function getOwnerRow(db: StatementRunner, id: string, deletedToo = false): Promise<OwnerRow> {
  const row = await db.first(sql<OwnerRow>`select ${columns} from owner o
    where o.organization_id = ${db.organizationId} and o.id = ${id} and (${deletedToo} or o.deleted_at is null)`);
  if (!row) throw notFound("Owner");
  return row;
}

type OwnerFilters = QueryOf<(typeof owners)["operations"]["listOwners"]>;

/** A page of owners. Search looks at names and the e-mail address. What is owed to them is the ledger's to say. */
export function listOwnerRows(db: OrgDb, query: OwnerFilters, balances?: OpenBalances): Promise<Page<OwnerRow>> {
  const { search, propertyId, isActive } = query;
  const like = search !== undefined ? containsPattern(search) : "";
  return listPage<OwnerRow>(db, query, {
    select: columns,
    from: withBalances(sql`owner o`, sql`o.id`, query, balances),
    table: "o",
    totalName: "owner",
    where: [
      ...listConditions(db, "o", query),
      search !== undefined && sql`(o.full_name ilike ${like} or o.email ilike ${like} or o.company_name ilike ${like})`,
      query.hasBalance !== undefined && hasBalance(sql`o.id`, query.hasBalance, balances),
      isActive !== undefined && sql`o.is_active = ${isActive}`,
      propertyId !== undefined &&
        sql`exists (select 1 from property_owner po where po.organization_id = o.organization_id and po.owner_id = o.id and po.property_id = ${propertyId})`,
    ],
    sorts: { fullName: sql`o.full_name`, balanceCents, createdAt: sql`o.created_at` },
  });
}

/** Whether a live property still belongs to the owner. */
export async function ownsProperty(db: StatementRunner, ownerId: string): Promise<boolean> {
  const owned = await db.first(sql`select 1 as one from property p where p.organization_id = ${db.organizationId} and p.deleted_at is null and p.id in (
      select property_id from property_owner where organization_id = ${db.organizationId} and owner_id = ${ownerId}
      union all select property_id from property_share where organization_id = ${db.organizationId} and owner_id = ${ownerId} and applied_at is null) limit 1`);
  return owned !== undefined;
}
