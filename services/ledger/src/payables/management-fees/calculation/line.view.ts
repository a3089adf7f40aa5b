import type { ManagementFeeLine as View } from "@freehold/contract/payables/management-fees";
import type { FeeLine } from "./fee-lines.rules.ts";

/** Returns the API representation of a fee that is computed. */
export const lineView = ({ categoryId: _categoryId, ownedOn: _ownedOn, rate: _rate, base, ...line }: FeeLine): View =>
  ({ ...line, base: base.map(({ paymentId, chargeId, amountCents }) => ({ paymentId, chargeId, amountCents })) }) as View;
