/** Approval, rejection and void of expenses. */
import type { Expense as View } from "@freehold/contract/payables/expenses";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { transaction } from "@freehold/kit/db/transaction";
import { now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Expense } from "./expense.entity.ts";
import { requireNoFeeExpense } from "../management-fees/require-no-run.ts";
import { requireNotBilled } from "../tenant-charges/require-not-billed.ts";
import { approvalStateMachine, requireActiveExpense, requireUnpaid } from "./expense.rules.ts";
import { getExpense } from "./expenses.ts";

const publish = eventPublisher("ledger");

/** Approves or rejects an expense. Throws a 409 when its approval does not permit it, and for the rejection of one that payments settle or that a tenant is charged for. */
const decide = (db: OrgDb, id: string, approvalStatus: "approved" | "rejected", reason: string | null): Promise<{ expense: View }> =>
  transaction(db, async (tx) => {
    const expense = await tx.getForUpdate(Expense, id, "Expense");
    requireActiveExpense(expense, approvalStatus);
    if (approvalStatus === "rejected") {
      await requireNotBilled(tx, id, "rejected");
      requireUnpaid(expense, "rejected");
    }
    tx.assign(expense, { approvalStatus: approvalStateMachine.transition(expense.approvalStatus, approvalStatus) });
    await publish(tx, `expense.${approvalStatus}`, { entityId: id, data: { propertyId: expense.propertyId, vendorId: expense.vendorId ?? null, reason } });
    return { expense: await getExpense(tx, id) };
  });

export const approveExpense = (db: OrgDb, id: string, reason: string | undefined) => decide(db, id, "approved", reason ?? null);
export const rejectExpense = (db: OrgDb, id: string, reason: string | undefined) => decide(db, id, "rejected", reason ?? null);

/** Voids an expense today, or on its day when that is later. Throws a 409 for a voided one, and for one that payments settle. */
export const voidExpense = (db: OrgDb, id: string, reason: string | undefined): Promise<{ expense: View }> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const expense = await tx.getForUpdate(Expense, id, "Expense");
    requireActiveExpense(expense, "voided");
    await requireNoFeeExpense(tx, id, "voided");
    await requireNotBilled(tx, id, "voided");
    requireUnpaid(expense, "voided");
    const memo = truncate(reason ? `Expense voided: ${reason}` : "Expense voided", 500);
    await reverseEntries(tx, timezone, [expense.entryId], { occurredAt: now(), memo });
    tx.assign(expense, { status: "voided", outstandingCents: 0 as View["outstandingCents"], voidedAt: now(), voidReason: reason ?? null });
    await publish(tx, "expense.voided", { entityId: id, data: { propertyId: expense.propertyId, vendorId: expense.vendorId ?? null } });
    return { expense: await getExpense(tx, id) };
  });
