/** Rows of charges, payments and expenses that are the same as records of earlier imports, by their values, whatever their ids are. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { Links } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { differingFields, hasSameValues, isPlaceField } from "./equal-rows.rules.ts";

/** Field with the day of each type whose rows are known by their subject, day and amount. */
const dayFields = { charge: "date", payment: "received_date", expense: "date" } as const;
export type PostedType = keyof typeof dayFields;

/** Tells whether rows of a type are known by the record on which they are posted, their day and their amount. */
export const isPosted = (entityType: ImportEntityType): entityType is PostedType => Object.hasOwn(dayFields, entityType);

export const dayFieldOf = (entityType: PostedType): string => dayFields[entityType];

/** Returns the link to the record on which a row is posted: the lease of a charge or a payment, the unit or the property of an expense. */
export const subjectLinkOf = (entityType: PostedType, links: Links): Links[string] | undefined =>
  entityType === "expense" ? (links["unit"] ?? links["property"]) : links["lease"];

/** Row whose id no earlier import has written. */
export interface UnknownRow {
  id: string;
  isDerived: boolean;
  data: FieldValues;
}

/** Record with the subject, the day and the amount of a row. */
export interface PostedRecord {
  rowId: string;
  sourceId: string;
  entityId: string;
  data: FieldValues;
  /** Set when no row with an id of its own denotes the record. */
  isDerived: boolean;
}

export interface RecordsOfRows<R> {
  /** Record of each row that is the same, by row id. */
  same: Map<string, R>;
  /** Records that each other row may be, by row id: all values but one are the same. */
  possible: Map<string, R[]>;
}

/** Finds the records of rows: each record is that of one row. Rows with different ids of their own are different records. */
export function matchRecords<R extends PostedRecord>(rows: readonly UnknownRow[], records: readonly R[]): RecordsOfRows<R> {
  const byRow = Map.groupBy(records, ({ rowId }) => rowId);
  const taken = new Set<string>();
  const leftFor = ({ id, isDerived }: UnknownRow): R[] =>
    (byRow.get(id) ?? []).filter((record) => !taken.has(record.entityId) && (isDerived || record.isDerived));
  const same = new Map<string, R>();
  for (const isSame of [hasSameValues, (row: FieldValues, record: FieldValues) => differingFields(row, record).length === 0])
    for (const row of rows) {
      const record = same.has(row.id) ? undefined : leftFor(row).find(({ data }) => isSame(row.data, data));
      if (!record) continue;
      taken.add(record.entityId);
      same.set(row.id, record);
    }
  const possible = rows.flatMap((row): [string, R[]][] => {
    const similar = same.has(row.id) ? [] : leftFor(row).filter(({ data }) => differingFields(row.data, data).length === 1);
    return similar.length > 0 ? [[row.id, similar]] : [];
  });
  return { same, possible: new Map(possible) };
}

/** Fields that name another record which a posting has: a row that names it for the first time does not change the posting. */
const isReference = (field: string): boolean => /^(?:tenant|vendor)_|_source_id$/.test(field);

/** Returns the fields of a record with those by which a row denotes the same record in another way. */
export const withPlaceOf = (row: FieldValues, record: FieldValues): FieldValues => ({
  ...record,
  ...Object.fromEntries(Object.entries(row).filter(([field]) => isPlaceField(field) || (record[field] === undefined && isReference(field)))),
});
