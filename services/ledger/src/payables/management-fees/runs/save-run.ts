/** Rows of a run: the run, its fees, and the amounts that they count. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import { newSortedIds } from "../../../ids.ts";
import { expenseKey, type FeeLine } from "../calculation/fee-lines.rules.ts";
import type { Period } from "../calculation/segments.rules.ts";
import type { Collection } from "./collect-fees.ts";
import type { PostedFees } from "./post-fees.ts";
import { ManagementFeeRun } from "./run.entity.ts";

type Cents = ManagementFeeRun["totalCents"];

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
  const expenseIds = new Map(expenses.map(({ id, propertyId, categoryId, ownedOn }) => [expenseKey({ propertyId, categoryId, ownedOn }), id]));
  const ids = newSortedIds(lines.length);
  const rows = lines.map(({ propertyId, categoryId, ownedOn, base: _base, ...line }, index) => {
    return { id: ids[index], propertyId, ...line, expenseId: expenseIds.get(expenseKey({ propertyId, categoryId, ownedOn })) ?? null };
  });
  await tx.all(sql`insert into management_fee (organization_id, id, created_at, updated_at, run_id, property_id, agreement_id, kind, month, lease_id,
      base_cents, computed_cents, minimum_applied, maximum_applied, is_waived, amount_cents, rate, expense_id)
    select ${tx.organizationId}, id, ${now()}, ${now()}, ${runId}, "propertyId", "agreementId", kind, month, "leaseId",
      "baseCents", "computedCents", "minimumApplied", "maximumApplied", "isWaived", "amountCents", rate, "expenseId"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as fee (id uuid, "propertyId" uuid, "agreementId" uuid, kind text, month date, "leaseId" uuid,
      "baseCents" bigint, "computedCents" bigint, "minimumApplied" boolean, "maximumApplied" boolean, "isWaived" boolean, "amountCents" bigint, rate jsonb, "expenseId" uuid)`);
  return ids;
}

/** Saves the amounts that fees count. A run of a large portfolio has one per payment, so they are written as one statement. */
async function saveBase(tx: OrgTx, lines: readonly FeeLine[], feeIds: readonly string[]): Promise<void> {
  const items = lines.flatMap(({ base }, index) => base.map((item) => ({ ...item, feeId: feeIds[index]! })));
  const column = <K extends keyof (typeof items)[number]>(key: K) => items.map((item) => item[key]);
  await tx.all(sql`insert into management_fee_base (organization_id, id, created_at, updated_at, fee_id, charge_id, payment_id, allocation_id, credit_id, amount_cents)
    select ${tx.organizationId}, id, ${now()}, ${now()}, fee_id, charge_id, payment_id, allocation_id, credit_id, amount_cents
    from unnest(${newSortedIds(items.length)}::uuid[], ${column("feeId")}::uuid[], ${column("chargeId")}::uuid[], ${column("paymentId")}::uuid[],
      ${column("allocationId")}::uuid[], ${column("creditId")}::uuid[], ${column("amountCents")}::bigint[])
      as item (id, fee_id, charge_id, payment_id, allocation_id, credit_id, amount_cents)`);
}
