/** Routes of refunds. */
import { refunds } from "@freehold/contract/ledger/refunds";
import { routes } from "@freehold/kit/http/routes";
import { refundPayment } from "./refund-payment.ts";
import { voidRefund } from "./void-refund.ts";

export const refundRoutes = routes(refunds, {
  refundPayment: ({ db, params, body }) => refundPayment(db, params.id, body),
  voidRefund: ({ db, params, body }) => voidRefund(db, params.id, params.refundId, body),
});
