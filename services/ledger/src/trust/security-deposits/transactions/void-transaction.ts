/** Void of a transaction of a security deposit. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import type { Clients } from "../../../clients.ts";
import { findOwnershipOf } from "../../../owners/owned-properties.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { followMoveOuts } from "../disposition/move-out.ts";
import { gatherAtHolder } from "../deposit-holders.ts";
import { lockBothDeposits, lockSecurityDeposit } from "../lock-security-deposit.ts";
import { SecurityDepositTransaction, type SecurityDeposit } from "../security-deposit.entity.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { returnToDeposit } from "./return-to-deposit.ts";
import { reverseSettlements } from "./settle-charges.ts";

/** Voids a transaction. Throws 404 for an unknown one, and a 409 for one that is voided, belongs to a finalized disposition, or whose money has been used. */
export async function voidSecurityDepositTransaction(
  db: OrgDb,
  clients: Clients,
  id: string,
  transactionId: string,
  reason: string,
): Promise<{ securityDeposit: View; warnings: string[] }> {
  const properties = await findOwnershipOf(db, clients, [(await getSecurityDeposit(db, id)).propertyId]);
  return transaction(db, async (tx) => {
    const { deposit, other, transaction: own, counterpart } = await lockTransaction(tx, id, transactionId);
    const { status, disposition } = await getSecurityDeposit(tx, id);
    requireVoidable(own, disposition !== null);
    const { timezone } = await getLedgerSettings(tx);
    const isCredit = own.kind === "application" || own.kind === "receipt";
    const entryIds = own.entryId ? [own.entryId] : [];
    const memo = truncate(`Security deposit: ${reason}`, 500);
    await returnToDeposit(tx, { entryIds, ownEntryIds: isCredit ? [] : entryIds, receiver: receiverOf(own), memo, properties }, () =>
      reverseSettlements(tx, timezone, [...own.creditIds, ...(counterpart?.creditIds ?? [])] as string[]),
    );
    for (const each of counterpart ? [own, counterpart] : [own]) tx.assign(each, { voidedAt: now(), voidReason: reason });
    if (status === "transferred") tx.assign(deposit, { isOpen: true });
    await tx.flush();
    for (const each of other ? [deposit, other] : [deposit]) await gatherAtHolder(tx, each);
    // Of the other kinds, the void gives the deposit money back.
    const lowered = other ?? (own.kind === "receipt" ? deposit : undefined);
    if (lowered) await requireUnused(tx, lowered);
    for (const each of other ? [deposit, other] : [deposit]) await publishDepositEvent(tx, "security_deposit.transaction_voided", each);
    // The lease may have ended while the deposit was elsewhere.
    if (status === "transferred") await followMoveOuts(tx, [deposit.leaseId]);
    return { securityDeposit: await getSecurityDeposit(tx, id), warnings: tx.warnings };
  });
}

/** Locks the deposit of a transaction and, for a transfer to another lease, the other deposit and its side of the transfer. */
async function lockTransaction(tx: OrgTx, id: string, transactionId: string) {
  const own = await tx.first(sql<{ counterpartId: string | null }>`select counterpart_id from security_deposit_transaction
    where organization_id = ${tx.organizationId} and id = ${transactionId} and security_deposit_id = ${id}`);
  const [deposit, other] = own?.counterpartId ? await lockBothDeposits(tx, id, own.counterpartId) : [await lockSecurityDeposit(tx, id), undefined];
  if (!own) throw notFound("Transaction");
  const [locked] = await tx.findAllForUpdate(SecurityDepositTransaction, [transactionId]);
  const counterpart = other && (await tx.findOne(SecurityDepositTransaction, { counterpartId: id, entryId: locked!.entryId!, securityDepositId: other.id }));
  return { deposit, other, transaction: locked!, counterpart };
}

const receiverOf = ({ kind }: SecurityDepositTransaction) => (kind === "application" ? "owners" : kind === "transfer_out" ? "deposit" : "nobody");

function requireVoidable({ kind, voidedAt }: SecurityDepositTransaction, isFinalized: boolean): void {
  if (voidedAt) throw conflict("The transaction has already been voided.", "invalid_transition");
  if (kind === "transfer_in") throw conflict("The deposit came from another lease. Void the transfer at the deposit that it left.", "invalid_transition");
  if (kind !== "refund" && isFinalized) throw conflict("The disposition of the deposit is finalized. Reopen it first.", "invalid_transition");
}

/** Throws a 409 when more of a deposit has been used than it has received without the voided transaction. */
async function requireUnused(tx: OrgTx, { id }: SecurityDeposit): Promise<void> {
  const { heldCents, deductionsCents, disposition } = await getSecurityDeposit(tx, id);
  if (heldCents - (disposition ? 0 : deductionsCents) < 0)
    throw conflict("The money has been used: the deposit would hold less than its deductions and payments. Undo those first.", "resource_in_use");
}
