/** Rules of the invoices that vendors submit. */
import type { EstimateLine } from "@freehold/contract/maintenance/work-orders";
import { sumOfLines } from "@freehold/domain/line-items";
import { invalid } from "@freehold/kit/errors";

/** Throws a 400 for lines that do not add up to the amount of the invoice. */
export function requireSumOfLines(amountCents: number, lines: readonly EstimateLine[]): void {
  const sum = sumOfLines(lines);
  if (sum === amountCents) return;
  throw invalid([{ path: "lines", code: "mismatch", message: `The lines add up to ${sum} cents and amountCents is ${amountCents}. Make them equal.` }]);
}
