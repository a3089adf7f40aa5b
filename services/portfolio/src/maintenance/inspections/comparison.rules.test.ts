import { describe, expect, test } from "@jest/globals";
import type { Condition, InspectionArea } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";
import { compareAreas, exceedsNormalWear, isWorse } from "./comparison.rules.ts";

/** What a thing was, what it became, whether that is worse, and whether it is more than wear. */
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

describe("what is worse, and what is more than normal wear", () => {
  test.each(changes)("%s that became %s: worse %p, more than wear %p", (before, after, worse, beyond) => {
    expect([isWorse(before, after), exceedsNormalWear(before, after)]).toEqual([worse, beyond]);
  });
});

const area = (name: string, ...items: [name: string, condition: Condition, cents?: number][]): InspectionArea => ({
  id: `id of ${name}`,
  name,
  items: items.map(([item, condition, cents]) => ({
    id: `id of ${name} ${item}`,
    name: item,
    condition,
    note: null,
    documentIds: [],
    workOrderId: null,
    estimatedCostCents: (cents ?? null) as Cents | null,
  })),
});

describe("comparison", () => {
  test("matches areas and items by name, whatever their case, and takes the names of the later one", () => {
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

  test("suggests what the later inspection estimates, and nothing without an estimate or for wear", () => {
    const [before, after] = [
      [area("Hall", ["Door", "good", 99_900], ["Lamp", "good"], ["Floor", "good"])],
      [area("Hall", ["Door", "missing"], ["Lamp", "damaged", 0], ["Floor", "fair", 50_000])],
    ];
    expect(compareAreas(before, after).map(({ suggestedDeductionCents }) => suggestedDeductionCents)).toEqual([0, 0, 0]);
  });

  test("shows what only one of them has, those of the earlier one first", () => {
    const rows = compareAreas([area("Hall", ["Door", "good"], ["Bell", "poor"])], [area("Attic", ["Rafters", "damaged", 100]), area("Hall", ["Bell", "poor"])]);
    expect(rows.map(({ item, before, after, worsened, suggestedDeductionCents }) => [item, before, after, worsened, suggestedDeductionCents])).toEqual([
      ["Door", "good", null, false, 0],
      ["Bell", "poor", "poor", false, 0],
      ["Rafters", null, "damaged", false, 0],
    ]);
  });

  test("does not take items of one name in different areas for the same one", () => {
    expect(compareAreas([area("Hall", ["Floor", "good"])], [area("Attic", ["Floor", "damaged", 100])])).toHaveLength(2);
    expect(compareAreas([area("A B", ["C", "good"])], [area("A", ["B C", "damaged"])])).toHaveLength(2);
  });
});
