/** Events of payments of expenses. */
import type { EventType } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { ExpensePayment } from "./expense-payment.entity.ts";

const publish = eventPublisher("ledger");
type PaymentEvent = Extract<EventType, `expense_payment.${string}`>;

/** Publishes an event about a payment; `isOfVendor` sends it to the vendor as well, whose portal lists issued payments. */
export const publishPaymentEvent = (
  tx: OrgTx,
  type: PaymentEvent,
  { id, vendorId = null, status }: Pick<ExpensePayment, "id" | "status"> & { vendorId?: string | null | undefined },
  isOfVendor = status === "issued",
): Promise<void> => publish(tx, type, { entityId: id, data: { vendorId, status }, audience: { vendorIds: isOfVendor && vendorId ? [vendorId] : [] } });
