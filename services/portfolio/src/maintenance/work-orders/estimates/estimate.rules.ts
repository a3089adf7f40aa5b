/** Rules of estimates: status, expiry and line totals. */
import type { EstimateLine, estimateStatuses } from "@freehold/contract/maintenance/work-orders";
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type EstimateStatus = (typeof estimateStatuses)[number];

export const estimateStateMachine = stateMachine("estimate", { submitted: ["approved", "rejected"], approved: [], rejected: [], expired: [] });

/** Returns the status of an estimate on a day. A submitted estimate is expired after `validUntil`. */
export const estimateStatusOn = ({ status, validUntil }: { status: EstimateStatus; validUntil?: string | null | undefined }, day: string): EstimateStatus =>
  status === "submitted" && validUntil && validUntil < day ? "expired" : status;

/** Returns the total of a line in cents: quantity times unit price, rounded half up. */
export const lineCents = ({ quantity, unitPriceCents }: Pick<EstimateLine, "quantity" | "unitPriceCents">): number =>
  Math.round((Math.round(quantity * 100) * unitPriceCents) / 100);

/** Throws 400 when the estimate has lines whose total is not its amount. */
export function requireLinesMatchAmount(amountCents: number, lines: readonly EstimateLine[]): void {
  if (lines.length === 0) return;
  const sum = lines.reduce((total, line) => total + lineCents(line), 0);
  if (sum !== amountCents)
    throw invalid([{ path: "amountCents", code: "mismatch", message: `The lines add up to ${sum} cents. Make amountCents the same, or correct the lines.` }]);
}
