/** Expenses: record, read and list. */
import type { Expense as View, expenses } from "@freehold/contract/payables/expenses";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { newId } from "@freehold/kit/db/entity";
import { and, listConditions, listPage, type ListDefinition } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid, notFound } from "@freehold/kit/errors";
import { expenseContains } from "../../reporting/search/search-candidates.ts";
import { getChart, requireExpenseAccount } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { requireOpenPeriod } from "../../periods/require-open-period.ts";
import { resolveDocuments } from "../../projections/document-references.ts";
import { Expense } from "./expense.entity.ts";
import { accountByCategory } from "./expense.rules.ts";
import { expenseColumns, expenseTables, expenseView, type ExpenseRow } from "./expense.view.ts";
import { postExpense } from "./post-expense.ts";
import { requireExpenseReferences } from "./references.ts";

type Operations = typeof expenses.operations;
const publish = eventPublisher("ledger");

/** Returns expenses by id. Unknown ids are left out. */
export async function findExpenses(db: StatementRunner, ids: readonly string[]): Promise<Map<string, View>> {
  const rows = await db.all(
    sql<ExpenseRow>`select ${expenseColumns} from ${expenseTables} where x.organization_id = ${db.organizationId} and x.id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.id, expenseView(row)]));
}

/** Returns an expense. Throws 404 for an unknown id. */
export async function getExpense(db: StatementRunner, id: string): Promise<View> {
  const expense = (await findExpenses(db, [id])).get(id);
  if (!expense) throw notFound("Expense");
  return expense;
}

/** Returns an expense with the payments that settle it. */
export async function getExpenseWithPayments(db: OrgDb, id: string): Promise<Output<Operations["getExpense"]>> {
  const expense = await getExpense(db, id);
  const payments = await db.all(sql<Output<Operations["getExpense"]>["payments"][number]>`
    select a.expense_payment_id, a.id as allocation_id, a.amount_cents, p.paid_at
    from expense_allocation a join expense_payment p on p.organization_id = a.organization_id and p.id = a.expense_payment_id
    where a.organization_id = ${db.organizationId} and a.expense_id = ${id} and a.released_at is null order by p.paid_at, a.id`);
  return { expense, payments };
}

/** Returns a page of expenses, with the sums over all pages. */
export async function listExpenses(db: OrgDb, query: QueryOf<Operations["listExpenses"]>) {
  const where = filterConditions(db, query);
  const { rows, aggregates, paging } = await listPage<ExpenseRow, { total: number } & Output<Operations["listExpenses"]>["totals"]>(db, query, {
    table: "x",
    select: expenseColumns,
    from: expenseTables,
    sorts: {
      incurredOn: sql`x.incurred_on`,
      dueOn: sql`x.due_on`,
      amountCents: sql`x.amount_cents`,
      outstandingCents: sql`x.outstanding_cents`,
      vendorName: sql`v.name`,
      createdAt: sql`x.created_at`,
    },
    nullable: ["dueOn", "vendorName"],
    where,
    aggregates: sql`select count(*) as total, ${clampSumToSafeInteger(sql`sum(x.amount_cents) filter (where x.status = 'active')`)} as amount_cents,
      ${clampSumToSafeInteger(sql`sum(x.outstanding_cents)`)} as outstanding_cents from ${expenseTables} where ${and(where)}`,
  });
  const { amountCents, outstandingCents } = aggregates;
  return { expenses: rows.map(expenseView), ...paging, totals: { amountCents, outstandingCents } };
}

function filterConditions(db: OrgDb, query: QueryOf<Operations["listExpenses"]>): ListDefinition["where"] {
  const { search, vendorId, propertyId, unitId, workOrderId, category, status, approvalStatus, unpaidOnly, incurredAfter, incurredBefore, dueBefore } = query;
  return [
    ...listConditions(db, "x", query, false),
    search !== undefined && expenseContains(db, search),
    vendorId !== undefined && sql`x.vendor_id = ${vendorId}`,
    propertyId !== undefined && sql`x.property_id = ${propertyId}`,
    unitId !== undefined && sql`x.unit_id = ${unitId}`,
    workOrderId !== undefined && sql`x.work_order_id = ${workOrderId}`,
    category && sql`x.category = any(${category})`,
    status && sql`x.status = any(${status})`,
    approvalStatus && sql`x.approval_status = any(${approvalStatus})`,
    unpaidOnly === true && sql`x.outstanding_cents > 0`,
    incurredAfter !== undefined && sql`x.incurred_on >= ${incurredAfter}`,
    incurredBefore !== undefined && sql`x.incurred_on <= ${incurredBefore}`,
    dueBefore !== undefined && sql`x.due_on <= ${dueBefore}`,
  ];
}

/** Throws a 400 for a due date before the day of the expense. */
export function requireDueAfter(incurredOn: string, dueOn: string | null | undefined): void {
  if (dueOn && dueOn < incurredOn) throw invalid([{ path: "dueOn", code: "before_start", message: `dueOn cannot be before incurredOn ${incurredOn}.` }]);
}

/** Records an expense. Throws a 400 that names an unknown reference, and a 409 for a day in a closed accounting period. */
export async function createExpense(db: OrgDb, clients: Clients, body: BodyOf<Operations["createExpense"]>): Promise<Output<Operations["createExpense"]>> {
  requireDueAfter(body.incurredOn, body.dueOn);
  const chart = await getChart(db);
  const categoryId = body.categoryId ? requireExpenseAccount(chart, body.categoryId, "categoryId") : chart.accountId(accountByCategory[body.category]);
  const [documentIds] = await Promise.all([resolveDocuments(db, clients, body.documentIds ?? []), requireExpenseReferences(db, clients, [body])]);
  return transaction(db, async (tx) => {
    const { id, possibleDuplicates } = await insertExpense(tx, { ...body, categoryId, documentIds });
    return { expense: await getExpense(tx, id), possibleDuplicates };
  });
}

type NewExpense = BodyOf<Operations["createExpense"]> & { categoryId: string } & Partial<Pick<View, "lines">>;

/** Inserts and posts an expense whose references were checked. Returns its id and those of its possible duplicates. */
export async function insertExpense(tx: OrgTx, { needsApproval, ...terms }: NewExpense): Promise<{ id: string; possibleDuplicates: string[] }> {
  await requireOpenPeriod(tx, terms.incurredOn, undefined);
  const id = newId();
  const {
    name = null,
    description = null,
    dueOn = null,
    invoiceNumber = null,
    vendorId = null,
    unitId = null,
    ownerId = null,
    workOrderId = null,
    markupBps = null,
    lines = [],
    documentIds = [],
  } = terms;
  const details = { name, description, dueOn, invoiceNumber, vendorId, unitId, ownerId, workOrderId, markupBps, lines, documentIds };
  const { category, categoryId, amountCents, incurredOn, propertyId } = terms;
  const fields = { id, ...details, category, categoryId, amountCents, incurredOn, propertyId };
  const entryId = await postExpense(tx, fields);
  const approvalStatus = needsApproval ? ("pending" as const) : ("not_required" as const);
  tx.create(Expense, { ...fields, outstandingCents: amountCents, status: "active", approvalStatus, entryId, voidedAt: null, voidReason: null });
  await tx.flush();
  await publish(tx, "expense.created", { entityId: id, data: { propertyId, vendorId, approvalStatus } });
  return { id, possibleDuplicates: await findDuplicates(tx, fields) };
}

/** Returns the other active expenses of the vendor with the same invoice number, oldest first. */
async function findDuplicates(
  tx: OrgTx,
  { id, vendorId, invoiceNumber }: { id: string; vendorId: string | null; invoiceNumber: string | null },
): Promise<string[]> {
  if (vendorId === null || invoiceNumber === null) return [];
  const rows = await tx.all(sql<{ id: string }>`select id from expense where organization_id = ${tx.organizationId} and vendor_id = ${vendorId}
    and lower(invoice_number) = lower(${invoiceNumber}) and status = 'active' and id <> ${id} order by created_at, id limit 100`);
  return rows.map((row) => row.id);
}
