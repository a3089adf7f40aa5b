/** Reconciliations: read, list, create and change. */
import type { Reconciliation as View, reconciliations } from "@freehold/contract/trust/reconciliations";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, unknownReference } from "@freehold/kit/errors";
import { versionOf, withVersion } from "@freehold/kit/http/etag";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { lockBankAccounts, requireActive } from "../bank-accounts/bank-account-references.ts";
import { bankLines } from "../bank-accounts/register.queries.ts";
import { Reconciliation } from "./reconciliation.entity.ts";
import { requireDraftReconciliation, requireEndAfter, requireEndedStatement } from "./reconciliation.rules.ts";
import { readReconciliation, reconciliationColumns, reconciliationView, type ReconciliationRow } from "./reconciliation.view.ts";
import type { DraftScope, ReconciledAccount } from "./reconciliation-items.queries.ts";
import { findDraftOwners, findProofOwners, type ProofOwners } from "./proof/proof-owners.ts";
import { readThreeWay } from "./proof/three-way.ts";

type Operations = typeof reconciliations.operations;
const publish = eventPublisher("ledger");

/** Publishes an event about a reconciliation. */
export const publishReconciliationEvent = (
  tx: OrgTx,
  type: "reconciliation.created" | "reconciliation.updated" | "reconciliation.finalized" | "reconciliation.voided",
  { id, bankAccountId, statementEndDate }: Pick<View, "id" | "bankAccountId" | "statementEndDate">,
): Promise<void> => publish(tx, type, { entityId: id, data: { bankAccountId, statementEndDate } });

/** Returns a reconciliation, a draft with its three-way proof as of now. Throws 404 for an unknown id. */
export const getReconciliation = async (db: OrgDb, clients: Clients, id: string): Promise<View> =>
  readWithProof(db, id, await findDraftOwners(db, clients, id));

/** Returns a reconciliation, a draft with its three-way proof as of now, which names the given owners. Throws 404 for an unknown id. */
export async function readWithProof(db: StatementRunner, id: string, owners: ProofOwners): Promise<View> {
  const view = await readReconciliation(db, id);
  if (view.status !== "draft") return view;
  const account = await getBankAccount(db, view.bankAccountId);
  const threeWay = await readThreeWay(db, {
    account,
    scope: await draftScopeOf(db, view),
    statementEndingBalanceCents: view.statementEndingBalanceCents,
    owners,
  });
  return withVersion({ ...view, threeWay }, versionOf({ view })!);
}

/** Returns a page of reconciliations. */
export async function listReconciliations(db: OrgDb, query: QueryOf<Operations["listReconciliations"]>) {
  const { bankAccountId, status, endAfter, endBefore } = query;
  const { rows, paging } = await listPage<ReconciliationRow>(db, query, {
    table: "r",
    select: reconciliationColumns,
    from: sql`reconciliation r`,
    sorts: { statementEndDate: sql`r.statement_end_date`, createdAt: sql`r.created_at` },
    where: [
      ...listConditions(db, "r", query, false),
      bankAccountId !== undefined && sql`r.bank_account_id = ${bankAccountId}`,
      status && sql`r.status = any(${status})`,
      endAfter !== undefined && sql`r.statement_end_date >= ${endAfter}`,
      endBefore !== undefined && sql`r.statement_end_date <= ${endBefore}`,
    ],
  });
  return { reconciliations: rows.map(reconciliationView), ...paging };
}

/** Returns the last day of the last finalized statement of an account, or null. */
async function findLastEndDate(db: StatementRunner, bankAccountId: string): Promise<string | null> {
  const row = await db.first(sql<{ endDate: string | null }>`select max(statement_end_date) as end_date from reconciliation
    where organization_id = ${db.organizationId} and bank_account_id = ${bankAccountId} and status = 'finalized'`);
  return row!.endDate;
}

/** Returns the scope of a draft's items. */
export const draftScopeOf = async (db: StatementRunner, draft: Pick<View, "id" | "bankAccountId" | "statementEndDate">): Promise<DraftScope> => ({
  id: draft.id,
  statementEndDate: draft.statementEndDate,
  isFirst: (await findLastEndDate(db, draft.bankAccountId)) === null,
});

/**
 * Creates a draft. Throws a 400 for an unknown bank account and for a statement that ends after today or not after the last one, and a 409
 * for an archived account and for one that has a draft.
 */
