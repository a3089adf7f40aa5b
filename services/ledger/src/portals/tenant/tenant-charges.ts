/** Charges of a tenant, in the tenant portal. */
import { PortalCharge, type tenantPortalMoney } from "@freehold/contract/portals/tenant-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import type { Clients } from "../../clients.ts";
import { chargeColumns, chargeView, type ChargeRow } from "../../receivables/charges/charge.view.ts";
import { openTenantAccess } from "./tenant-access.ts";

type Operation = typeof tenantPortalMoney.operations.listTenantPortalCharges;

/** Returns a page of the charges of the caller's leases. Throws a 404 for a lease of others. */
export async function listTenantPortalCharges(caller: OrgDb, clients: Clients, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { db, timezone, leaseIds } = await openTenantAccess(caller, clients, query.leaseId);
  const { chargeType, status, dueAfter, dueBefore } = query;
  const { rows, paging } = await listPage<ChargeRow>(db, query, {
    table: "c",
    select: chargeColumns,
    from: sql`charge c`,
    sorts: {
      dueDate: sql`c.due_date`,
      amountCents: sql`c.amount_cents`,
      balanceCents: sql`c.balance_cents`,
      status: sql`c.status`,
      createdAt: sql`c.created_at`,
    },
    where: [
      ...listConditions(db, "c", query, false),
      sql`c.lease_id = any(${leaseIds}::uuid[])`,
      chargeType && sql`c.charge_type = any(${chargeType})`,
      status && sql`c.status = any(${status})`,
      dueAfter !== undefined && sql`c.due_date >= ${dueAfter}`,
      dueBefore !== undefined && sql`c.due_date <= ${dueBefore}`,
    ],
  });
  return { charges: rows.map((row) => pickPortalFields(PortalCharge, chargeView(row, timezone))), ...paging };
}
