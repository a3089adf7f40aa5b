/** Cursors of the jobs that validate and write bundles, stored with the bundle. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";

/** Position of a validation: its step, and the row or candidate after which it continues. The values are stored, so they must not change. */
export type ValidationCursor =
  /** Deletes the candidates of an earlier validation. `isKept` is set once their decisions are saved. */
  | { step: "clear"; isKept?: true }
  /** Creates candidates from rows: index of the file, last row read, last position in the bundle, and the current section heading. */
  | { step: "read"; file: number; row: number; position: number; heading: string | null }
  /** Restores the saved decisions to the candidates of the same rows. */
  | { step: "decide" }
  /**
   * `link` resolves the references of the candidates of a type, `judge` evaluates the candidates. `again` repeats the evaluation
   * of all types without fetching matches.
   */
  | { step: "link" | "judge"; entityType: ImportEntityType; position: number; again?: true }
  /** Merges the duplicates of a type, after its references are resolved and before its candidates are evaluated. */
  | { step: "merge"; entityType: ImportEntityType };

/** Position of the writing: the type, and the candidate after which it continues. */
export interface WritingCursor {
  entityType: ImportEntityType;
  position: number;
  /** Day of the receipt of the payment after which it continues, since payments are written in the order of their receipt. */
  paymentDay?: string;
  /** Set while the payments that name their charge are written. Those that settle the oldest charges follow, so they leave the named charges open. */
  isChargeNamed?: true;
  /** Set while the leases or units that exist are changed. New ones follow, since the end of a lease frees its unit, and another number of a unit its number. */
  isUpdate?: true;
  /** Set while the changes of leases that free days of their unit are written. Other changes follow, which may take these days. */
  isFreeing?: true;
}

/** Returns the cursor before the first candidate of a type. */
export const writingCursorBefore = (entityType: ImportEntityType): WritingCursor => ({
  entityType,
  position: 0,
  ...(entityType === "payment" && { isChargeNamed: true as const }),
  ...(entityType === "lease" && { isFreeing: true as const }),
  ...((entityType === "lease" || entityType === "unit") && { isUpdate: true as const }),
});
