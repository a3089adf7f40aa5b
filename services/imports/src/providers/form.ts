/** Forms: the export formats of the providers, with the columns of a file and the candidates that each row produces. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";

export interface FormColumn {
  /** Name of the column in the export. */
  header: string;
  /** Field that the column contains, or null for a known column that is not imported. */
  field: string | null;
  /** Other names of the column. */
  aliases?: readonly string[];
  /** Example value for templates. */
  example: string;
}

/** Candidate that each row produces: one, or one for each of several tenants. */
export interface RowOutput {
  entityType: ImportEntityType;
  /** Fields of the row by field of the entity, where the names differ. */
  sourceFields?: Readonly<Record<string, string>>;
  /** Fields of the candidate besides those of its entity type. */
  extraFields?: readonly string[];
  /** Leaves missing fields empty instead of setting defaults, so that an update does not change them. */
  noDefaults?: true;
  /** Produces a candidate for each selected name in `primary_tenant_name`: all names, the first, or all but the first. */
  tenants?: "all" | "first" | "rest";
  /** Produces a candidate for each id or name in the field. */
  splitBy?: "co_tenants";
  /** Fields without which the row produces no candidate. */
  requires?: readonly string[];
  /** Amounts of which at least one must be other than zero, or the row produces no candidate. */
  nonZero?: readonly string[];
  /** Sets `as_of` to the date of the report. */
  asOfReportDate?: true;
  /** Skips rows whose field matches, such as vacant units. */
  skipIf?: { field: string; matches: RegExp };
  /** Produces a candidate that lacks source data while its lease is neither in the bundle nor imported. */
  isLeaseOptional?: true;
  /** Does not require the columns of the required fields of its entity type. */
  isOptional?: true;
}

/** Field whose value determines the entity type of a row, such as the type of a transaction. */
export interface RowType {
  field: string;
  /** Values of each entity type. */
  values: Partial<Record<ImportEntityType, RegExp>>;
  /** Values that are never imported, such as the reversal of a payment, also when they match the values of a type. */
  unsupported: RegExp;
  /** Values to suggest to the user. */
  suggestion: string;
}

export interface Form {
  name: string;
  description: string;
  columns: readonly FormColumn[];
  /** Candidates of each row; the first is the primary one. */
  outputs: readonly RowOutput[];
  /** Fields without whose columns a file does not have the form, each with its alternatives, besides the required fields of its entity types. */
  requires?: readonly (readonly string[])[];
  /** Fields of which a file needs a column, so that its rows are known to be of the type of the form. */
  kindColumns?: readonly string[];
  /** Set when each row produces only the output of its type. A row with another type, or without one, is invalid. */
  rowType?: RowType;
  /** Corrects the fields of a row before its candidates are created. */
  prepare?: (fields: Record<string, string>) => void;
  /** Set when rows are grouped under headings with the name of their property. */
  hasSections?: true;
  /** Set when the names of people are always `Last, First`, so that a comma does not separate two people. */
  isLastFirst?: true;
}

export const formColumn = (header: string, field: string | null, example: string, ...aliases: string[]): FormColumn => ({
  header,
  field,
  example,
  ...(aliases.length > 0 && { aliases }),
});

/** The first tenant of a row, who distinguishes the deposit and the balance of a tenancy from those of the next one in the unit. */
const ofFirstTenant = { sourceFields: { tenant_name: "primary_tenant_name" }, tenants: "first" } satisfies Partial<RowOutput>;

/** Output for the balance of a report on the day of the report. A prepayment is money of the tenant also without a balance due. */
export const balanceOutput = { entityType: "opening_balance", asOfReportDate: true, nonZero: ["balance", "prepaid"], ...ofFirstTenant } satisfies RowOutput;

/** Returns the outputs for the deposit and the balance of a rented unit, if the row has them. */
export const depositAndBalanceOutputs = (condition: Partial<RowOutput>): RowOutput[] => [
  { entityType: "deposit", ...condition, ...ofFirstTenant, requires: ["primary_tenant_name", "amount_held"], nonZero: ["amount_held"], isOptional: true },
  { ...balanceOutput, ...condition, requires: ["primary_tenant_name"], isOptional: true },
];
