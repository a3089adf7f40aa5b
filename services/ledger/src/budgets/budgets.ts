/** Budgets: create, read, list, change and delete. */
import type { Budget as View, budgets } from "@freehold/contract/ledger/budgets";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { containsPattern } from "@freehold/kit/like-pattern";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { now } from "@freehold/kit/time/clock";
import { getChart } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { requireProperty } from "../require-property.ts";
import { getLedgerSettings } from "../settings/ledger-settings.ts";
import { Budget } from "./budget.entity.ts";
import { requireChangeableBudget } from "./budget.rules.ts";
import { budgetColumns, budgetView, type BudgetRow } from "./budget.view.ts";
import { requestedBudgetLines } from "./requested-budget-lines.ts";

type Operations = typeof budgets.operations;
interface Result {
  budget: View;
}

const publish = eventPublisher("ledger");

/** Publishes an event about a budget with its current status. */
export const publishBudgetEvent = (
  tx: OrgTx,
  type: "budget.created" | "budget.updated" | "budget.activated" | "budget.archived" | "budget.deleted",
  { id, propertyId = null, fiscalYear, status }: Budget,
): Promise<void> => publish(tx, type, { entityId: id, data: { propertyId, fiscalYear, status } });

/** Returns a budget. Throws a 404 for an unknown or deleted one; with `includeDeleted` also returns a deleted one. */
export async function getBudget(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<View> {
  const row = await db.first(
    sql<BudgetRow>`select ${budgetColumns} from budget b where b.organization_id = ${db.organizationId} and b.id = ${id} and (${includeDeleted} or b.deleted_at is null)`,
  );
  if (!row) throw notFound("Budget");
  return budgetView(row, await getChart(db));
}

/** Returns a page of budgets. */
export async function listBudgets(db: OrgDb, query: QueryOf<Operations["listBudgets"]>) {
  const { search, propertyId, fiscalYear, status } = query;
  const { rows, paging } = await listPage<BudgetRow>(db, query, {
    table: "b",
    select: budgetColumns,
    from: sql`budget b`,
    sorts: { fiscalYear: sql`b.fiscal_year`, name: sql`lower(b.name)`, createdAt: sql`b.created_at`, updatedAt: sql`b.updated_at` },
    where: [
      ...listConditions(db, "b", query),
      search !== undefined && sql`b.name ilike ${containsPattern(search)}`,
      propertyId !== undefined && sql`b.property_id = ${propertyId}`,
      fiscalYear !== undefined && sql`b.fiscal_year = ${fiscalYear}`,
      status && sql`b.status = any(${status})`,
    ],
  });
  const chart = await getChart(db);
  return { budgets: rows.map((row) => budgetView(row, chart)), ...paging };
}

/** Creates a draft. */
export async function createBudget(db: OrgDb, clients: Clients, { lines, ...terms }: BodyOf<Operations["createBudget"]>): Promise<Result> {
  const budgetedLines = requestedBudgetLines(lines, await getChart(db));
  await requireProperty(db, clients, terms.propertyId);
  const startMonth = terms.startMonth ?? (await getFiscalYearStartMonth(db, clients));
  const basis = terms.basis ?? (await getLedgerSettings(db)).defaultBasis;
  return transaction(db, (tx) => addDraft(tx, { ...terms, startMonth, basis, lines: budgetedLines }));
}

/** Inserts a draft and publishes its creation. */
export async function addDraft(tx: OrgTx, terms: Pick<View, "propertyId" | "name" | "fiscalYear" | "startMonth" | "basis" | "lines">): Promise<Result> {
  const budget = tx.create(Budget, { ...terms, status: "draft" });
  await tx.flush();
  await publishBudgetEvent(tx, "budget.created", budget);
  return { budget: await getBudget(tx, budget.id) };
}

/** Locks a budget until the commit. Throws a 404 for an unknown or deleted one. */
export const lockBudget = (tx: OrgTx, id: string): Promise<Budget> => tx.getForUpdate(Budget, id, "Budget", { deletedAt: null });

/** Changes the members of a draft or an active budget that are sent; the lines are replaced as a whole. Throws a 409 for an archived budget. */
export async function updateBudget(db: OrgDb, clients: Clients, id: string, { lines, ...terms }: BodyOf<Operations["updateBudget"]>): Promise<Result> {
  const budgetedLines = lines && requestedBudgetLines(lines, await getChart(db));
  await requireProperty(db, clients, terms.propertyId);
  return transaction(db, (tx) => changeBudget(tx, id, () => omitUndefined({ ...terms, lines: budgetedLines })));
}

/** Locks a draft or an active budget, assigns the changes that `changesOf` returns, and publishes the update. Throws a 409 for an archived budget. */
export async function changeBudget(tx: OrgTx, id: string, changesOf: (budget: Budget) => Partial<View> | Promise<Partial<View>>): Promise<Result> {
  const budget = await lockBudget(tx, id);
  requireChangeableBudget(budget.status);
  tx.assign(budget, { ...(await changesOf(budget)), updatedAt: now() });
  await publishBudgetEvent(tx, "budget.updated", budget);
  return { budget: await getBudget(tx, id) };
}

/** Soft-deletes a budget. */
export const deleteBudget = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const budget = await lockBudget(tx, id);
    tx.assign(budget, { deletedAt: now() });
    await publishBudgetEvent(tx, "budget.deleted", budget);
    return { budget: await getBudget(tx, id, { includeDeleted: true }) };
  });

/** Returns the month in which the organization's fiscal year starts; January while identity runs an older process, which does not tell it. */
const getFiscalYearStartMonth = async (db: OrgDb, { identity }: Clients): Promise<number> => (await identity.getOrganization(db, {})).fiscalYearStartMonth ?? 1;
