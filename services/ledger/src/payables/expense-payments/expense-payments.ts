/** Payments of expenses: read, list, and change of the memo. */
import type { ExpensePayment as View, expensePayments } from "@freehold/contract/payables/expense-payments";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { containsPattern } from "@freehold/kit/like-pattern";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { findExpenses } from "../expenses/expenses.ts";
import { publishPaymentEvent } from "./expense-payment-events.ts";
import { ExpensePayment } from "./expense-payment.entity.ts";
import { onLedgerDays } from "../../settings/ledger-settings.ts";

type Operations = typeof expensePayments.operations;

type Row = Omit<View, "vendor" | "allocations" | "allocatedCents" | "currency"> & { vendorName: string | null; version: number };
type AllocationRow = Omit<View["allocations"][number], "expense">;

const columns = sql`p.id, p.organization_id, p.vendor_id, v.name as vendor_name, p.amount_cents,
  case when p.status in ('failed', 'voided') then 0 else p.unallocated_cents end as unallocated_cents, p.payment_method, p.status,
  coalesce(p.bank_account_id, p.account_id) as bank_account_id, p.paid_at, p.reference_number, p.memo, p.entry_id as journal_entry_id, p.created_at, p.updated_at,
  p.ended_at, p.void_reason, p.version`;
const tables = sql`expense_payment p left join vendor_copy v on v.organization_id = p.organization_id and v.id = p.vendor_id`;

/** Returns the API representation of payments, with their vendors and the expenses that they settle. */
async function viewsOf(db: StatementRunner, rows: readonly Row[]): Promise<View[]> {
  const allocations = await db.all(sql<AllocationRow>`select id, expense_payment_id, expense_id, amount_cents from expense_allocation
    where organization_id = ${db.organizationId} and expense_payment_id = any(${rows.map(({ id }) => id)}::uuid[]) and released_at is null order by id`);
  const expenses = await findExpenses(db, [...new Set(allocations.map(({ expenseId }) => expenseId))]);
  const allocationsOf = Map.groupBy(allocations, ({ expensePaymentId }) => expensePaymentId);
  return rows.map(({ vendorName, version, ...row }) => {
    const own = (allocationsOf.get(row.id) ?? []).map((allocation) => ({ ...allocation, expense: expenses.get(allocation.expenseId)! }));
    const allocatedCents = own.reduce((sum, { amountCents }) => sum + amountCents, 0) as View["allocatedCents"];
    const vendor = row.vendorId === null ? null : { id: row.vendorId, name: vendorName ?? "" };
    return withVersion({ ...row, vendor, allocatedCents, currency: "USD" as const, allocations: own }, version);
  });
}

/** Returns a payment. Throws 404 for an unknown id. */
export async function getExpensePayment(db: StatementRunner, id: string): Promise<View> {
  const rows = await db.all(sql<Row>`select ${columns} from ${tables} where p.organization_id = ${db.organizationId} and p.id = ${id}`);
  const [view] = await viewsOf(db, rows);
  if (!view) throw notFound("Expense payment");
  return view;
}

/** Returns a page of payments. */
export async function listExpensePayments(db: OrgDb, query: QueryOf<Operations["listExpensePayments"]>) {
  const { search, vendorId, expenseId, bankAccountId, status, paidAfter, paidBefore, createdAfter, createdBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "p",
    select: columns,
    from: tables,
    sorts: {
      paidAt: sql`p.paid_at`,
      vendorName: sql`v.name`,
      amountCents: sql`p.amount_cents`,
      paymentMethod: sql`p.payment_method`,
      status: sql`p.status`,
      createdAt: sql`p.created_at`,
    },
    nullable: ["vendorName"],
    where: [
      ...listConditions(db, "p", query, false),
      search !== undefined && sql`concat_ws(' ', v.name, p.reference_number, p.memo) ilike ${containsPattern(search)}`,
      vendorId !== undefined && sql`p.vendor_id = ${vendorId}`,
      expenseId !== undefined &&
        sql`p.id in (select expense_payment_id from expense_allocation where organization_id = ${db.organizationId} and expense_id = ${expenseId} and (released_at is null or release_entry_id is null))`,
      bankAccountId !== undefined && sql`${bankAccountId} in (p.bank_account_id, p.account_id)`,
      status && sql`p.status = any(${status})`,
      ...onLedgerDays(db, sql`p.paid_at`, paidAfter, paidBefore),
      ...onLedgerDays(db, sql`p.created_at`, createdAfter, createdBefore),
    ],
  });
  return { expensePayments: await viewsOf(db, rows), ...paging };
}

/** Changes the memo or reference number of a payment. */
export const updateExpensePayment = (db: OrgDb, id: string, changes: BodyOf<Operations["updateExpensePayment"]>): Promise<{ expensePayment: View }> =>
  transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(ExpensePayment, id, "Expense payment");
    const hasNewNumber = changes.referenceNumber !== undefined && changes.referenceNumber !== (payment.referenceNumber ?? null);
    tx.assign(payment, omitUndefined(changes));
    // The memo is the office's.
    await publishPaymentEvent(tx, "expense_payment.updated", payment, hasNewNumber && payment.status === "issued");
    return { expensePayment: await getExpensePayment(tx, id) };
  });
