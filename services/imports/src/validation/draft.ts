import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/import-bundles";

/** The fields of a candidate, as the generic template writes them. */
export type Data = Record<string, string>;

/** What a row says of another record: by its id in the old system, or by its name. */
export interface Ref {
  /** Under which it stands among the links of the candidate. */
  name: string;
  entityType: ImportEntityType;
  /** The field that says it, for whoever has to mend it. */
  path: string;
  id?: string;
  text?: string;
  /** Without it the candidate cannot be. */
  isRequired: boolean;
}

/** What a row would become, before anything else is known than the row. */
export interface Draft {
  entityType: ImportEntityType;
  sourceId: string;
  /** Whether the id was made of names, since the row has none. */
  isDerived: boolean;
  displayName: string;
  data: Data;
  extra: Data;
  parseErrors: FieldError[];
  refs: Ref[];
}
