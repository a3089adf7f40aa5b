/** Finalization of reconciliations. */
import type { Reconciliation as View, reconciliations } from "@freehold/contract/trust/reconciliations";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { lockBankAccounts, type LockedAccount } from "../bank-accounts/bank-account-references.ts";
import { findDraftOwners } from "./proof/proof-owners.ts";
import { selectOpeningEntries, type DraftScope } from "./reconciliation-items.queries.ts";
import { reconciliationStateMachine, requireNoDifference, requireVarianceAcknowledged } from "./reconciliation.rules.ts";
import { Reconciliation } from "./reconciliation.entity.ts";
import { readReconciliation } from "./reconciliation.view.ts";
import { draftScopeOf, publishReconciliationEvent } from "./reconciliations.ts";
import { reportNames } from "./report/reconciliation-report.ts";
import { storeOutstanding } from "./proof/three-way.ts";

type Body = BodyOf<typeof reconciliations.operations.finalizeReconciliation>;

/**
 * Finalizes a draft with its proof. The reconciliation is locked first and then its bank account, so that nothing is cleared, and no
 * transaction reversed, meanwhile. Throws a 409 unless it is a draft whose difference is 0, and for a variance that is not acknowledged.
 */
export async function finalizeReconciliation(
  db: OrgDb,
  clients: Clients,
  id: string,
  { acknowledgeThreeWayVariance, note }: Body,
): Promise<{ reconciliation: View }> {
  const [{ name: organizationName }, owners] = await Promise.all([clients.identity.getOrganization(db, {}), findDraftOwners(db, clients, id)]);
  return transaction(db, async (tx) => {
    const draft = await tx.getForUpdate(Reconciliation, id, "Reconciliation");
    const status = reconciliationStateMachine.transition(draft.status, "finalized");
    const account = (await lockBankAccounts(tx, [draft.bankAccountId])).get(draft.bankAccountId)!;
    // Keeps the periods that the reconciliation depends on from being reopened.
    await tx.all(sql`select pg_advisory_xact_lock_shared(period_lock_key(${tx.organizationId}))`);
    const scope = await draftScopeOf(tx, draft);
    const figures = await readReconciliation(tx, id);
    requireNoDifference(figures);
    if (scope.isFirst) await storeOpening(tx, account, scope);
    const threeWay = await storeOutstanding(tx, { account, scope, statementEndingBalanceCents: figures.statementEndingBalanceCents, owners });
    requireVarianceAcknowledged(threeWay, acknowledgeThreeWayVariance);
    const { openingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents } = figures;
    const names = reportNames(organizationName, await getBankAccount(tx, draft.bankAccountId));
    tx.assign(draft, { status, openingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents, threeWay, names });
    tx.assign(draft, { varianceNote: threeWay.isBalanced ? null : (note ?? null), finalizedAt: now(), finalizedByUserId: tx.principal.userId });
    await publishReconciliationEvent(tx, "reconciliation.finalized", draft);
    return { reconciliation: await readReconciliation(tx, id) };
  });
}

/** Stores the opening balance from which the first reconciliation of an account starts, so that it is final as well. */
const storeOpening = (tx: OrgTx, account: LockedAccount, { id, statementEndDate }: DraftScope): Promise<unknown> =>
  tx.all(sql`insert into reconciliation_item (organization_id, reconciliation_id, entry_id, bank_account_id, entry_date, amount_cents, is_cleared, is_opening)
    select ${tx.organizationId}, ${id}::uuid, entry_id, ${account.id}::uuid, entry_date, cents, true, true from (${selectOpeningEntries(tx, account, statementEndDate)}) opening`);
