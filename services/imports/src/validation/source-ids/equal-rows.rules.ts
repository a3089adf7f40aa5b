/** Derived source ids of charges, payments, expenses and work orders, of which a file may contain equal ones: a key of their fields, and a number. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

/** Types of which equal rows are different records: two charges of one amount on one day, for example. */
export const repeatableTypes: ReadonlySet<ImportEntityType> = new Set(["charge", "payment", "expense", "work_order"]);

/** Tells whether equal rows of a type are different records. */
export const isRepeatable = (entityType: ImportEntityType): boolean => repeatableTypes.has(entityType);

const MAX_LENGTH = 390;

/** Returns the key of rows that may be equal. It ends with a slash, so that a number can follow. */
export const equalRowsKey = (fields: string): string => `${`~${fields}`.slice(0, MAX_LENGTH)}/`;

/** Tells whether a source id is one of a key: the key itself, or the key with a number, which is a row number in ids of earlier versions. */
export const hasKey = (sourceId: string, key: string): boolean => sourceId.startsWith(key) && /^\d*$/.test(sourceId.slice(key.length));

/** Row without a source id of its own. */
export interface EqualRow {
  id: string;
  fileId: string | null;
  data: FieldValues;
}

/** Record that an earlier import wrote for a row of the key. */
export interface EarlierRow {
  sourceId: string;
  data: FieldValues;
}

/** Number of differing values from which on a row is another one than that of a record, and no longer a correction of it. */
const DIFFERENCES_OF_ANOTHER_ROW = 2;

const placeFields = new Set(["source_id", "lease_source_id", "property_source_id", "property_name", "unit_source_id", "unit_number"]);

/** Tells whether a field names the row itself or what it is posted on, which rows of one key have in common however they name it. */
export const isPlaceField = (field: string): boolean => placeFields.has(field);

/** Fields in which two payments of one day and amount differ, rather than a payment and its correction: the payer and the check. */
const distinctiveFields = new Set(["tenant_name", "tenant_email", "tenant_source_id", "check_number"]);

/** Returns the fields of which a row and a record have different values. A field that one of them lacks is none of them. */
export const differingFields = (row: FieldValues, record: FieldValues): string[] =>
  Object.keys(row).filter(
    (field) => !isPlaceField(field) && record[field] !== undefined && normalizeForMatching(record[field]) !== normalizeForMatching(row[field]!),
  );

/** Tells whether a row may be a corrected one of a record. Work orders change in many fields as they are done, but keep their day. */
function mayBeCorrected(entityType: ImportEntityType, row: FieldValues, record: FieldValues): boolean {
  const differing = differingFields(row, record);
  if (entityType === "work_order") return !differing.includes("created_date");
  return differing.length < DIFFERENCES_OF_ANOTHER_ROW && !differing.some((field) => distinctiveFields.has(field));
}

const textOf = (data: FieldValues): string =>
  JSON.stringify(
    Object.entries(data)
      .filter(([field]) => !isPlaceField(field))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Tells whether two rows have the same values, apart from how they name what they are posted on. */
export const hasSameValues = (one: FieldValues, other: FieldValues): boolean => textOf(one) === textOf(other);

/** Groups rows that are the same one in several files: the equal rows of each file are counted, and those of one count belong together. */
function groupAcrossFiles(rows: readonly EqualRow[]): EqualRow[][] {
  const counts = new Map<string, number>();
  const counted = rows.map((row) => {
    const text = textOf(row.data);
    const count = (counts.get(`${row.fileId}/${text}`) ?? 0) + 1;
    counts.set(`${row.fileId}/${text}`, count);
    return { row, key: `${count}/${text}` };
  });
  return [...Map.groupBy(counted, ({ key }) => key).values()].map((group) => group.map(({ row }) => row));
}

/**
 * Returns the source ids of the rows of one key by row id: those of the records that earlier imports wrote for rows with the same values, or with
 * fewer than two others, and new ones for further rows. `takenIds` are further ids of the key. The order of the rows and their places in the files do
 * not matter.
 */
export function numberEqualRows(
  entityType: ImportEntityType,
  key: string,
  rows: readonly EqualRow[],
  records: readonly EarlierRow[],
  takenIds: Iterable<string> = [],
): Map<string, string> {
  const groups = groupAcrossFiles(rows);
  const left = new Set(records);
  const taken = new Set([...takenIds, ...records.map(({ sourceId }) => sourceId)]);
  const found = new Map<EqualRow[], string>();
  for (const isSame of [hasSameValues, mayBeCorrected.bind(null, entityType)])
    for (const group of groups) {
      const record = found.has(group) ? undefined : [...left].find(({ data }) => isSame(group[0]!.data, data));
      if (!record) continue;
      left.delete(record);
      found.set(group, record.sourceId);
    }
  let number = 1;
  const nextId = (): string => {
    for (; ; number++) {
      const id = number === 1 ? key : `${key}${number}`;
      if (!taken.has(id)) return id;
    }
  };
  for (const group of groups) {
    if (found.has(group)) continue;
    const id = nextId();
    taken.add(id);
    found.set(group, id);
  }
  return new Map([...found].flatMap(([group, sourceId]) => group.map(({ id }) => [id, sourceId] as const)));
}
