/** Rules of the invoices that vendors submit. */
import type { EstimateLine } from "@freehold/contract/maintenance/work-orders";
import { sumOfLines } from "@freehold/domain/line-items";
import { invalid } from "@freehold/kit/errors";
import type { SharedDocument } from "@freehold/proto/portfolio/v1/portfolio";

/** Throws a 400 for lines that do not add up to the amount of the invoice. */
export function requireSumOfLines(amountCents: number, lines: readonly EstimateLine[]): void {
  const sum = sumOfLines(lines);
  if (sum === amountCents) return;
  throw invalid([{ path: "lines", code: "mismatch", message: `The lines add up to ${sum} cents and amountCents is ${amountCents}. Make them equal.` }]);
}

/** Throws a 400 that names each document that is not among those that the vendor reads. */
export function requireReadableDocuments(documentIds: readonly string[], documents: readonly SharedDocument[]): void {
  const readable = new Set(documents.map(({ id }) => id));
  const errors = documentIds.flatMap((id, index) => {
    const path = `documentIds.${index}`;
    return readable.has(id) ? [] : [{ path, code: "not_found" as const, message: `There is no document with this id. Check ${path}.` }];
  });
  if (errors.length > 0) throw invalid(errors);
}
