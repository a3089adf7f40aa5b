/** What a file of another system is: which columns it has, what each means, and what a row becomes. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";

export interface FormColumn {
  /** The name as the system's export has it. */
  header: string;
  /** The field it gives; null for a column that is known and means nothing here. */
  field: string | null;
  /** Other names that were seen for it. */
  aliases?: readonly string[];
  /** What a template shows in it. */
  example: string;
}

/** What a row becomes, once or, of a cell that names several people, once for each. */
export interface Feed {
  entityType: ImportEntityType;
  /** The fields that stand under another name in the row; all others have their own. */
  from?: Readonly<Record<string, string>>;
  /** Fields that the rows of this form have besides those that every row about the entity may have. */
  also?: readonly string[];
  /** Nothing goes without saying: a row may change a record that is there, and what it leaves out stays as it is. */
  asSaid?: true;
  /** Which of the people in `primary_tenant_name` it is made of. */
  each?: "everyone" | "the first" | "the others";
  /** The people beside the first stand in `co_tenants`, by id or by name. */
  eachOf?: "co_tenants";
  /** Fields of the row without which there is nothing to make. */
  when?: readonly string[];
  /** Fields of the row that may not be zero. */
  unlessZero?: readonly string[];
  /** Its `as_of` is the day of the report. */
  asOfReport?: true;
  /** Values by which a row says that it is about nobody: a vacant unit. */
  unless?: { field: string; matches: RegExp };
  /** A file need not have the columns that it requires. */
  isOptional?: true;
}

export interface Form {
  name: string;
  says: string;
  columns: readonly FormColumn[];
  /** What a row becomes; the first is what the file is about. */
  feeds: readonly Feed[];
  /** Whether rows stand in sections, each under a row with the name of its property. */
  hasSections?: true;
}

/** A column of a form, in one line. */
export const known = (header: string, field: string | null, example: string, ...aliases: string[]): FormColumn => ({
  header,
  field,
  example,
  ...(aliases.length > 0 && { aliases }),
});
