import { describe, expect, test } from "@jest/globals";
import type { Condition } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";
import type { StoredArea } from "./areas.rules.ts";
import { compareAreas, exceedsNormalWear, isWorse } from "./comparison.rules.ts";

/** Condition before, condition after, whether it worsened, whether it exceeds normal wear. */
const changes: [Condition | null, Condition | null, boolean, boolean][] = [
  ["good", "good", false, false],
  ["good", "fair", true, false],
  ["good", "poor", true, true],
  ["good", "damaged", true, true],
  ["good", "missing", true, true],
  ["fair", "good", false, false],
  ["fair", "poor", true, false],
  ["fair", "damaged", true, true],
  ["fair", "missing", true, true],
  ["poor", "good", false, false],
  ["poor", "poor", false, false],
  ["poor", "damaged", true, true],
  ["poor", "missing", true, true],
  ["damaged", "damaged", false, false],
  ["damaged", "missing", true, false],
  ["missing", "missing", false, false],
  ["missing", "good", false, false],
  ["not_inspected", "damaged", false, false],
  ["not_inspected", "missing", false, false],
  ["good", "not_inspected", false, false],
  [null, "damaged", false, false],
  ["good", null, false, false],
];

describe("isWorse and exceedsNormalWear", () => {
  test.each(changes)("%s to %s: worse %p, beyond normal wear %p", (before, after, worse, beyondNormalWear) => {
    expect([isWorse(before, after), exceedsNormalWear(before, after)]).toEqual([worse, beyondNormalWear]);
  });
});

const area = (name: string, ...items: [name: string, condition: Condition, estimatedCostCents?: number | undefined, origin?: string][]): StoredArea => ({
  id: `id of ${name}`,
  name,
  items: items.map(([item, condition, estimatedCostCents, origin]) => ({
    id: `id of ${name} ${item}`,
    name: item,
    condition,
    note: null,
    documentIds: [],
    estimatedCostCents: (estimatedCostCents ?? null) as Cents | null,
    ...(origin !== undefined && { origin }),
  })),
});

describe("compareAreas", () => {
  test("matches areas and items by name, ignoring case, and returns the later names", () => {
    const [row] = compareAreas([area("kitchen", ["oven", "good"])], [area("Kitchen", ["Oven", "damaged", 12_000])]);
    expect(row).toEqual({
      area: "Kitchen",
      item: "Oven",
      before: "good",
      after: "damaged",
      worsened: true,
      suggestedDeductionCents: 12_000,
      beforeItemId: "id of kitchen oven",
      afterItemId: "id of Kitchen Oven",
    });
  });

  test("suggests nothing without a later estimate, for an estimate of 0 or for normal wear", () => {
    const [before, after] = [
      [area("Hall", ["Door", "good", 99_900], ["Lamp", "good"], ["Floor", "good"])],
      [area("Hall", ["Door", "missing"], ["Lamp", "damaged", 0], ["Floor", "fair", 50_000])],
    ];
    expect(compareAreas(before, after).map(({ suggestedDeductionCents }) => suggestedDeductionCents)).toEqual([0, 0, 0]);
  });

  test("includes items of only one inspection, those of the earlier first", () => {
    const rows = compareAreas([area("Hall", ["Door", "good"], ["Bell", "poor"])], [area("Attic", ["Rafters", "damaged", 100]), area("Hall", ["Bell", "poor"])]);
    expect(rows.map(({ item, before, after, worsened, suggestedDeductionCents }) => [item, before, after, worsened, suggestedDeductionCents])).toEqual([
      ["Door", "good", null, false, 0],
      ["Bell", "poor", "poor", false, 0],
      ["Rafters", null, "damaged", false, 0],
    ]);
  });

  test("matches an item that was renamed in one inspection, and not another one that has its former name now", () => {
    const window = '["hall","window"]';
    const before = [area("Hall", ["Window", "good", undefined, window])];
    const after = [area("Hall", ["Left window", "damaged", 20_000, window], ["Window", "fair", undefined, "another"])];
    expect(compareAreas(before, after).map((row) => [row.item, row.before, row.after, row.suggestedDeductionCents])).toEqual([
      ["Left window", "good", "damaged", 20_000],
      ["Window", null, "fair", 0],
    ]);
  });

  test("treats items of the same name in different areas as different", () => {
    expect(compareAreas([area("Hall", ["Floor", "good"])], [area("Attic", ["Floor", "damaged", 100])])).toHaveLength(2);
    expect(compareAreas([area("A B", ["C", "good"])], [area("A", ["B C", "damaged"])])).toHaveLength(2);
  });
});
