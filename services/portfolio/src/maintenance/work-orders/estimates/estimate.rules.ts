/** What an estimate adds up to, and what may be decided on it. */
import type { EstimateLine, estimateStatuses } from "@freehold/contract/maintenance/work-orders";
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type EstimateStatus = (typeof estimateStatuses)[number];

export const estimateStateMachine = stateMachine("estimate", { submitted: ["approved", "rejected"], approved: [], rejected: [], expired: [] });

/** What an estimate is on a day: one that was not decided on is over after its last day. */
export const estimateStatusOn = ({ status, validUntil }: { status: EstimateStatus; validUntil?: string | null | undefined }, day: string): EstimateStatus =>
  status === "submitted" && validUntil && validUntil < day ? "expired" : status;

/** What a line costs: quantity times price, rounded half up to a cent. */
export const lineCents = ({ quantity, unitPriceCents }: Pick<EstimateLine, "quantity" | "unitPriceCents">): number =>
  Math.round((Math.round(quantity * 100) * unitPriceCents) / 100);

/** Lines say what the amount is made of: they add up to it, or there are none. */
export function requireLinesMatchAmount(amountCents: number, lines: readonly EstimateLine[]): void {
  if (lines.length === 0) return;
  const sum = lines.reduce((total, line) => total + lineCents(line), 0);
  if (sum !== amountCents)
    throw invalid([{ path: "amountCents", code: "mismatch", message: `The lines add up to ${sum} cents. Make amountCents the same, or correct the lines.` }]);
}
