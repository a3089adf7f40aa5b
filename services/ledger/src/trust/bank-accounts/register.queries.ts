import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { BankAccount } from "./bank-account.entity.ts";

/** Selects the journal lines `l` of a bank account, as a from clause with its conditions. Lines of other accounts may name the bank account, too. */
export const bankLines = (db: StatementRunner, { id, categoryId }: Pick<BankAccount, "id" | "categoryId">): RawBuilder<unknown> =>
  sql`journal_line l where l.organization_id = ${db.organizationId} and l.bank_account_id = ${id} and l.account_id = ${categoryId}`;
