/** Who owns how much of a property: the rows of one property and day are one change. */
import { bps, type Books, type Row } from "./writable-row.ts";
import type { Perform } from "./operation-batcher.ts";

/** The rows that take effect together, by property and day. */
export const groupsOf = (rows: readonly Row[], { today }: Books): Row[][] => [
  ...Map.groupBy(rows, ({ data, linked }) => `${linked["property"]} ${data["effective_date"] ?? today}`).values(),
];

/** Makes the owners of a group those of its property, with their shares, and answers the property. */
export async function replaceOwnership(rows: readonly Row[], perform: Perform, { today }: Books): Promise<string> {
  const [{ id, data, linked }] = rows as [Row];
  const shares = rows.map((row) => ({ ownerId: row.linked["owner"], shareBps: bps(row.data["share_percent"]) }));
  const body = { effectiveDate: data["effective_date"] ?? today, shares };
  await perform("portfolio", "replaceOwnership", id, { params: { id: linked["property"]! }, body });
  return linked["property"]!;
}
