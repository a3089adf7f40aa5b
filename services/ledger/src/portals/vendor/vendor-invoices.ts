/** Invoices of vendors for their work orders: expenses that the office approves. */
import { VendorInvoice, type vendorPortalMoney } from "@freehold/contract/portals/vendor-portal-money";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { inOfficeReach, withOfficeReach } from "@freehold/kit/db/portal-reach";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findExpenses, insertExpense } from "../../payables/expenses/expenses.ts";
import { accountByCategory } from "../../payables/expenses/expense.rules.ts";
import { requireUncancelled } from "../../payables/work-orders/work-order-costs.rules.ts";
import { requireWorkOrder } from "../../payables/work-orders/work-order-costs.ts";
import { requireReadableDocuments } from "../../projections/document-references.ts";
import { saveVendors } from "../../projections/projections.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireSumOfLines } from "./vendor-invoice.rules.ts";

type Operation = typeof vendorPortalMoney.operations.submitVendorInvoice;

/** Records an invoice of the caller. Throws 404 for a work order that is not assigned to the caller, and a 409 for a cancelled one. */
export async function submitVendorInvoice(db: OrgDb, clients: Clients, id: string, body: BodyOf<Operation>): Promise<Output<Operation>> {
  const vendorId = requireSubjectId(db.principal);
  const { number, amountCents, lines } = body;
  const documentIds = [...new Set(body.documentIds)];
  requireSumOfLines(amountCents, lines);
  // The accounts of the chart, the settings and the names of vendors are the office's; the vendor sees none of them.
  const office = withOfficeReach(db);
  const [{ timezone }, chart, workOrder, { vendors }, { documents }] = await Promise.all([
    getLedgerSettings(office),
    getChart(office),
    requireWorkOrder(db, clients, id),
    clients.portfolio.getVendors(db, { ids: [vendorId] }),
    documentIds.length > 0 ? clients.portfolio.getSharedDocuments(db, { ids: documentIds, readerKind: "vendor", readerId: vendorId }) : { documents: [] },
  ]);
  const vendor = vendors[0];
  if (!vendor || vendor.isDeleted) throw notFound("Vendor");
  requireReadableDocuments(documentIds, documents);
  requireUncancelled(workOrder.status);
  await saveVendors(office, vendors);
  const incurredOn = today(timezone);
  const { categoryId, paymentTermsDays } = vendor;
  const isExpenseAccount = categoryId !== undefined && chart.findAccount(categoryId)?.accountType === "expense";
  const terms = {
    vendorId,
    name: workOrder.title,
    invoiceNumber: number,
    amountCents,
    lines,
    documentIds,
    incurredOn,
    dueOn: paymentTermsDays === undefined ? null : addDays(incurredOn, paymentTermsDays),
    category: "maintenance" as const,
    categoryId: isExpenseAccount ? categoryId : chart.accountId(accountByCategory.maintenance),
    propertyId: workOrder.propertyId,
    unitId: workOrder.unitId,
    workOrderId: id,
    needsApproval: true,
  };
  return transaction(db, async (tx) => {
    // The invoice is posted to the journal of the office. The vendor then reads the own invoice alone.
    const { id: expenseId, possibleDuplicates } = await inOfficeReach(tx, () => insertExpense(tx, terms));
    const expense = (await findExpenses(tx, [expenseId])).get(expenseId)!;
    return { expense: pickPortalFields(VendorInvoice, expense), possibleDuplicates };
  });
}
