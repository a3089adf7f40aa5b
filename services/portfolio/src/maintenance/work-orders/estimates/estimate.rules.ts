/** Rules of estimates: status, expiry and line totals. */
import type { EstimateLine, estimateStatuses } from "@freehold/contract/maintenance/work-orders";
import { sumOfLines } from "@freehold/domain/line-items";
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type EstimateStatus = (typeof estimateStatuses)[number];

/** Transitions between the stored statuses of an estimate. */
export const estimateStateMachine = stateMachine("estimate", { submitted: ["approved", "rejected"], approved: [], rejected: [], expired: [] });

/** Returns the status of an estimate on a day. A submitted estimate is expired after `validUntil`. */
export const estimateStatusOn = ({ status, validUntil }: { status: EstimateStatus; validUntil?: string | null | undefined }, day: string): EstimateStatus =>
  status === "submitted" && validUntil && validUntil < day ? "expired" : status;

/** Throws 400 when the estimate has lines whose total is not its amount. */
export function requireLinesMatchAmount(amountCents: number, lines: readonly EstimateLine[]): void {
  if (lines.length === 0) return;
  const sum = sumOfLines(lines);
  if (sum !== amountCents)
    throw invalid([{ path: "amountCents", code: "mismatch", message: `The lines add up to ${sum} cents. Make amountCents the same, or correct the lines.` }]);
}
