/** Charges and payments of a tenant over all leases. */
import type { ledgers } from "@freehold/contract/ledger/ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import { listCharges } from "../charges/charges.ts";
import { listPayments } from "../payments/payments.ts";
import { requireTenant } from "./ledgers.ts";

/** Returns a page of the charges that a tenant owes, or throws a 404 for an unknown tenant. */
export async function listTenantCharges(db: OrgDb, clients: Clients, tenantId: string, query: QueryOf<typeof ledgers.operations.listTenantCharges>) {
  await requireTenant(db, clients, tenantId);
  const { charges, page, pageSize, total, totalPages } = await listCharges(db, { ...query, tenantId });
  return { charges, page, pageSize, total, totalPages };
}

/** Returns a page of the payments by a tenant, or throws a 404 for an unknown tenant. */
export async function listTenantPayments(db: OrgDb, clients: Clients, tenantId: string, query: QueryOf<typeof ledgers.operations.listTenantPayments>) {
  await requireTenant(db, clients, tenantId);
  return listPayments(db, { ...query, tenantId });
}
