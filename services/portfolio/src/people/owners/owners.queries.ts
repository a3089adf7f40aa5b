import type { Owner as OwnerView, owners } from "@freehold/contract/people/owners";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { foundIds } from "../../db/found-records.ts";
import { balanceCents, hasBalance, sortsByBalance, withBalances } from "../balances.queries.ts";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { sql } from "@freehold/kit/db/statement";
import { Owner } from "./owner.entity.ts";

export type OwnerRow = Omit<OwnerView, "balanceCents"> & { version: number };

const columns = columnsOf(Owner, "o", ["taxIdSealed", "matchName", "sameEmail"]);

/** Returns an owner. Throws 404, also for a deleted one unless `includeDeleted`. */
export async function getOwnerRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<OwnerRow> {
  const row = await db.first(sql<OwnerRow>`select ${columns} from owner o
    where o.organization_id = ${db.organizationId} and o.id = ${id} and (${includeDeleted} or o.deleted_at is null)`);
  if (!row) throw notFound("Owner");
  return row;
}

type OwnerFilters = QueryOf<(typeof owners)["operations"]["listOwners"]>;

/** Returns a page of owners. Search covers names and e-mail address. Sorting and filtering by balance need the ledger's `balances`. */
export function listOwnerRows(db: OrgDb, query: OwnerFilters, balances?: OpenBalances): Promise<Page<OwnerRow>> {
  const { search, propertyId, isActive } = query;
  return listPage<OwnerRow>(db, query, {
    select: columns,
    from: withBalances(sql`owner o`, sql`o.id`, sortsByBalance(query), balances),
    table: "o",
    totalName: "owner",
    where: [
      ...listConditions(db, "o", query),
      search !== undefined && sql`o.id in ${foundIds(db, "owner", search, ["full_name", "email", "company_name"])}`,
      query.hasBalance !== undefined && hasBalance(sql`o.id`, query.hasBalance, balances),
      isActive !== undefined && sql`o.is_active = ${isActive}`,
      propertyId !== undefined &&
        sql`exists (select 1 from property_owner po where po.organization_id = o.organization_id and po.owner_id = o.id and po.property_id = ${propertyId})`,
    ],
    sorts: { fullName: sql`o.full_name`, balanceCents, createdAt: sql`o.created_at` },
  });
}

/** Tells whether the owner has, or is scheduled to have, a share of a property that was not deleted. */
export async function ownsProperty(db: StatementRunner, ownerId: string): Promise<boolean> {
  const row = await db.first(sql`select 1 as one from property p where p.organization_id = ${db.organizationId} and p.deleted_at is null and p.id in (
      select property_id from property_owner where organization_id = ${db.organizationId} and owner_id = ${ownerId}
      union all select property_id from property_share where organization_id = ${db.organizationId} and owner_id = ${ownerId} and applied_at is null) limit 1`);
  return row !== undefined;
}
