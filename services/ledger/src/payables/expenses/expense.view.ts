/** Select list and API representation of an expense. */
import type { Expense as View } from "@freehold/contract/payables/expenses";
import { columnsOf } from "@freehold/kit/db/entity";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { Expense } from "./expense.entity.ts";

export type ExpenseRow = Omit<View, "journalEntryId"> & { entryId: string; version: number };

export const expenseColumns = sql`${columnsOf(Expense, "x")}, v.name as vendor_name,
  (select c.id from charge c where c.organization_id = x.organization_id and c.expense_id = x.id and c.status <> 'voided') as charge_id`;

/** From clause of `expenseColumns`. */
export const expenseTables = sql`expense x left join vendor_copy v on v.organization_id = x.organization_id and v.id = x.vendor_id`;

/** Returns the API representation of an expense, with the name of its vendor. */
export const expenseView = ({ version, entryId, ...row }: ExpenseRow): View => withVersion({ ...row, journalEntryId: entryId }, version);
