/** Drafts: the candidates of a row before references are resolved and matches are found. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";

/** Fields of a candidate with their values in the formats of the generic template. */
export type FieldValues = Record<string, string>;

/** Reference to another record by its source id or by its name. */
export interface CandidateReference {
  /** Name of the reference, and its key in the links of the candidate. */
  name: string;
  entityType: ImportEntityType;
  /** Field that contains the reference, for error messages. */
  path: string;
  /** Source id of the record. */
  id?: string;
  /** Name of the record, or number of the unit. */
  text?: string;
  /** E-mail address of the person, in lower case. */
  email?: string;
  /** Set when the candidate cannot be written without the record. */
  isRequired: boolean;
}

export interface Draft {
  entityType: ImportEntityType;
  sourceId: string;
  /** Set when the source id derives from other fields, because the row has none. */
  isDerived: boolean;
  displayName: string;
  data: FieldValues;
  /** Values of unmapped columns, and further e-mail addresses and phone numbers of mapped ones. */
  extra: FieldValues;
  parseErrors: FieldError[];
  refs: CandidateReference[];
}
