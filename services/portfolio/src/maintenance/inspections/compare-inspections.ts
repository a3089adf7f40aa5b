import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { Output } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { compareAreas } from "./comparison.rules.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, findInspectionRow, type InspectionRow } from "./inspections.queries.ts";

type Answer = Output<(typeof inspections)["operations"]["compareInspections"]>;

const wrongWith = (message: string) => invalid([{ path: "with", code: "mismatch", message }]);
/** Ids grow in order: of two that were scheduled for the same moment the one that was made first is the earlier. */
const inOrder = (a: InspectionRow, b: InspectionRow): number => ((a.scheduledAt === b.scheduledAt ? a.id < b.id : a.scheduledAt < b.scheduledAt) ? -1 : 1);

/** What became of each thing in a unit from the earlier of two inspections to the later one. */
export async function compareInspections(db: OrgDb, id: string, withId: string): Promise<Answer> {
  const [one, other] = await Promise.all([getInspectionRow(db, id), findInspectionRow(db, withId)]);
  if (!other) throw unknownReference("with", "inspection");
  if (other.id === one.id) throw wrongWith("An inspection cannot be compared with itself. Choose an earlier or a later one in with.");
  if (one.propertyId !== other.propertyId || one.unitId !== other.unitId)
    throw wrongWith("The inspections are of different units. Choose one of the same unit in with.");
  const [before, after] = [one, other].sort(inOrder).map(inspectionView) as [ReturnType<typeof inspectionView>, ReturnType<typeof inspectionView>];
  const items = compareAreas(before.areas, after.areas);
  return {
    comparison: items,
    beforeInspectionId: before.id,
    afterInspectionId: after.id,
    suggestedDeductionCents: clampToSafeInteger(items.reduce((sum, { suggestedDeductionCents }) => sum + BigInt(suggestedDeductionCents), 0n)),
  };
}
