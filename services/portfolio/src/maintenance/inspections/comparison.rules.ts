/** What became of a place between two inspections, and what of it somebody may have to pay for. */
import { conditions, type ComparedItem, type Condition, type InspectionArea } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";

const grade = (condition: Condition): number => conditions.indexOf(condition);
const isRuined = (condition: Condition): boolean => condition === "damaged" || condition === "missing";

/** Whether a thing is in a worse condition than it was; of what nobody looked at that is not known. */
export function isWorse(before: Condition | null, after: Condition | null): boolean {
  if (before === null || after === null || before === "not_inspected" || after === "not_inspected") return false;
  return grade(after) > grade(before);
}

/**
 * Whether a thing suffered more than normal wear. Things get older by living with them: one grade down is wear. What was
 * ruined before, nobody pays for.
 */
export const exceedsNormalWear = (before: Condition | null, after: Condition | null): boolean =>
  isWorse(before, after) && !isRuined(before!) && (isRuined(after!) || grade(after!) - grade(before!) > 1);

type Found = InspectionArea["items"][number] & { area: string };
const placed = (areas: readonly InspectionArea[]): Map<string, Found> =>
  new Map(areas.flatMap(({ name: area, items }) => items.map((item) => [JSON.stringify([area.toLowerCase(), item.name.toLowerCase()]), { ...item, area }])));

function compared(before: Found | undefined, after: Found | undefined): ComparedItem {
  const { area, name: item } = (after ?? before)!;
  const [was, is] = [before?.condition ?? null, after?.condition ?? null];
  return {
    area,
    item,
    before: was,
    after: is,
    worsened: isWorse(was, is),
    suggestedDeductionCents: exceedsNormalWear(was, is) ? (after!.estimatedCostCents ?? (0 as Cents)) : (0 as Cents),
    beforeItemId: before?.id ?? null,
    afterItemId: after?.id ?? null,
  };
}

/** Every item of either inspection once, those of the earlier one first. */
export function compareAreas(before: readonly InspectionArea[], after: readonly InspectionArea[]): ComparedItem[] {
  const [earlier, later] = [placed(before), placed(after)];
  return [...new Set([...earlier.keys(), ...later.keys()])].map((key) => compared(earlier.get(key), later.get(key)));
}
