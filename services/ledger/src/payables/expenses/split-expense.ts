import type { Expense as View, expenses } from "@freehold/contract/payables/expenses";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid } from "@freehold/kit/errors";
import { now, startOfDay } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { reverseEntries } from "../../journal/posting.ts";
import { requireOpenPeriod } from "../../periods/require-open-period.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireNoFeeExpense } from "../management-fees/require-no-run.ts";
import { requireNotBilled } from "../tenant-charges/require-not-billed.ts";
import { Expense } from "./expense.entity.ts";
import { requireActiveExpense, requireUnpaid } from "./expense.rules.ts";
import { findExpenses, getExpense } from "./expenses.ts";
import { postExpense } from "./post-expense.ts";
import { requireExpenseReferences } from "./references.ts";

type Lines = BodyOf<typeof expenses.operations.splitExpense>["lines"];
const publish = eventPublisher("ledger");

/**
 * Replaces an unpaid expense by one for each line: it is voided on its own day, and the others are recorded on that day. Throws a 400
 * for lines that do not add up to its amount, and a 409 for a paid or voided expense and for a day in a closed accounting period.
 */
export async function splitExpense(db: OrgDb, clients: Clients, id: string, lines: Lines): Promise<{ expenses: View[] }> {
  await requireExpenseReferences(db, clients, lines, (member, index) => `lines.${index}.${member}`);
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const expense = await tx.getForUpdate(Expense, id, "Expense");
    requireActiveExpense(expense, "split");
    await requireNoFeeExpense(tx, id, "split");
    await requireNotBilled(tx, id, "split");
    requireUnpaid(expense, "split");
    requireSum(lines, expense.amountCents);
    await requireOpenPeriod(tx, expense.incurredOn, undefined);
    const {
      journalEntryId,
      vendorName: _vendorName,
      chargeId: _chargeId,
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      voidedAt: _voidedAt,
      ...fields
    } = await getExpense(tx, id);
    await reverseEntries(tx, timezone, [journalEntryId], { occurredAt: startOfDay(expense.incurredOn, timezone), memo: "Expense split" });
    tx.assign(expense, { status: "voided", outstandingCents: 0 as View["outstandingCents"], voidedAt: now(), voidReason: "Split" });
    const { propertyId, vendorId } = fields;
    await publish(tx, "expense.voided", { entityId: id, data: { propertyId, vendorId } });
    const ids = [];
    for (const { propertyId: lineProperty, unitId = null, amountCents } of lines) {
      // Another property has other owners and work orders.
      const bearer = lineProperty === fields.propertyId ? {} : { ownerId: null, workOrderId: null };
      const part = { ...fields, ...bearer, lines: [], id: newId(), propertyId: lineProperty, unitId, amountCents, outstandingCents: amountCents };
      tx.create(Expense, { ...part, voidedAt: null, entryId: await postExpense(tx, part) });
      await tx.flush();
      await publish(tx, "expense.created", { entityId: part.id, data: { propertyId: lineProperty, vendorId, approvalStatus: part.approvalStatus } });
      ids.push(part.id);
    }
    const parts = await findExpenses(tx, ids);
    return { expenses: ids.map((each) => parts.get(each)!) };
  });
}

function requireSum(lines: Lines, amountCents: number): void {
  const sum = lines.reduce((total, line) => total + line.amountCents, 0);
  if (sum === amountCents) return;
  throw invalid([{ path: "lines", code: "mismatch", message: `The lines add up to ${sum} cents and the expense has ${amountCents}. Make them equal.` }]);
}
