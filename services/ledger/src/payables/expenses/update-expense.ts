import type { Expense as View, expenses } from "@freehold/contract/payables/expenses";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { startOfDay } from "@freehold/kit/time/clock";
import { getChart, requireExpenseAccount, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { reverseEntries } from "../../journal/posting.ts";
import { requireOpenPeriod } from "../../periods/require-open-period.ts";
import { resolveDocuments } from "../../projections/document-references.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireNoFeeExpense } from "../management-fees/require-no-run.ts";
import { requireNotBilled } from "../tenant-charges/require-not-billed.ts";
import { Expense } from "./expense.entity.ts";
import { accountByCategory, requireActiveExpense, requireUnpaid } from "./expense.rules.ts";
import { getExpense, requireDueAfter } from "./expenses.ts";
import { postExpense } from "./post-expense.ts";
import { requireExpenseReferences } from "./references.ts";

type Changes = BodyOf<typeof expenses.operations.updateExpense>;
const publish = eventPublisher("ledger");

/** Members whose change posts the expense anew. */
const postedMembers = ["amountCents", "incurredOn", "categoryId", "propertyId", "unitId", "ownerId", "vendorId"] as const;

/**
 * Changes the members of an expense that are sent. A change of what is posted reverses the journal entry on its own day and posts a
 * new one, and an approved expense needs a new approval. Throws a 409 for a voided expense and, when the posting changes, for one that is partly paid or in a closed accounting period; also
 * for another day of an expense that was ever paid.
 */
export async function updateExpense(db: OrgDb, clients: Clients, id: string, body: Changes): Promise<{ expense: View }> {
  const current = await getExpense(db, id);
  const changes = {
    ...changesOf(body, current, await getChart(db)),
    ...(body.documentIds && { documentIds: await resolveDocuments(db, clients, body.documentIds) }),
  };
  const changed = { ...current, ...changes };
  requireDueAfter(changed.incurredOn, changed.dueOn);
  await requireChangedReferences(db, clients, changed, changes);
  return transaction(db, async (tx) => {
    const expense = await tx.getForUpdate(Expense, id, "Expense");
    requireActiveExpense(expense, "changed");
    const isChanged = (member: (typeof postedMembers)[number]) => changes[member] !== undefined && changes[member] !== (expense[member] ?? null);
    if (isChanged("incurredOn")) await requireNeverPaid(tx, id);
    if (isChanged("amountCents") || isChanged("propertyId")) await requireNotBilled(tx, id, "changed");
    if (postedMembers.some(isChanged))
      tx.assign(expense, {
        entryId: await repost(tx, expense, { ...(await getExpense(tx, id)), ...changes }),
        ...(expense.approvalStatus === "approved" && { approvalStatus: "pending" as const }),
      });
    if (changes.amountCents !== undefined) tx.assign(expense, { outstandingCents: (changes.amountCents - expense.paidCents) as View["outstandingCents"] });
    tx.assign(expense, changes);
    await publish(tx, "expense.updated", { entityId: id, data: { propertyId: expense.propertyId, vendorId: expense.vendorId ?? null } });
    return { expense: await getExpense(tx, id) };
  });
}

/** Throws a 409 for an expense that was ever paid: its day decides which owners have borne its payments, also those that were voided. */
async function requireNeverPaid(tx: OrgTx, id: string): Promise<void> {
  const paid = await tx.first(sql`select 1 as found from expense_allocation where organization_id = ${tx.organizationId} and expense_id = ${id} limit 1`);
  if (!paid) return;
  throw conflict(
    "The expense was paid, and incurredOn decides which owners bore the payment, so the day cannot change. Void the expense and enter it with the other day.",
    "already_allocated",
  );
}

/** Throws a 400 that names a new reference that is unknown, and a unit, owner or work order of another property than a new one. */
async function requireChangedReferences(db: OrgDb, clients: Clients, changed: View, changes: Changes): Promise<void> {
  const { propertyId, unitId, ownerId, workOrderId } = changed;
  const isMoved = changes.propertyId !== undefined;
  const references = {
    ...(isMoved || changes.unitId !== undefined ? { unitId } : {}),
    ...(isMoved || changes.workOrderId !== undefined ? { workOrderId } : {}),
    ...(isMoved || changes.ownerId !== undefined ? { ownerId } : {}),
    ...omitUndefined({ vendorId: changes.vendorId }),
  };
  if (isMoved || Object.keys(references).length > 0) await requireExpenseReferences(db, clients, [{ propertyId, ...references }]);
}

/** Returns the changes of a request. A new category without an account changes the account, too. */
function changesOf(body: Changes, current: View, chart: Chart) {
  const categoryId = body.categoryId
    ? requireExpenseAccount(chart, body.categoryId, "categoryId")
    : body.category && body.category !== current.category
      ? chart.accountId(accountByCategory[body.category])
      : undefined;
  return omitUndefined({ ...body, categoryId });
}

/** Reverses the entry of an unpaid expense on its own day, posts that of the changed expense, and returns its id. */
async function repost(tx: OrgTx, expense: Expense, changed: View): Promise<string> {
  await requireNoFeeExpense(tx, expense.id, "changed");
  requireUnpaid(expense, "changed");
  const { timezone } = await getLedgerSettings(tx);
  await requireOpenPeriod(tx, expense.incurredOn, undefined);
  await requireOpenPeriod(tx, changed.incurredOn, undefined);
  await reverseEntries(tx, timezone, [expense.entryId], { occurredAt: startOfDay(expense.incurredOn, timezone), memo: "Expense changed" });
  return postExpense(tx, changed);
}
