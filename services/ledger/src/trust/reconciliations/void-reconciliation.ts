/** Void of the latest reconciliation of a bank account. */
import type { Reconciliation as View } from "@freehold/contract/trust/reconciliations";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import { lockBankAccounts } from "../bank-accounts/bank-account-references.ts";
import { Reconciliation } from "./reconciliation.entity.ts";
import { reconciliationStateMachine } from "./reconciliation.rules.ts";
import { readReconciliation } from "./reconciliation.view.ts";
import { publishReconciliationEvent } from "./reconciliations.ts";

/**
 * Voids a reconciliation, so that its transactions and statement lines are free again. Throws a 409 unless it is the latest one of its
 * account that is not voided.
 */
export const voidReconciliation = (db: OrgDb, id: string, reason: string | undefined): Promise<{ reconciliation: View }> =>
  transaction(db, async (tx) => {
    const reconciliation = await tx.getForUpdate(Reconciliation, id, "Reconciliation");
    const status = reconciliationStateMachine.transition(reconciliation.status, "voided");
    await lockBankAccounts(tx, [reconciliation.bankAccountId]);
    await requireLatest(tx, reconciliation);
    const { openingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents } = await readReconciliation(tx, id);
    tx.assign(reconciliation, { status, openingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents, voidedAt: now(), voidReason: reason ?? null });
    await tx.flush();
    await tx.all(sql`update reconciliation_item set is_live = false where organization_id = ${tx.organizationId} and reconciliation_id = ${id}`);
    await publishReconciliationEvent(tx, "reconciliation.voided", reconciliation);
    return { reconciliation: await readReconciliation(tx, id) };
  });

async function requireLatest(tx: OrgTx, { bankAccountId, statementEndDate }: Reconciliation): Promise<void> {
  const later = await tx.first(sql<{ id: string; status: string }>`select id, status from reconciliation where organization_id = ${tx.organizationId}
    and bank_account_id = ${bankAccountId} and status <> 'voided' and statement_end_date > ${statementEndDate} order by statement_end_date desc limit 1`);
  if (!later) return;
  throw conflict(`The reconciliation ${later.id} of the same bank account is later, and is ${later.status}. Void it first.`, "invalid_transition");
}
