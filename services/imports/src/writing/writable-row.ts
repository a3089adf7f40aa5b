/** Row that is written as a record, and conversions of its values to the types of operations. */
import { localDateOf, startOfDay } from "@freehold/kit/time/clock";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { centsOf } from "../parsing/money.ts";
import type { FieldValues } from "../validation/draft.ts";
import type { ContinuedLeases } from "./continued-leases.ts";
import type { ImportedRents } from "./recurring-charges/imported-rents.rules.ts";
import type { ExecuteOperation, RowKey } from "./operation-batcher.ts";

export interface WritableRow {
  /** Id of the candidate, from which the idempotency keys of an update derive. */
  id: string;
  /** Idempotency key of the creation of the record. */
  key: RowKey;
  data: FieldValues;
  /** Differences to the record that the row updates. */
  changes: Candidate["changes"];
  /** Ids of the referenced records by name of the reference. */
  linkedIds: Readonly<Record<string, string>>;
}

/** Writes rows of one entity type as records. */
export interface Writer {
  /** Creates the record of a row and returns its id. */
  create: (row: WritableRow, execute: ExecuteOperation, context: WriteContext) => Promise<string>;
  /** Writes the changes of a row to its record, and returns the id of a record that replaces it, if any. Missing for types that an import cannot change, such as posted charges. */
  update?: (row: WritableRow, id: string, execute: ExecuteOperation, context: WriteContext) => Promise<string | void>;
  /** Fields of the row by the members of the operation's body that have other names, for the paths of errors. */
  fields?: Readonly<Record<string, string>>;
}

/** State of the organization that the rows of a bundle need. */
export interface WriteContext {
  /** Returns the id of the category with an account code. Throws 400 for an unknown code. */
  categoryIdOf(code: string): string;
  /** Returns the id of the property of a unit. Rows that are written at once share a call. Throws 404 for an unknown unit. */
  propertyIdOfUnit(unitId: string): Promise<string>;
  /** Returns the leases with the same people in another order that a new lease may continue. */
  continuedLeasesOf(lease: { id: string; data: FieldValues }): Promise<ContinuedLeases>;
  rents: ImportedRents;
  /** Returns the bank account in which a deposit is kept; undefined for undeposited funds. Throws 400 for an account that keeps none. */
  depositAccountIdOf(deposit: FieldValues): string | undefined;
  /** Date at which the bundle was started, in the time zone of the organization. */
  importDate: string;
  /** Time at which the bundle was started. */
  startedAt: string;
  /** Time zone of the organization when the bundle was started. */
  timezone: string;
}

export const toCents = (amount: string | undefined): number | undefined => (amount === undefined ? undefined : centsOf(amount));
export const toBasisPoints = (percent: string | undefined): number | undefined => (percent === undefined ? undefined : Math.round(Number(percent) * 100));
export const toNumber = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
export const toBoolean = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === "yes");
/** Returns an instant within a date: 17:00 UTC, which is on that date in all states, or else noon in the time zone. */
export function middayOf(date: string, timezone: string): string {
  const instant = `${date}T17:00:00.000Z`;
  return localDateOf(instant, timezone) === date ? instant : new Date(startOfDay(date, timezone).getTime() + 12 * 3_600_000).toISOString();
}

/** Returns the time of a receipt on a date: within the date, and not after the start of the import on the day of the start. */
export function receiptTimeOf(date: string, { startedAt, importDate, timezone }: Pick<WriteContext, "startedAt" | "importDate" | "timezone">): string {
  const midday = middayOf(date, timezone);
  return date === importDate && midday > new Date(startedAt).toISOString() ? startOfDay(date, timezone).toISOString() : midday;
}

/** Fields of an address, which an update sends together. */
export const addressFields = ["street_line1", "street_line2", "city", "state", "postal_code"] as const;

/**
 * Returns the values of a row that differ from the record that it updates, so that an update keeps what was changed in Freehold since. Of each
 * group of fields that belong together, all values are returned when one differs.
 */
export function changedValues({ data, changes }: Pick<WritableRow, "data" | "changes">, ...groups: readonly (readonly string[])[]): FieldValues {
  const changed = new Set(changes.map(({ field }) => field));
  const sent = new Set([...changed, ...groups.filter((group) => group.some((field) => changed.has(field))).flat()]);
  return Object.fromEntries(Object.entries(data).filter(([field]) => sent.has(field)));
}

/** Returns the address of a row, or undefined when it is incomplete. */
export function toAddress({ street_line1, street_line2, city, state, postal_code }: FieldValues) {
  if (!street_line1 || !city || !state || !postal_code) return undefined;
  return { streetLine1: street_line1, ...(street_line2 && { streetLine2: street_line2 }), city, state, postalCode: postal_code };
}

/** Returns the id of the referenced property, or of the property of the referenced unit. */
export const getPropertyId = async ({ linkedIds }: WritableRow, { propertyIdOfUnit }: Pick<WriteContext, "propertyIdOfUnit">): Promise<string> =>
  linkedIds["property"] ?? propertyIdOfUnit(linkedIds["unit"]!);
