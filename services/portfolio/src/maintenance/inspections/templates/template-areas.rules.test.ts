import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { compareAreas } from "../comparison.rules.ts";
import { copyTemplateAreas, identifyItems, mergeTemplateAreas } from "./template-areas.rules.ts";

let created = 0;
const newId = () => `new-${(created += 1)}`;
const stored = [
  {
    name: "Kitchen",
    items: [
      { id: "oven", name: "Oven" },
      { id: "sink", name: "Sink" },
    ],
  },
];

describe("an item of a template", () => {
  test("keeps its id when it is renamed, or moved to another area", () => {
    const merged = mergeTemplateAreas(
      stored,
      [
        { name: "Kitchen", items: [{ id: "oven", name: "Stove" }] },
        { name: "Bath", items: [{ id: "sink", name: "Sink" }] },
      ],
      newId,
    );
    expect(merged).toEqual([
      { name: "Kitchen", items: [{ id: "oven", name: "Stove" }] },
      { name: "Bath", items: [{ id: "sink", name: "Sink" }] },
    ]);
  });

  test("keeps its id when its area is sent without ids, in any case", () => {
    const [kitchen] = mergeTemplateAreas(stored, [{ name: "KITCHEN", items: [{ name: "oven" }, { name: "Fan" }] }], newId);
    expect(kitchen!.items).toEqual([
      { id: "oven", name: "oven" },
      { id: `new-${created}`, name: "Fan" },
    ]);
  });

  test("with the former name of a renamed one is a new item", () => {
    const [kitchen] = mergeTemplateAreas(stored, [{ name: "Kitchen", items: [{ id: "oven", name: "Stove" }, { name: "Oven" }] }], newId);
    expect(kitchen!.items.map(({ id }) => id)).toEqual(["oven", `new-${created}`]);
  });

  test.each([
    ["an unknown id", [{ id: "other", name: "Oven" }], [["areas.0.items.0.id", "not_found"]]],
    [
      "a repeated id",
      [
        { id: "oven", name: "Oven" },
        { id: "oven", name: "Stove" },
      ],
      [["areas.0.items.1.id", "unique"]],
    ],
    ["a repeated name", [{ name: "Oven" }, { name: "OVEN" }], [["areas.0.items.1.name", "unique"]]],
  ])("is refused with %s", (_, items, errors) => {
    const merge = () => mergeTemplateAreas(stored, [{ name: "Kitchen", items }], newId);
    const refusal = (() => {
      try {
        return merge();
      } catch (error) {
        return error as { status: number; errors: { path: string; code: string }[] };
      }
    })() as { status: number; errors: { path: string; code: string }[] };
    expect([refusal.status, refusal.errors.map(({ path, code }) => [path, code])]).toEqual([400, errors]);
  });

  test("that was stored without an id has the same one each time, another one in each template, and keeps it when it is renamed", () => {
    const withoutIds = [{ name: "Kitchen", items: [{ name: "Oven" }, { id: "sink", name: "Sink" }] }];
    const [kitchen] = identifyItems("template-1", withoutIds);
    expect(identifyItems("template-1", withoutIds)).toEqual([kitchen]);
    const [oven, sink] = kitchen!.items;
    expect([sink, z.uuid().safeParse(oven!.id).success]).toEqual([{ id: "sink", name: "Sink" }, true]);
    expect(identifyItems("template-2", withoutIds)[0]!.items[0]!.id).not.toBe(oven!.id);
    const [renamed] = mergeTemplateAreas([kitchen!], [{ name: "Kitchen", items: [{ id: oven!.id, name: "Stove" }] }], newId);
    expect(identifyItems("template-1", [renamed!])[0]!.items).toEqual([{ id: oven!.id, name: "Stove" }]);
  });

  test("identifies the items of inspections that were created before and after it was renamed", () => {
    const before = copyTemplateAreas(stored, newId);
    const renamed = mergeTemplateAreas(stored, [{ name: "Kitchen", items: [{ id: "oven", name: "Stove" }, { name: "Sink" }] }], newId);
    const after = copyTemplateAreas(renamed, newId);
    before[0]!.items[0]!.condition = "good";
    Object.assign(after[0]!.items[0]!, { condition: "damaged", estimatedCostCents: 30_000 });
    const [stove, sink, ...others] = compareAreas(before, after);
    expect([stove, sink, others]).toMatchObject([{ item: "Stove", before: "good", after: "damaged", suggestedDeductionCents: 30_000 }, { item: "Sink" }, []]);
  });
});
