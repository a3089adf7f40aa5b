/** Expenses of a vendor and payments to it. */
import type { vendorLedgers } from "@freehold/contract/payables/vendor-ledgers";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { listExpensePayments } from "../expense-payments/expense-payments.ts";
import { listExpenses } from "../expenses/expenses.ts";

type Operations = typeof vendorLedgers.operations;

/** Throws a 404 for a vendor that portfolio does not know. A deleted vendor keeps its expenses and payments. */
export async function requireVendor(db: OrgDb, { portfolio }: Clients, vendorId: string): Promise<void> {
  const { vendors } = await portfolio.getVendors(db, { ids: [vendorId] });
  if (vendors.length === 0) throw notFound("Vendor");
}

/** Returns a page of the expenses of a vendor. Throws 404 for an unknown vendor. */
export async function listVendorExpenses(
  db: OrgDb,
  clients: Clients,
  vendorId: string,
  query: QueryOf<Operations["listVendorExpenses"]>,
): Promise<Output<Operations["listVendorExpenses"]>> {
  await requireVendor(db, clients, vendorId);
  return listExpenses(db, { ...query, vendorId });
}

/** Returns a page of the payments to a vendor. Throws 404 for an unknown vendor. */
export async function listVendorPayments(
  db: OrgDb,
  clients: Clients,
  vendorId: string,
  query: QueryOf<Operations["listVendorPayments"]>,
): Promise<Output<Operations["listVendorPayments"]>> {
  await requireVendor(db, clients, vendorId);
  return listExpensePayments(db, { ...query, vendorId });
}
