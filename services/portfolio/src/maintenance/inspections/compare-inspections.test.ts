import { describe, expect, test } from "@jest/globals";
import type { Condition } from "@freehold/contract/maintenance/inspections";
import { anOffice } from "../../../../../test/support/office.ts";
import { anInspection, createLeaseReferences, aUnit, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { propertyId, unitId } = await createLeaseReferences(office);
const compare = (id: string, other?: string) => office.attempt("compareInspections", { params: { id }, query: { with: other } });
const kitchen = (...items: [name: string, condition: Condition, estimatedCostCents?: number][]) => [
  { name: "Kitchen", items: items.map(([name, condition, estimatedCostCents]) => ({ name, condition, estimatedCostCents })) },
];
const moveInInspection = (terms: object = {}) =>
  anInspection(office, {
    propertyId,
    unitId,
    type: "move_in",
    scheduledAt: "2025-01-01T12:00:00.000Z",
    areas: kitchen(["Oven", "good"], ["Floor", "good"]),
    ...terms,
  });
const moveOutInspection = (terms: object = {}) =>
  anInspection(office, {
    propertyId,
    unitId,
    type: "move_out",
    scheduledAt: "2026-01-01T12:00:00.000Z",
    areas: kitchen(["oven", "damaged", 30_000], ["Floor", "fair", 80_000], ["Window", "missing", 5_000]),
    ...terms,
  });

describe("compareInspections", () => {
  test("compares each item and suggests deductions beyond normal wear", async () => {
    const [before, after] = [await moveInInspection(), await moveOutInspection()];
    const { body } = await compare(after.id, before.id);
    const ids = (inspection: typeof before) => inspection.areas[0]!.items.map(({ id }) => id);
    expect(body).toEqual({
      comparison: [
        {
          area: "Kitchen",
          item: "oven",
          before: "good",
          after: "damaged",
          worsened: true,
          suggestedDeductionCents: 30_000,
          beforeItemId: ids(before)[0],
          afterItemId: ids(after)[0],
        },
        {
          area: "Kitchen",
          item: "Floor",
          before: "good",
          after: "fair",
          worsened: true,
          suggestedDeductionCents: 0,
          beforeItemId: ids(before)[1],
          afterItemId: ids(after)[1],
        },
        {
          area: "Kitchen",
          item: "Window",
          before: null,
          after: "missing",
          worsened: false,
          suggestedDeductionCents: 0,
          beforeItemId: null,
          afterItemId: ids(after)[2],
        },
      ],
      beforeInspectionId: before.id,
      afterInspectionId: after.id,
      suggestedDeductionCents: 30_000,
    });
  });

  test("follows an item that is renamed in one of the inspections", async () => {
    const [before, after] = [await moveInInspection(), await moveOutInspection({ areas: kitchen(["Oven", "damaged", 30_000]) })];
    const [area] = after.areas;
    const [oven] = area!.items;
    const areas = [
      {
        id: area!.id,
        name: "Cook's corner",
        items: [
          { id: oven!.id, name: "Stove" },
          { name: "Oven", condition: "good" as const },
        ],
      },
    ];
    await office.call("saveInspectionAreas", { params: { id: after.id }, body: { areas } });
    const { comparison, suggestedDeductionCents } = (await compare(after.id, before.id)).body;
    expect(comparison.map(({ area: name, item, before: earlier, after: later }) => [name, item, earlier, later])).toEqual([
      ["Cook's corner", "Stove", "good", "damaged"],
      ["Kitchen", "Floor", "good", null],
      ["Cook's corner", "Oven", null, "good"],
    ]);
    expect(suggestedDeductionCents).toBe(30_000);
  });

  test("follows an item that is renamed in the template between the inspections", async () => {
    const body = { name: "Kitchen of the template", areas: [{ name: "Kitchen", items: [{ name: "Oven" }, { name: "Floor" }] }] };
    const { inspectionTemplate } = await office.call("createInspectionTemplate", { body });
    const { id: templateId, areas } = inspectionTemplate;
    const inspect = async (type: "move_in" | "move_out", scheduledAt: string, condition: Condition) => {
      const { id, areas: copied } = await anInspection(office, { propertyId, unitId, type, scheduledAt, templateId });
      const [kitchenArea] = copied;
      const [oven, ...others] = kitchenArea!.items;
      const inspected = [{ ...kitchenArea!, items: [{ ...oven!, condition, estimatedCostCents: 30_000 }, ...others] }];
      await office.call("saveInspectionAreas", { params: { id }, body: { areas: inspected } });
      return id;
    };
    const before = await inspect("move_in", "2025-01-01T12:00:00.000Z", "good");
    const [oven, floor] = areas[0]!.items;
    const renamed = [{ name: "Kitchenette", items: [{ id: oven!.id, name: "Stove" }, floor!] }];
    await office.call("updateInspectionTemplate", { params: { id: templateId }, body: { areas: renamed } });
    const after = await inspect("move_out", "2026-01-01T12:00:00.000Z", "damaged");
    const { comparison, suggestedDeductionCents } = (await compare(after, before)).body;
    expect(comparison.map(({ area, item, before: earlier, after: later }) => [area, item, earlier, later])).toEqual([
      ["Kitchenette", "Stove", "good", "damaged"],
      ["Kitchenette", "Floor", "not_inspected", "not_inspected"],
    ]);
    expect(suggestedDeductionCents).toBe(30_000);
  });

  test("uses the inspection scheduled earlier as `before`, in either order of the request, and for equal times the one created first", async () => {
    const [before, after] = [await moveInInspection(), await moveOutInspection()];
    expect((await compare(before.id, after.id)).text).toBe((await compare(after.id, before.id)).text);
    const scheduledAt = "2026-02-01T12:00:00.000Z";
    const [first, second] = [await moveOutInspection({ scheduledAt }), await moveInInspection({ scheduledAt })];
    for (const [inspection, other] of [
      [first, second],
      [second, first],
    ] as const)
      expect((await compare(inspection.id, other.id)).body).toMatchObject({ beforeInspectionId: first.id, afterInspectionId: second.id });
  });

  test("rejects inspections of different units and the same inspection, and accepts two without a unit", async () => {
    const [inspection, neighbour, otherReferences] = [await moveInInspection(), await aUnit(office, propertyId), await createLeaseReferences(office)];
    const others = [
      await moveOutInspection({ unitId: neighbour.id }),
      await moveOutInspection({ unitId: null }),
      await moveOutInspection({ propertyId: otherReferences.propertyId, unitId: otherReferences.unitId }),
      inspection,
    ];
    for (const { id } of others) {
      const { status, body } = await compare(inspection.id, id);
      expect([status, body.errors]).toMatchObject([400, [{ path: "with", code: "mismatch" }]]);
    }
    const [moveInOfProperty, moveOutOfProperty] = [await moveInInspection({ unitId: null }), await moveOutInspection({ unitId: null })];
    expect((await compare(moveInOfProperty.id, moveOutOfProperty.id)).status).toBe(200);
  });

  test("reports errors at the parameter `with`", async () => {
    const [inspection, foreign] = [await moveInInspection(), await anInspection(otherOffice)];
    for (const [other, code] of [
      [unknownId(), "not_found"],
      [foreign.id, "not_found"],
      ["7", "format"],
      [undefined, "required"],
    ] as const)
      expect((await compare(inspection.id, other)).body.errors).toMatchObject([{ path: "with", code }]);
    expect((await compare(foreign.id, inspection.id)).status).toBe(404);
  });
});
