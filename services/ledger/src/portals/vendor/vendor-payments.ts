/** Payments to vendors, in their portal. */
import type { VendorPayment, vendorPortalMoney } from "@freehold/contract/portals/vendor-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { listConditions, listPage, onDays } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";

type Operation = typeof vendorPortalMoney.operations.listVendorPortalPayments;
type Row = Omit<VendorPayment, "allocatedCents" | "currency" | "invoices"> & { invoices: VendorPayment["invoices"] | null };

const columns = sql`p.id, p.organization_id, p.amount_cents, p.unallocated_cents, p.payment_method, p.status, p.paid_at, p.reference_number, p.created_at, p.updated_at,
  (select json_agg(json_build_object('expenseId', x.id, 'invoiceNumber', x.invoice_number, 'workOrderId', x.work_order_id, 'amountCents', a.amount_cents) order by a.id)
    from expense_allocation a join expense x on x.organization_id = a.organization_id and x.id = a.expense_id
    where a.organization_id = p.organization_id and a.expense_payment_id = p.id and a.released_at is null) as invoices`;

/** Returns a page of the issued payments to the caller. */
export async function listVendorPortalPayments(db: OrgDb, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const vendorId = requireSubjectId(db.principal);
  // The time zone of the organization is a setting of the office.
  const { timezone } = await getLedgerSettings(withOfficeReach(db));
  const { paidAfter, paidBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "p",
    select: columns,
    from: sql`expense_payment p`,
    sorts: { paidAt: sql`p.paid_at`, amountCents: sql`p.amount_cents`, createdAt: sql`p.created_at` },
    where: [
      ...listConditions(db, "p", query, false),
      sql`p.vendor_id = ${vendorId} and p.status = 'issued'`,
      ...onDays(sql`p.paid_at`, paidAfter, paidBefore, timezone),
    ],
  });
  return { payments: rows.map(paymentView), ...paging };
}

const paymentView = ({ invoices, ...row }: Row): VendorPayment => ({
  ...row,
  allocatedCents: (row.amountCents - row.unallocatedCents) as VendorPayment["allocatedCents"],
  currency: "USD",
  invoices: invoices ?? [],
});
