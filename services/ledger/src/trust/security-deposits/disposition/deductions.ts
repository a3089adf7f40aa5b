/** Deductions of security deposits: drafts until the disposition is finalized. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid, notFound } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../../../clients.ts";
import { resolveDocuments } from "../../../projections/document-references.ts";
import { lockSecurityDeposit } from "../lock-security-deposit.ts";
import { SecurityDepositDeduction } from "../security-deposit.entity.ts";
import { requireAtMost, requireHeldDeposit, requireOpenDeposit } from "../security-deposit.rules.ts";
import { publishDepositEvent } from "../security-deposit-events.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { lockSettledCharges } from "../transactions/settle-charges.ts";

type Operations = typeof securityDeposits.operations;
interface Result {
  securityDeposit: View;
}

/** Adds a draft. Throws a 400 for an unknown charge or document and for more than is held, and a 409 for a deposit that is not held. */
export async function createSecurityDepositDeduction(
  db: OrgDb,
  clients: Clients,
  id: string,
  { category, description, amountCents, chargeId, ...body }: BodyOf<Operations["createSecurityDepositDeduction"]>,
): Promise<Result> {
  const documentIds = await resolveDocuments(db, clients, body.documentIds);
  return transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    if (chargeId) await lockSettledCharges(tx, deposit, [{ chargeId, amountCents }], (_, member) => member);
    const { status, heldCents, deductionsCents, deductions } = await getSecurityDeposit(tx, id);
    requireHeldDeposit(status);
    if (chargeId && deposit.holder === "owner")
      throw invalid([{ path: "chargeId", code: "not_allowed", message: "The owner holds the deposit, so it settles no charges here. Leave chargeId out." }]);
    if (chargeId && deductions.some((each) => each.chargeId === chargeId))
      throw invalid([{ path: "chargeId", code: "unique", message: "Another deduction settles this charge. Delete that one first." }]);
    requireAtMost(amountCents, heldCents - deductionsCents, "amountCents", "Lower amountCents, or delete other deductions.");
    tx.create(SecurityDepositDeduction, {
      id: newId(),
      securityDepositId: id,
      category,
      description,
      amountCents,
      chargeId: chargeId ?? null,
      documentIds,
      entryId: null,
      creditId: null,
    });
    tx.assign(deposit, { updatedAt: now() });
    await tx.flush();
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id) };
  });
}

/** Deletes a draft. Throws 404 for an unknown deduction, and a 409 once the disposition is finalized. */
export const deleteSecurityDepositDeduction = (db: OrgDb, id: string, deductionId: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    const deduction = await tx.findOne(SecurityDepositDeduction, { id: deductionId, securityDepositId: id });
    if (!deduction) throw notFound("Deduction");
    requireOpenDeposit((await getSecurityDeposit(tx, id)).status);
    tx.remove(deduction);
    tx.assign(deposit, { updatedAt: now() });
    await tx.flush();
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
    return { securityDeposit: await getSecurityDeposit(tx, id) };
  });
