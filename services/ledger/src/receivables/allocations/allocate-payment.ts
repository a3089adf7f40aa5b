/** Allocation of a payment's credit to charges that the request names. */
import type { Payment as View, payments } from "@freehold/contract/ledger/payments";
import type { BodyOf } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Payment } from "../payments/payment.entity.ts";
import { lockCharges } from "../payments/payment.queries.ts";
import { requireReceived } from "../payments/payment.rules.ts";
import { getPayment } from "../payments/payments.ts";
import { postAllocations } from "./post-allocations.ts";

/** Allocates credit of a payment to charges of its lease, or of its tenant when it has no lease: all allocations or none. */
export function allocatePayment(db: OrgDb, id: string, { allocations }: BodyOf<typeof payments.operations.allocatePayment>): Promise<{ payment: View }> {
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    requireReceived(payment.status);
    const chargeIds = allocations.map(({ chargeId }) => chargeId);
    const charges = await tx.all(lockCharges(tx, chargeIds, payment));
    const { timezone } = await getLedgerSettings(tx);
    await postAllocations(tx, timezone, await getChart(tx), payment, allocations, charges);
    return { payment: await getPayment(tx, id) };
  });
}
