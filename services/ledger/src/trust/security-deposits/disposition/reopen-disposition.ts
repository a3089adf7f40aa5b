/** Reopening of a finalized disposition: its deductions are drafts again, and it follows the move-out of its lease again. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { truncate } from "@freehold/kit/truncate";
import type { Clients } from "../../../clients.ts";
import { findOwnershipOf } from "../../../owners/owned-properties.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import { gatherAtHolder } from "../deposit-holders.ts";
import { SecurityDepositDeduction } from "../security-deposit.entity.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { reverseSettlements } from "../transactions/settle-charges.ts";
import { followMoveOuts } from "./move-out.ts";
import { returnToDeposit } from "../transactions/return-to-deposit.ts";

/** Reopens a disposition. Throws a 409 for one that is not finalized, was refunded in part, or whose money the owners have used. */
export async function reopenSecurityDeposit(db: OrgDb, clients: Clients, id: string, reason: string): Promise<{ securityDeposit: View; warnings: string[] }> {
  const properties = await findOwnershipOf(db, clients, [(await getSecurityDeposit(db, id)).propertyId]);
  return transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    const { disposition, refundedCents } = await getSecurityDeposit(tx, id);
    if (!disposition) throw conflict("The disposition is not finalized.", "invalid_transition");
    if (refundedCents > 0) throw conflict("A part of the deposit was refunded. Void the refund first.", "resource_in_use");
    const { timezone } = await getLedgerSettings(tx);
    const deductions = await tx.find(SecurityDepositDeduction, { securityDepositId: id });
    const entryIds = deductions.flatMap(({ entryId }) => entryId ?? []);
    const memo = truncate(`Disposition reopened: ${reason}`, 500);
    const ownEntryIds = deposit.dispositionEntryId ? [deposit.dispositionEntryId] : [];
    await returnToDeposit(tx, { entryIds: [...new Set(entryIds)], ownEntryIds, receiver: "owners", memo, properties }, () =>
      reverseSettlements(
        tx,
        timezone,
        deductions.flatMap(({ creditId }) => creditId ?? []),
      ),
    );
    for (const deduction of deductions) tx.assign(deduction, { entryId: null, creditId: null });
    tx.assign(deposit, { dispositionSentAt: null, dispositionMethod: null, dispositionLetter: null, dispositionEntryId: null, isOpen: true });
    await tx.flush();
    await gatherAtHolder(tx, deposit);
    await publishDepositEvent(tx, "security_deposit.reopened", deposit);
    await followMoveOuts(tx, [deposit.leaseId]);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });
}
