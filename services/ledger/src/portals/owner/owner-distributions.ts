/** Payouts to an owner, in the owner portal. */
import type { OwnerDistribution, ownerPortalMoney } from "@freehold/contract/portals/owner-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { openOwnerAccess } from "./owner-access.ts";

type Operation = typeof ownerPortalMoney.operations.listOwnerPortalDistributions;

const columns = sql`p.id, p.organization_id, p.property_id, pr.name as property_name, p.period_start, p.period_end, p.amount_cents, p.status, p.method, p.reference_number,
  p.paid_at, p.voided_at, p.created_at, p.updated_at`;

/** Returns a page of the payouts that the caller received. */
export async function listOwnerPortalDistributions(caller: OrgDb, clients: Clients, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { db, ownerId } = await openOwnerAccess(caller, clients);
  const { propertyId, status, periodAfter, periodBefore } = query;
  const { rows, paging } = await listPage<OwnerDistribution>(db, query, {
    table: "p",
    select: columns,
    from: sql`owner_payable p left join property_copy pr on pr.organization_id = p.organization_id and pr.id = p.property_id`,
    sorts: { paidAt: sql`p.paid_at`, periodEnd: sql`p.period_end`, amountCents: sql`p.amount_cents`, createdAt: sql`p.created_at` },
    where: [
      ...listConditions(db, "p", query, false),
      sql`p.owner_id = ${ownerId} and p.paid_at is not null`,
      propertyId !== undefined && sql`p.property_id = ${propertyId}`,
      status && sql`p.status = any(${status})`,
      periodAfter !== undefined && sql`p.period_end >= ${periodAfter}`,
      periodBefore !== undefined && sql`p.period_end <= ${periodBefore}`,
    ],
  });
  return { distributions: rows, ...paging };
}
