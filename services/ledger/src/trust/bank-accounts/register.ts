/** Register of a bank account: its transactions with the balance after each. */
import type { BankTransaction, bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";
import type { z } from "zod";
import { isChangedEntry } from "../../reporting/changed-entries.ts";
import { getBankAccount } from "./bank-accounts.ts";
import { bankLines } from "./register.queries.ts";

type Operation = typeof bankAccounts.operations.listBankTransactions;
type Transaction = z.output<typeof BankTransaction>;

const sorts = { date: sql`m.entry_date`, amountCents: sql`m.cents` };

interface Summary {
  openingBalanceCents: number;
  closingBalanceCents: number;
  total: number;
}

/** Returns a page of the register. Throws 404 for an unknown bank account. */
export async function listBankTransactions(db: OrgDb, id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { from = "0001-01-01", to = "9999-12-31", page, pageSize } = query;
  const direction = sql.raw(query.sortDirection);
  if (to < from) throw invalid([{ path: "to", code: "before_start", message: "to cannot be before from." }]);
  const account = await getBankAccount(db, id);
  // Each entry moves money once: lines that offset each other at the bank are no transaction of it.
  const movements = sql`select l.entry_id, l.entry_date, sum(l.debit_cents - l.credit_cents) as cents from ${bankLines(db, account)}
    group by l.entry_id, l.entry_date having sum(l.debit_cents) <> sum(l.credit_cents)`;
  const [[summary], rows] = await db.onSnapshot(
    sql<Summary>`select count(*) filter (where entry_date between ${from} and ${to} and ${isChangedEntry(db, sql`entry_id`, query)}) as total,
        ${clampSumToSafeInteger(sql`coalesce(sum(cents) filter (where entry_date < ${from}), 0)`)} as opening_balance_cents,
        ${clampSumToSafeInteger(sql`coalesce(sum(cents) filter (where entry_date <= ${to}), 0)`)} as closing_balance_cents
      from (${movements}) movement`,
    sql<Transaction>`select e.id, m.entry_date as date, e.source, e.source_type, e.source_id, e.memo, ${clampSumToSafeInteger(sql`m.cents`)} as amount_cents,
        ${clampSumToSafeInteger(sql`m.balance`)} as balance_cents, e.reversed_by_id
      from (select entry_id, entry_date, cents, sum(cents) over (order by entry_date, entry_id) as balance from (${movements}) movement) m
        join journal_entry e on e.organization_id = ${db.organizationId} and e.id = m.entry_id
      where m.entry_date between ${from} and ${to} and ${isChangedEntry(db, sql`m.entry_id`, query)}
      order by ${sorts[query.sortBy]} ${direction}, m.entry_id ${direction} limit ${pageSize} offset ${(page - 1) * pageSize}`,
  );
  const { total, openingBalanceCents, closingBalanceCents } = summary!;
  const paging = { page, pageSize, total, totalPages: Math.max(1, Math.ceil(total / pageSize)) };
  return { transactions: rows, ...paging, openingBalanceCents, closingBalanceCents } as Output<Operation>;
}
