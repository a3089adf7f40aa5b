/** Rows of a run: the run, its fees, and the amounts that they count. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newSortedIds } from "../../../ids.ts";
import { expenseKey, type FeeLine } from "../calculation/fee-lines.rules.ts";
import type { Period } from "../calculation/segments.rules.ts";
import type { Collection } from "./collect-fees.ts";
import type { PostedFees } from "./post-fees.ts";
import { ManagementFee, ManagementFeeBase, ManagementFeeRun } from "./run.entity.ts";

type Cents = ManagementFee["amountCents"];

interface Charged {
  lines: readonly FeeLine[];
  posted: PostedFees;
  collection: Collection;
  bankAccountId: string | null;
}

/** Saves a run whose fees are posted and collected, and returns its id. */
export async function saveRun(tx: OrgTx, { periodStart, periodEnd }: Period, { lines, posted, collection, bankAccountId }: Charged): Promise<string> {
  const id = newId();
  const { expensePaymentId, collectedCents } = collection;
  tx.create(ManagementFeeRun, {
    id,
    periodStart,
    periodEnd,
    status: "completed",
    bankAccountId: expensePaymentId ? bankAccountId : null,
    expensePaymentId,
    totalCents: lines.reduce((sum, { amountCents }) => sum + amountCents, 0) as Cents,
    collectedCents: collectedCents as Cents,
    reversedAt: null,
    reverseReason: null,
  });
  await tx.flush();
  const feeIds = await saveFees(tx, id, lines, posted);
  await saveBase(tx, lines, feeIds);
  return id;
}

/** Saves the fees of a run, and returns their ids in the order of the lines. Fees are returned in the order of their ids. */
async function saveFees(tx: OrgTx, runId: string, lines: readonly FeeLine[], { expenses }: PostedFees): Promise<string[]> {
  const expenseIds = new Map(expenses.map(({ id, propertyId, categoryId, ownedOn = null }) => [expenseKey({ propertyId, categoryId, ownedOn }), id]));
  const ids = newSortedIds(lines.length);
  for (const [index, { propertyId, categoryId, ownedOn, base: _base, baseCents, computedCents, amountCents, ...line }] of lines.entries()) {
    const amounts = { baseCents: baseCents as Cents, computedCents: computedCents as Cents, amountCents: amountCents as Cents };
    const expenseId = expenseIds.get(expenseKey({ propertyId, categoryId, ownedOn })) ?? null;
    tx.create(ManagementFee, { id: ids[index]!, runId, propertyId, ...line, ...amounts, expenseId });
  }
  await tx.flush();
  return ids;
}

async function saveBase(tx: OrgTx, lines: readonly FeeLine[], feeIds: readonly string[]): Promise<void> {
  const items = lines.flatMap(({ base }, index) => base.map((item) => ({ ...item, feeId: feeIds[index]! })));
  const ids = newSortedIds(items.length);
  for (const [index, { feeId, chargeId, paymentId, allocationId, creditId, amountCents }] of items.entries())
    tx.create(ManagementFeeBase, { id: ids[index]!, feeId, chargeId, paymentId, allocationId, creditId, amountCents: amountCents as Cents });
  await tx.flush();
}
