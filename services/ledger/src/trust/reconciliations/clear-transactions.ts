/** Clearing of transactions by hand. */
import type { Reconciliation as View, reconciliations } from "@freehold/contract/trust/reconciliations";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { selectDraftItems } from "./reconciliation-items.queries.ts";
import type { Reconciliation } from "./reconciliation.entity.ts";
import { findDraftOwners } from "./proof/proof-owners.ts";
import { draftScopeOf, lockDraft, publishReconciliationEvent, readWithProof } from "./reconciliations.ts";

type Operations = typeof reconciliations.operations;

interface Item {
  entryId: string;
  entryDate: string;
  cents: number;
  isCleared: boolean;
}

/** Returns the items of a draft with the ids of a request. Throws a 400 that names an id without an item. */
async function requireItems(tx: OrgTx, draft: Reconciliation, ids: readonly string[]): Promise<Item[]> {
  const account = await getBankAccount(tx, draft.bankAccountId);
  const items =
    await tx.all(sql<Item>`select entry_id, entry_date, cents, is_cleared from (${selectDraftItems(tx, account, await draftScopeOf(tx, draft))}) item
    where entry_id = any(${[...ids]}::uuid[])`);
  const known = new Set(items.map(({ entryId }) => entryId));
  const index = ids.findIndex((id) => !known.has(id));
  if (index === -1) return items;
  const message = "The reconciliation has no such transaction. Name transactions among its items.";
  throw invalid([{ path: `transactionIds.${index}`, code: "not_found", message }]);
}

/**
 * Clears transactions, matched with a statement line if the request names one; an earlier match of theirs is taken back. Throws a 400 for an
 * unknown transaction or statement line, for a line after the end of the statement and for amounts that do not add up to the line, and a 409
 * for a line that is matched.
 */
export async function clearTransactions(
  db: OrgDb,
  clients: Clients,
  id: string,
  { transactionIds, statementLineId }: BodyOf<Operations["clearTransactions"]>,
): Promise<{ reconciliation: View }> {
  const owners = await findDraftOwners(db, clients, id);
  await transaction(db, async (tx) => {
    const draft = await lockDraft(tx, id);
    const items = await requireItems(tx, draft, transactionIds);
    if (statementLineId !== undefined) {
      await requireMatchingLine(tx, draft, statementLineId, items);
      await releaseMatches(tx, id, transactionIds);
    }
    const rows = items.map(({ entryId, entryDate, cents }) => ({ entry_id: entryId, entry_date: entryDate, cents }));
    const onConflict =
      statementLineId === undefined ? sql`do nothing` : sql`do update set statement_line_id = excluded.statement_line_id, match_reason = 'manual'`;
    await tx.all(sql`insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared, statement_line_id, match_reason)
      select ${tx.organizationId}, ${id}::uuid, entry_id, ${draft.bankAccountId}::uuid, entry_date, cents, true, ${statementLineId ?? null}::uuid, ${statementLineId ? "manual" : null}::text
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (entry_id uuid, entry_date date, cents bigint)
      on conflict (organization_id, reconciliation_id, entry_id) ${onConflict}`);
    await finishChange(tx, draft);
  });
  return { reconciliation: await readWithProof(db, id, owners) };
}

async function requireMatchingLine(tx: OrgTx, draft: Reconciliation, lineId: string, items: readonly Item[]): Promise<void> {
  // An upload that is deleted meanwhile waits for the lock, or is waited for, and then has no line.
  const line = await tx.first(sql<{
    amountCents: number;
    date: string;
    isMatched: boolean;
  }>`select s.amount_cents, s.posted_on as date, exists (select from reconciliation_item i
      where i.organization_id = s.organization_id and i.statement_line_id = s.id and i.is_live) as is_matched
    from bank_statement_line s where s.organization_id = ${tx.organizationId} and s.id = ${lineId} and s.bank_account_id = ${draft.bankAccountId} for key share of s`);
  if (!line) throw unknownReference("statementLineId", "statement line of this bank account");
  if (line.isMatched) throw conflict("The statement line is matched already. Unclear its transactions first.", "resource_in_use");
  if (line.date > draft.statementEndDate) {
    const message = `The bank posted the line on ${line.date}, after the end of the statement. Match it in the reconciliation of its own statement.`;
    throw invalid([{ path: "statementLineId", code: "mismatch", message }]);
  }
  const sum = items.reduce((total, { cents }) => total + cents, 0);
  if (sum === line.amountCents) return;
  const message = `The transactions add up to ${sum} cents, and the statement line has ${line.amountCents}. Name all transactions of the line.`;
  throw invalid([{ path: "transactionIds", code: "mismatch", message }]);
}

/** Takes back the matches of transactions, and of the others of their statement lines, which stay cleared. */
async function releaseMatches(tx: OrgTx, id: string, transactionIds: readonly string[]): Promise<void> {
  const own = sql`organization_id = ${tx.organizationId} and reconciliation_id = ${id}`;
  await tx.all(sql`update reconciliation_item set statement_line_id = null, match_reason = null where ${own} and statement_line_id in (
    select statement_line_id from reconciliation_item where ${own} and entry_id = any(${[...transactionIds]}::uuid[]))`);
}

/** Unclears transactions. Other transactions of their statement lines stay cleared, without the match. Throws a 400 for an unknown transaction. */
export async function unclearTransactions(
  db: OrgDb,
  clients: Clients,
  id: string,
  { transactionIds }: BodyOf<Operations["unclearTransactions"]>,
): Promise<{ reconciliation: View }> {
  const owners = await findDraftOwners(db, clients, id);
  await transaction(db, async (tx) => {
    const draft = await lockDraft(tx, id);
    await requireItems(tx, draft, transactionIds);
    const own = sql`organization_id = ${tx.organizationId} and reconciliation_id = ${id}`;
    const named = sql`entry_id = any(${[...transactionIds]}::uuid[])`;
    await releaseMatches(tx, id, transactionIds);
    await tx.all(sql`delete from reconciliation_item where ${own} and ${named}`);
    await finishChange(tx, draft);
  });
  return { reconciliation: await readWithProof(db, id, owners) };
}

/** Counts a change of a draft's items as a change of the draft, and publishes it. */
export async function finishChange(tx: OrgTx, draft: Reconciliation): Promise<void> {
  await touchDraft(tx, draft.id);
  await publishReconciliationEvent(tx, "reconciliation.updated", draft);
}

const touchDraft = (tx: OrgTx, id: string): Promise<unknown> =>
  tx.all(sql`update reconciliation set version = version + 1, updated_at = ${now()} where organization_id = ${tx.organizationId} and id = ${id}`);
