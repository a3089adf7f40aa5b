/** Import of the opening balance of a lease: a charge for what is due, and a payment for what is prepaid. */
import type { importedMoney } from "@freehold/contract/imports/imported-money";
import type { BodyOf } from "@freehold/contract/operation";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { batchTransaction } from "@freehold/kit/db/transaction";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { loadChargeableLease } from "../../projections/load-leases.ts";
import { lockLeasesShared } from "../../projections/lock-leases.ts";
import type { ProjectedLease } from "../../projections/projections.ts";
import { createChargeBatch, importOrigin, resolveCharge } from "../charges/charges.ts";
import type { NewCharge } from "../charges/post-charges.ts";
import { paymentKeyOf, recordImportedPayment } from "./imported-payment.ts";

type Body = BodyOf<typeof importedMoney.operations.importOpeningBalance>;

interface BalanceToImport {
  chart: Chart;
  lease: ProjectedLease;
  /** Undefined without a balance due. */
  charge: NewCharge | undefined;
  /** Undefined without a prepayment. */
  prepayment: Parameters<typeof recordImportedPayment>[2] | undefined;
}

/** Posts a charge for the balance due and records a payment without allocations for the prepayment, in one transaction. */
export async function importOpeningBalance(db: OrgDb, clients: Clients, body: Body): Promise<{ recordId: string }> {
  const { leaseId, balanceCents, prepaidCents, asOf, receivedAt, categoryId } = body;
  const [chart, lease] = [await getChart(db), await loadChargeableLease(db, clients, leaseId)];
  const terms = { leaseId, amountCents: balanceCents as never, dueDate: asOf, chargeType: "other", name: "Opening balance", categoryId } as const;
  const payment = { tenantId: lease.tenantId, leaseId, amountCents: prepaidCents as never, paymentMethod: "other", receivedAt } as const;
  return batchTransaction(db, importOpeningBalances, {
    chart,
    lease,
    charge: balanceCents > 0 ? resolveCharge(chart, lease, terms, importOrigin) : undefined,
    prepayment: prepaidCents > 0 ? { ...payment, idempotencyKey: paymentKeyOf(db) } : undefined,
  });
}

/** Batch writer for `importOpeningBalance`: posts all charges, and then records one payment after the other. */
const importOpeningBalances: BatchWriter<BalanceToImport, { recordId: string }> = async (tx, inputs) => {
  await tx.all(lockLeasesShared(inputs.map(({ lease }) => lease.id)));
  const withCharge = inputs.flatMap(({ chart, charge }) => (charge ? [{ chart, charge }] : []));
  const posted = withCharge.length > 0 ? [...(await createChargeBatch(tx, withCharge))] : [];
  const results: { recordId: string }[] = [];
  for (const { chart, charge, prepayment } of inputs) {
    const chargeId = charge && posted.shift()!.charge.id;
    const paymentId = prepayment && (await recordImportedPayment(tx, chart, prepayment));
    results.push({ recordId: (chargeId ?? paymentId)! });
  }
  return results;
};
