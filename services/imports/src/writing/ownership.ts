/** Writes ownership shares: all shares of a property with the same effective date are one operation. */
import type { ExecuteOperation } from "./operation-batcher.ts";
import { toBasisPoints, type WritableRow, type WriteContext } from "./writable-row.ts";

export const groupByPropertyAndDate = (rows: readonly WritableRow[], { importDate }: WriteContext): WritableRow[][] => [
  ...Map.groupBy(rows, ({ data, linkedIds }) => `${linkedIds["property"]} ${data["effective_date"] ?? importDate}`).values(),
];

/** Replaces the ownership of a property by the shares of a group of rows, and returns the id of the property. */
export async function writeOwnershipGroup(rows: readonly WritableRow[], execute: ExecuteOperation, { importDate }: WriteContext): Promise<string> {
  const [{ id, data, linkedIds }] = rows as [WritableRow];
  const shares = rows.map((row) => ({ ownerId: row.linkedIds["owner"], shareBps: toBasisPoints(row.data["share_percent"]) }));
  const body = { effectiveDate: data["effective_date"] ?? importDate, shares };
  await execute("portfolio", "replaceOwnership", id, { params: { id: linkedIds["property"]! }, body });
  return linkedIds["property"]!;
}
