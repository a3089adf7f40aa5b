/** A row on its way to what it becomes, and how its text becomes what operations take. */
import type { Candidate } from "@freehold/contract/import-bundles";
import { centsOf } from "../parsing/money.ts";
import type { Data } from "../validation/draft.ts";
import type { Perform } from "./operation-batcher.ts";

export interface Row {
  /** Under which its operations take effect once. */
  id: string;
  data: Data;
  /** What it says otherwise than the record that it changes. */
  changes: Candidate["changes"];
  /** The record that another row became, under the name that this row has for it. */
  linked: Readonly<Record<string, string>>;
}

/** Adds what a row says and answers its id. */
export type Create = (row: Row, perform: Perform, books: Books) => Promise<string>;
/** Changes a record to what a row says now. */
export type Update = (row: Row, id: string, perform: Perform, books: Books) => Promise<void>;

/** What the rows of a bundle need to know of the organization. */
export interface Books {
  /** The account with a code of the chart. */
  accountOf(code: string): string;
  /** Leases whose rent has a recurring charge of its own among the rows, by the id of their row. */
  billedByRow: ReadonlySet<string>;
  /** The organization's day when the bundle was started. */
  today: string;
}

/** What was said, without what was not. */
export const said = <T extends object>(terms: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as never;

export const cents = (amount: string | undefined): number | undefined => (amount === undefined ? undefined : centsOf(amount));
/** Basis points of a percentage. */
export const bps = (percent: string | undefined): number | undefined => (percent === undefined ? undefined : Math.round(Number(percent) * 100));
export const whole = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
export const flag = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === "yes");
/** The middle of a day, which is that day in every zone of the country. */
export const noon = (day: string): string => `${day}T17:00:00.000Z`;

/** An address of one line after the other, when there is one. */
export function addressOf({ street_line1, street_line2, city, state, postal_code }: Data) {
  if (!street_line1 || !city || !state || !postal_code) return undefined;
  return { streetLine1: street_line1, ...(street_line2 && { streetLine2: street_line2 }), city, state, postalCode: postal_code };
}

/** The property of a row: the one it names, or that of its unit. */
export async function propertyOf({ linked }: Row, perform: Perform): Promise<string> {
  if (linked["property"] !== undefined) return linked["property"];
  const { unit } = await perform<{ unit: { propertyId: string } }>("portfolio", "getUnit", "read", { params: { id: linked["unit"]! } });
  return unit.propertyId;
}