export async function createReconciliation(
  db: OrgDb,
  clients: Clients,
  { bankAccountId, statementEndDate, statementEndingBalanceCents }: BodyOf<Operations["createReconciliation"]>,
): Promise<{ reconciliation: View }> {
  const owners = await findProofOwners(db, clients, bankAccountId, statementEndDate);
  return transaction(db, async (tx) => {
    const account = (await lockBankAccounts(tx, [bankAccountId])).get(bankAccountId);
    if (!account) throw unknownReference("bankAccountId", "bank account");
    requireActive(account);
    requireEndedStatement(statementEndDate, today((await getLedgerSettings(tx)).timezone));
    const lastEndDate = await findLastEndDate(tx, bankAccountId);
    requireEndAfter(statementEndDate, lastEndDate);
    await requireNoDraft(tx, bankAccountId);
    const statementStartDate = lastEndDate === null ? await findFirstDay(tx, account, statementEndDate) : addDays(lastEndDate, 1);
    const draft = tx.create(Reconciliation, { id: newId(), bankAccountId, statementStartDate, statementEndDate, statementEndingBalanceCents, status: "draft" });
    await tx.flush();
    await publishReconciliationEvent(tx, "reconciliation.created", draft);
    return { reconciliation: await readWithProof(tx, draft.id, owners) };
  });
}

async function requireNoDraft(tx: OrgTx, bankAccountId: string): Promise<void> {
  const draft = await tx.findOne(Reconciliation, { bankAccountId, status: "draft" });
  if (draft) throw conflict(`The bank account has the draft ${draft.id}. Finalize or void it first.`, "resource_in_use");
}

/** Returns the day of the first transaction of an account, at the latest the given day. */
async function findFirstDay(tx: OrgTx, account: ReconciledAccount, statementEndDate: string): Promise<string> {
  const row = await tx.first(sql<{ day: string }>`select least(min(l.entry_date), ${statementEndDate}::date) as day from ${bankLines(tx, account)}`);
  return row!.day;
}

/** Locks a draft until the commit. Throws 404 for an unknown id, and a 409 for a reconciliation that is no draft. */
export async function lockDraft(tx: OrgTx, id: string): Promise<Reconciliation> {
  const draft = await tx.getForUpdate(Reconciliation, id, "Reconciliation");
  requireDraftReconciliation(draft);
  return draft;
}

/** Changes the figures of a draft's statement. What is dated after its new end is no longer cleared. */
export async function updateReconciliation(
  db: OrgDb,
  clients: Clients,
  id: string,
  changes: BodyOf<Operations["updateReconciliation"]>,
): Promise<{ reconciliation: View }> {
  const { statementEndDate } = changes;
  const owners = await findDraftOwners(db, clients, id, statementEndDate);
  await transaction(db, async (tx) => {
    const draft = await lockDraft(tx, id);
    if (statementEndDate !== undefined) {
      requireEndedStatement(statementEndDate, today((await getLedgerSettings(tx)).timezone));
      requireEndAfter(statementEndDate, await findLastEndDate(tx, draft.bankAccountId));
      if (statementEndDate < draft.statementStartDate) tx.assign(draft, { statementStartDate: statementEndDate });
      await releaseItemsAfter(tx, id, statementEndDate);
    }
    tx.assign(draft, omitUndefined(changes));
    await publishReconciliationEvent(tx, "reconciliation.updated", draft);
  });
  return { reconciliation: await readWithProof(db, id, owners) };
}

/** Unclears what is dated after a day, and takes back the matches of the same statement lines and of lines that the bank posted after the day. */
async function releaseItemsAfter(tx: OrgTx, id: string, statementEndDate: string): Promise<void> {
  const items = sql`reconciliation_item where organization_id = ${tx.organizationId} and reconciliation_id = ${id}`;
  await tx.all(sql`update reconciliation_item set statement_line_id = null, match_reason = null where organization_id = ${tx.organizationId} and reconciliation_id = ${id}
    and statement_line_id in (select statement_line_id from ${items} and entry_date > ${statementEndDate}
      union all select s.id from bank_statement_line s where s.organization_id = ${tx.organizationId} and s.posted_on > ${statementEndDate}
        and s.id in (select statement_line_id from ${items}))`);
  await tx.all(sql`delete from ${items} and entry_date > ${statementEndDate}`);
}
