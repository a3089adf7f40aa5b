import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { Output } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { compareAreas } from "./comparison.rules.ts";
import { getInspectionRow, findInspectionRow, type InspectionRow } from "./inspections.queries.ts";

type Result = Output<(typeof inspections)["operations"]["compareInspections"]>;

const mismatchError = (message: string) => invalid([{ path: "with", code: "mismatch", message }]);
/** Orders inspections by scheduled time, then by creation: ids are time-ordered. */
const byScheduleThenId = (a: InspectionRow, b: InspectionRow): number =>
  (a.scheduledAt === b.scheduledAt ? a.id < b.id : a.scheduledAt < b.scheduledAt) ? -1 : 1;

/**
 * Compares two inspections of the same unit item by item, the earlier one as `before`, and sums the suggested deductions.
 * Throws 400 when `withId` is unknown, the same inspection or of another unit.
 */
export async function compareInspections(db: OrgDb, id: string, withId: string): Promise<Result> {
  const [inspection, other] = await Promise.all([getInspectionRow(db, id), findInspectionRow(db, withId)]);
  if (!other) throw unknownReference("with", "inspection");
  if (other.id === inspection.id) throw mismatchError("An inspection cannot be compared with itself. Send the id of another inspection in with.");
  if (inspection.propertyId !== other.propertyId || inspection.unitId !== other.unitId)
    throw mismatchError("The inspections are of different units. Send the id of an inspection of the same unit in with.");
  const isFirst = byScheduleThenId(inspection, other) < 0;
  const [before, after] = isFirst ? [inspection, other] : [other, inspection];
  const items = compareAreas(before.areas, after.areas);
  return {
    comparison: items,
    beforeInspectionId: before.id,
    afterInspectionId: after.id,
    suggestedDeductionCents: clampToSafeInteger(items.reduce((sum, { suggestedDeductionCents }) => sum + BigInt(suggestedDeductionCents), 0n)),
  };
}
