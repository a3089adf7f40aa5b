/** Items of a reconciliation: transactions that it has cleared or can clear. */
import type { ReconciliationItem as View, reconciliations } from "@freehold/contract/trust/reconciliations";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { and, listConditions } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isChangedEntry } from "../../reporting/changed-entries.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { selectDraftItems, selectStoredItems } from "./reconciliation-items.queries.ts";
import { readReconciliation } from "./reconciliation.view.ts";
import { draftScopeOf } from "./reconciliations.ts";

type Operation = typeof reconciliations.operations.listReconciliationItems;

/** Selects the items of a reconciliation: derived for a draft, stored for another. Throws 404 for an unknown id. */
export async function selectItems(db: OrgDb, id: string): Promise<RawBuilder<unknown>> {
  const reconciliation = await readReconciliation(db, id);
  if (reconciliation.status !== "draft") return selectStoredItems(db, id);
  return selectDraftItems(db, await getBankAccount(db, reconciliation.bankAccountId), await draftScopeOf(db, reconciliation));
}

/** Columns of an item in the API. */
export const itemColumns = sql`entry_id as transaction_id, source as kind, entry_date as date, memo as description, cents as amount_cents, is_cleared, statement_line_id, match_reason`;

const sorts = { date: sql`entry_date`, amountCents: sql`cents` };

/** Returns the condition that the entry of an item or, with all items, the reconciliation has changed after the time of a query, if it names one. */
function isChangedItem(db: OrgDb, id: string, query: QueryOf<Operation>): RawBuilder<unknown> {
  const isChanged = isChangedEntry(db, sql`entry_id`, query);
  if (query.updatedAfter === undefined) return isChanged;
  return sql`(${isChanged} or exists (select from reconciliation r where ${and(listConditions(db, "r", query, false))} and r.id = ${id}))`;
}

/** Returns a page of the items of a reconciliation. Throws 404 for an unknown id. */
export async function listReconciliationItems(db: OrgDb, id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { cleared, page, pageSize } = query;
  const direction = sql.raw(query.sortDirection);
  const isCleared = cleared === undefined ? sql`true` : sql`is_cleared = ${cleared}`;
  const items = sql`(${await selectItems(db, id)}) item where ${isCleared} and ${isChangedItem(db, id, query)}`;
  const [[count], rows] = await db.onSnapshot(
    sql<{ total: number }>`select count(*) as total from ${items}`,
    sql<View>`select ${itemColumns} from ${items} order by ${sorts[query.sortBy]} ${direction}, entry_id ${direction} limit ${pageSize} offset ${(page - 1) * pageSize}`,
  );
  const { total } = count!;
  return { items: rows, page, pageSize, total, totalPages: Math.max(1, Math.ceil(total / pageSize)) };
}
