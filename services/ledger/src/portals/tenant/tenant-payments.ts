/** Payments of a tenant and their receipts, in the tenant portal. */
import { PortalPayment, type PortalReceipt, type tenantPortalMoney } from "@freehold/contract/portals/tenant-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage, onDays } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import type { Clients } from "../../clients.ts";
import { getPayment } from "../../receivables/payments/payments.ts";
import { paymentColumns, paymentTables, paymentView, type PaymentRow } from "../../receivables/payments/payment.view.ts";
import { receiptOf } from "../../receivables/receipts/receipt.ts";
import { openTenantAccess } from "./tenant-access.ts";

type Operation = typeof tenantPortalMoney.operations.listTenantPortalPayments;

/** Returns a page of the payments of the caller and of co-tenants for the caller's leases. Throws a 404 for a lease of others. */
export async function listTenantPortalPayments(caller: OrgDb, clients: Clients, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { db, timezone, tenantId, leaseIds } = await openTenantAccess(caller, clients, query.leaseId);
  const { leaseId, paymentMethod, status, receivedAfter, receivedBefore } = query;
  const { rows, paging } = await listPage<PaymentRow>(db, query, {
    table: "p",
    select: paymentColumns,
    from: paymentTables,
    sorts: { receivedAt: sql`p.received_at`, amountCents: sql`p.amount_cents`, status: sql`p.status`, createdAt: sql`p.created_at` },
    where: [
      ...listConditions(db, "p", query, false),
      leaseId === undefined ? sql`(p.lease_id = any(${leaseIds}::uuid[]) or p.tenant_id = ${tenantId})` : sql`p.lease_id = ${leaseId}`,
      paymentMethod && sql`p.payment_method = any(${paymentMethod})`,
      status && sql`p.status = any(${status})`,
      ...onDays(sql`p.received_at`, receivedAfter, receivedBefore, timezone),
    ],
  });
  return { payments: rows.map((row) => pickPortalFields(PortalPayment, paymentView(row))), ...paging };
}

/** Returns the receipt of a payment in the caller's reach. Throws 404 for others. */
export async function getTenantPortalReceipt(caller: OrgDb, clients: Clients, id: string): Promise<PortalReceipt> {
  const { db, currentLeaseIds } = await openTenantAccess(caller, clients);
  const payment = await getPayment(db, id);
  // The days of the payment, the name of the organization and the balance of the lease are on the receipt; nothing else that is read for it.
  const receipt = await receiptOf(withOfficeReach(db), clients, payment);
  const knowsBalance = payment.leaseId !== null && currentLeaseIds.includes(payment.leaseId);
  return { ...receipt, payment: pickPortalFields(PortalPayment, payment), leaseBalanceCents: knowsBalance ? receipt.leaseBalanceCents : null };
}
