/** Payments of imported rows. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import type { Chart } from "../../chart/categories.ts";
import type { PaymentBody } from "../payments/prepare-payment.ts";
import { recordPaymentWithin } from "../payments/record-payment.ts";

/** Returns the idempotency key of the payment of a row, which derives from that of the row. */
export const paymentKeyOf = (db: OrgDb): string => `import ${db.request.idempotency?.key ?? newId()}`;

type ImportedPayment = Pick<PaymentBody, "tenantId" | "leaseId" | "amountCents" | "paymentMethod" | "checkNumber" | "receivedAt" | "idempotencyKey"> &
  Partial<Pick<PaymentBody, "allocations" | "autoAllocate">>;

/** Records the payment of a row in the transaction of the row and returns its id. */
export async function recordImportedPayment(tx: OrgTx, chart: Chart, payment: ImportedPayment, allocationOrder?: readonly string[]): Promise<string> {
  const body = { allocations: [], autoAllocate: false, ...payment };
  return (await recordPaymentWithin(tx, chart, body, allocationOrder)).payment.id;
}
