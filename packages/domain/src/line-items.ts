/** Lines of estimates and invoices. */
import type { EstimateLine } from "@freehold/contract/maintenance/work-orders";

type Line = Pick<EstimateLine, "quantity" | "unitPriceCents">;

/** Returns the total of a line in cents: quantity times unit price, rounded half up. */
export const lineCents = ({ quantity, unitPriceCents }: Line): number => Math.round((Math.round(quantity * 100) * unitPriceCents) / 100);

/** Returns the sum of the totals of lines in cents. */
export const sumOfLines = (lines: readonly Line[]): number => lines.reduce((total, line) => total + lineCents(line), 0);
