/** Comparison of two inspections: worsened items and the deductions suggested for them. */
import { conditions, type ComparedItem, type Condition } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";
import { nameKey, type StoredArea, type StoredItem } from "./areas.rules.ts";

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

type LocatedItem = StoredItem & { area: string };

const locatedItems = (areas: readonly StoredArea[]): LocatedItem[] => areas.flatMap(({ name: area, items }) => items.map((item) => ({ ...item, area })));
const nameOf = ({ area, name }: LocatedItem): string => nameKey(area, name);
const originOf = (item: LocatedItem): string => item.origin ?? nameOf(item);

/** Returns the later item of each earlier one: the one of the same origin, otherwise one of the same name that has no earlier item of its origin. */
function matchItems(earlier: readonly LocatedItem[], later: readonly LocatedItem[]): Map<LocatedItem, LocatedItem> {
  const matches = new Map<LocatedItem, LocatedItem>();
  for (const keyOf of [originOf, nameOf]) {
    const matched = new Set(matches.values());
    const unmatched = new Map(later.filter((item) => !matched.has(item)).map((item) => [keyOf(item), item]));
    for (const item of earlier) {
      const match = matches.has(item) ? undefined : unmatched.get(keyOf(item));
      if (match) matches.set(item, match);
    }
  }
  return matches;
}

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

/**
 * Compares the items of two inspections. Items are the same when they were created from the same item of a template or under the same area and name, also if one was renamed since,
 * and otherwise when their present names are equal. Returns every item of either once, those of the earlier inspection first.
 */
export function compareAreas(before: readonly StoredArea[], after: readonly StoredArea[]): ComparedItem[] {
  const [earlier, later] = [locatedItems(before), locatedItems(after)];
  const matches = matchItems(earlier, later);
  const matched = new Set(matches.values());
  return [
    ...earlier.map((item) => compareItem(item, matches.get(item))),
    ...later.filter((item) => !matched.has(item)).map((item) => compareItem(undefined, item)),
  ];
}
