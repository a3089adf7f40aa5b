import type { ImportEntityType } from "@freehold/contract/import-bundles";

/** How far the validation of a bundle has come: the step it is in, and after which row or candidate it goes on. */
export type Cursor =
  /** What was decided over the candidates of an earlier validation is kept, and they go. */
  | { step: "clear"; isKept?: true }
  /** Rows become candidates: of which file, after which row, at which place in the bundle, and under which heading. */
  | { step: "read"; file: number; row: number; position: number; heading: string | null }
  /** What was decided comes to the candidates of the same rows. */
  | { step: "decide" }
  /** What the candidates of a type say of others is looked up, then they are merged, then judged; again only judged where somebody decided over them. */
  | { step: "link" | "judge"; entityType: ImportEntityType; position: number; again?: true }
  | { step: "merge"; entityType: ImportEntityType };

/** How far the writing of a bundle has come: in which type, after which candidate. */
export interface WritingCursor {
  entityType: ImportEntityType;
  position: number;
}
