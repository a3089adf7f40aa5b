/** Matching of statement lines with transactions. */
import type { reconciliations } from "@freehold/contract/trust/reconciliations";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { setImmediate } from "node:timers/promises";
import type { Clients } from "../../clients.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { matchStatementLines, type Match, type OpenLine, type OpenTransaction } from "./auto-match.rules.ts";
import { finishChange } from "./clear-transactions.ts";
import type { Reconciliation } from "./reconciliation.entity.ts";
import { selectDraftItems } from "./reconciliation-items.queries.ts";
import { findDraftOwners } from "./proof/proof-owners.ts";
import { draftScopeOf, lockDraft, readWithProof } from "./reconciliations.ts";

type Result = Output<typeof reconciliations.operations.autoMatchReconciliation>;

/** Number of transactions that one statement clears. */
const BATCH_SIZE = 5_000;

/** Matches statement lines with transactions of a draft, and clears these. Ambiguous ones are left. Throws a 409 unless it is a draft. */
export async function autoMatchReconciliation(db: OrgDb, clients: Clients, id: string, { dateWindowDays }: { dateWindowDays: number }): Promise<Result> {
  const owners = await findDraftOwners(db, clients, id);
  const autoMatch = await transaction(db, async (tx) => {
    const draft = await lockDraft(tx, id);
    const [transactions, lines] = [await readOpenTransactions(tx, draft), await lockOpenLines(tx, draft)];
    const matches: Match[] = [];
    for (const found of matchStatementLines(transactions, lines, dateWindowDays)) {
      for (const match of found) matches.push(match);
      // Other requests are served between the steps.
      await setImmediate();
    }
    const items = matches.flatMap((match) => match.transactions.map((each) => itemOf(match, each)));
    for (let start = 0; start < items.length; start += BATCH_SIZE) await insertItems(tx, draft, items.slice(start, start + BATCH_SIZE));
    const byReason = [...Map.groupBy(matches, ({ reason }) => reason)].map(([reason, group]) => ({ reason, matchedLines: group.length }));
    await finishChange(tx, draft);
    return { matchedLines: matches.length, matchedTransactions: items.length, unmatchedLines: lines.length - matches.length, byReason };
  });
  return { reconciliation: await readWithProof(db, id, owners), autoMatch };
}

/** Returns the transactions that a draft has not cleared, with the numbers of their checks. */
async function readOpenTransactions(tx: OrgTx, draft: Reconciliation): Promise<OpenTransaction[]> {
  const account = await getBankAccount(tx, draft.bankAccountId);
  return tx.all(sql<OpenTransaction>`select item.entry_id, item.entry_date, item.cents, coalesce(x.reference_number, o.reference_number, d.reference_number, r.reference_number) as reference
    from (${selectDraftItems(tx, account, await draftScopeOf(tx, draft))}) item
      left join expense_payment x on x.organization_id = ${tx.organizationId} and item.source_type = 'expense_payment' and x.id = item.source_id
      left join owner_payable o on o.organization_id = ${tx.organizationId} and item.source_type = 'owner_payable' and o.id = item.source_id
      left join security_deposit_transaction d on d.organization_id = ${tx.organizationId} and item.source_type = 'security_deposit' and d.entry_id = item.entry_id
      left join payment_refund r on r.organization_id = ${tx.organizationId} and item.source_type = 'payment' and r.entry_id = item.entry_id
    where not item.is_cleared order by item.entry_date, item.entry_id`);
}

/** Returns the unmatched statement lines up to the end of a draft's statement, and keeps them from being deleted until the commit. */
const lockOpenLines = (tx: OrgTx, { bankAccountId, statementEndDate }: Reconciliation): Promise<OpenLine[]> =>
  tx.all(sql<OpenLine>`select s.id, s.posted_on as date, s.amount_cents as cents, s.reference from bank_statement_line s
    where s.organization_id = ${tx.organizationId} and s.bank_account_id = ${bankAccountId} and s.posted_on <= ${statementEndDate}
      and not exists (select from reconciliation_item i where i.organization_id = s.organization_id and i.statement_line_id = s.id and i.is_live)
    order by s.posted_on, s.id for key share`);

const itemOf = ({ line, reason }: Match, { entryId, entryDate, cents }: OpenTransaction) => ({
  entry_id: entryId,
  entry_date: entryDate,
  cents,
  line_id: line.id,
  reason,
});

const insertItems = (tx: OrgTx, { id, bankAccountId }: Reconciliation, items: readonly ReturnType<typeof itemOf>[]): Promise<unknown> =>
  tx.all(sql`insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared, statement_line_id, match_reason)
    select ${tx.organizationId}, ${id}::uuid, entry_id, ${bankAccountId}::uuid, entry_date, cents, true, line_id, reason
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as input (entry_id uuid, entry_date date, cents bigint, line_id uuid, reason text)`);
