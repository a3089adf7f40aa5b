import { describe, expect, test } from "@jest/globals";
import type { SentArea } from "@freehold/contract/maintenance/inspections";
import type { Cents } from "@freehold/contract/values";
import {
  referencedDocuments,
  mergeAreas,
  nameKey,
  requireItemsWithWorkOrdersRetained,
  requireOwnWorkOrders,
  requireUniqueNames,
  type StoredArea,
} from "./areas.rules.ts";

let lastId = 0;
const newId = () => `new-${++lastId}`;
const blank = { condition: "not_inspected" as const, note: null, documentIds: [], estimatedCostCents: null };
const oven = { ...blank, id: "oven", name: "Oven", condition: "poor" as const, note: "Greasy", documentIds: ["photo"], estimatedCostCents: 4_000 as Cents };
const ovenOrigin = nameKey("Kitchen", "Oven");
const storedAreas: StoredArea[] = [
  { id: "kitchen", name: "Kitchen", items: [oven, { ...blank, id: "sink", name: "Sink" }] },
  { id: "hall", name: "Hall", items: [] },
];
const errorsOf = (check: () => unknown): [string, string][] => {
  try {
    check();
  } catch (error) {
    return (error as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code]);
  }
  return [];
};
const merge = (...sentAreas: SentArea[]) => mergeAreas(storedAreas, sentAreas, newId);

describe("mergeAreas", () => {
  test("keeps entries sent with their id and the members that are not sent", () => {
    expect(merge({ id: "kitchen", name: "Cook's corner", items: [{ id: "oven", name: "Stove", condition: "damaged" }] })).toEqual([
      { id: "kitchen", name: "Cook's corner", items: [{ ...oven, name: "Stove", condition: "damaged", origin: ovenOrigin }] },
    ]);
  });

  test("clears members sent as null", () => {
    const [kitchen] = merge({ id: "kitchen", name: "Kitchen", items: [{ id: "oven", name: "Oven", note: null, documentIds: [], estimatedCostCents: null }] });
    expect(kitchen!.items).toEqual([{ ...blank, id: "oven", name: "Oven", condition: "poor", origin: ovenOrigin }]);
  });

  test("adds entries without an id as not inspected", () => {
    const [garden] = merge({ name: "Garden", items: [{ name: "Fence" }] });
    const fence = { ...blank, id: expect.stringMatching(/^new/), name: "Fence", origin: nameKey("garden", "fence") };
    expect(garden).toEqual({ id: expect.stringMatching(/^new/), name: "Garden", items: [fence] });
    expect(garden!.items[0]!.id).not.toBe(garden!.id);
  });

  test("moves an item to another area and removes duplicate documents", () => {
    const [hall] = merge({ id: "hall", name: "Hall", items: [{ id: "oven", name: "Oven", documentIds: ["b", "a", "b"] }] });
    expect(hall!.items).toEqual([{ ...oven, documentIds: ["b", "a"], origin: ovenOrigin }]);
  });

  test("gives a new item with the former name of a renamed one an origin of its own, and that of a removed one its origin", () => {
    const rename = (...sent: SentArea["items"]) => merge({ id: "kitchen", name: "Kitchen", items: sent })[0]!.items;
    const [stove, oven] = rename({ id: "oven", name: "Stove" }, { name: "Oven" });
    expect([stove!.origin, oven!.origin]).toEqual([ovenOrigin, oven!.id]);
    expect(rename({ name: "Oven" }).map(({ origin }) => origin)).toEqual([ovenOrigin]);
  });

  test("rejects unknown and repeated ids", () => {
    const oneItem = (id: string) => [{ id, name: id }];
    expect(errorsOf(() => merge({ id: "attic", name: "Attic", items: oneItem("rafter") }))).toEqual([
      ["areas.0.id", "not_found"],
      ["areas.0.items.0.id", "not_found"],
    ]);
    expect(errorsOf(() => merge({ id: "hall", name: "A", items: oneItem("oven") }, { id: "hall", name: "B", items: oneItem("oven") }))).toEqual([
      ["areas.1.id", "unique"],
      ["areas.1.items.0.id", "unique"],
    ]);
    expect(errorsOf(() => merge({ id: "oven", name: "Oven", items: [] }))).toEqual([["areas.0.id", "not_found"]]);
  });
});

describe("requireUniqueNames", () => {
  test("reports every repeated name, ignoring case", () => {
    const rooms = [
      { name: "Bedroom", items: [{ name: "Floor" }, { name: "floor" }, { name: "Floor" }] },
      { name: "BEDROOM", items: [{ name: "Floor" }] },
    ];
    expect(errorsOf(() => requireUniqueNames(rooms))).toEqual([
      ["areas.1.name", "unique"],
      ["areas.0.items.1.name", "unique"],
      ["areas.0.items.2.name", "unique"],
    ]);
    expect(errorsOf(() => requireUniqueNames([rooms[1]!, { name: "Bedroom 2", items: [{ name: "Floor" }] }]))).toEqual([]);
  });
});

describe("work orders of items", () => {
  const areasWithItems = (...ids: string[]): StoredArea[] => [{ id: "hall", name: "Hall", items: ids.map((id) => ({ ...blank, id, name: id })) }];

  test("prevent the removal of their item", () => {
    expect(() => requireItemsWithWorkOrdersRetained(storedAreas, areasWithItems("sink"), { oven: "order" })).toThrow("Kitchen: Oven has a work order");
    expect(() => requireItemsWithWorkOrdersRetained(storedAreas, areasWithItems("oven"), { oven: "order" })).not.toThrow();
    expect(() => requireItemsWithWorkOrdersRetained(storedAreas, [], {})).not.toThrow();
  });

  test("can be sent unchanged, but not changed", () => {
    const areasWithWorkOrder = (workOrderId: string | null | undefined, id?: string): SentArea[] => [
      { name: "Kitchen", items: [{ id, name: "Oven", workOrderId }] },
    ];
    const workOrders = { oven: "order" };
    for (const areas of [
      areasWithWorkOrder("order", "oven"),
      areasWithWorkOrder(null, "oven"),
      areasWithWorkOrder(undefined, "oven"),
      areasWithWorkOrder(null),
    ])
      expect(errorsOf(() => requireOwnWorkOrders(areas, workOrders))).toEqual([]);
    for (const areas of [areasWithWorkOrder("another", "oven"), areasWithWorkOrder("order", "sink"), areasWithWorkOrder("order")])
      expect(errorsOf(() => requireOwnWorkOrders(areas, workOrders))).toEqual([["areas.0.items.0.workOrderId", "mismatch"]]);
  });
});

test("referencedDocuments returns the path of each document", () => {
  const sentAreas = [
    { name: "Hall", items: [{ name: "Door" }] },
    { name: "Kitchen", items: [{ name: "Sink" }, { name: "Oven", documentIds: ["a", "b"] }] },
  ];
  expect(referencedDocuments(sentAreas)).toEqual([
    { id: "a", path: "areas.1.items.1.documentIds.0" },
    { id: "b", path: "areas.1.items.1.documentIds.1" },
  ]);
});
