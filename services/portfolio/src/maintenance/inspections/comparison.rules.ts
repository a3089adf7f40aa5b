/** Comparison of two inspections: worsened items and the deductions suggested for them. */
import { conditions, type ComparedItem, type Condition, type InspectionArea } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";

const rank = (condition: Condition): number => conditions.indexOf(condition);
const isDamagedOrMissing = (condition: Condition): boolean => condition === "damaged" || condition === "missing";

/** Tells whether the condition of an item got worse. False when either inspection did not record a condition. */
export function isWorse(before: Condition | null, after: Condition | null): boolean {
  if (before === null || after === null || before === "not_inspected" || after === "not_inspected") return false;
  return rank(after) > rank(before);
}

/**
 * Tells whether an item got worse by more than normal wear, which is one step on the scale of conditions. An item that was
 * damaged or missing before is never charged for.
 */
export const exceedsNormalWear = (before: Condition | null, after: Condition | null): boolean =>
  isWorse(before, after) && !isDamagedOrMissing(before!) && (isDamagedOrMissing(after!) || rank(after!) - rank(before!) > 1);

type LocatedItem = InspectionArea["items"][number] & { area: string };
/** Returns the items of an inspection keyed by area and item name, ignoring case. */
const itemsByName = (areas: readonly InspectionArea[]): Map<string, LocatedItem> =>
  new Map(areas.flatMap(({ name: area, items }) => items.map((item) => [JSON.stringify([area.toLowerCase(), item.name.toLowerCase()]), { ...item, area }])));

function compareItem(before: LocatedItem | undefined, after: LocatedItem | undefined): ComparedItem {
  const { area, name: item } = (after ?? before)!;
  const [conditionBefore, conditionAfter] = [before?.condition ?? null, after?.condition ?? null];
  return {
    area,
    item,
    before: conditionBefore,
    after: conditionAfter,
    worsened: isWorse(conditionBefore, conditionAfter),
    suggestedDeductionCents: exceedsNormalWear(conditionBefore, conditionAfter) ? (after!.estimatedCostCents ?? (0 as Cents)) : (0 as Cents),
    beforeItemId: before?.id ?? null,
    afterItemId: after?.id ?? null,
  };
}

/** Compares the items of two inspections by name. Returns every item of either once, those of the earlier inspection first. */
export function compareAreas(before: readonly InspectionArea[], after: readonly InspectionArea[]): ComparedItem[] {
  const [earlierItems, laterItems] = [itemsByName(before), itemsByName(after)];
  return [...new Set([...earlierItems.keys(), ...laterItems.keys()])].map((key) => compareItem(earlierItems.get(key), laterItems.get(key)));
}
