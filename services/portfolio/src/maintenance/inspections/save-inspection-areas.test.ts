import { describe, expect, test } from "@jest/globals";
import type { Request } from "../../../../../test/support/client.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aPng } from "../../../test/files.ts";
import { anInspection, aProperty, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { id: propertyId } = await aProperty(office);
type Areas = NonNullable<Request<"saveInspectionAreas">["body"]>["areas"];
const save = (id: string, areas: Areas, headers: Record<string, string> = {}) =>
  office.attempt("saveInspectionAreas", { params: { id }, body: { areas }, headers });
const read = async (id: string) => (await office.call("getInspection", { params: { id } })).inspection;
const ifMatchOf = async (id: string) => ({ "If-Match": (await office.attempt("getInspection", { params: { id } })).headers.get("ETag")! });
const uploadPhoto = async (entityId: string) =>
  (await office.call("uploadDocument", { body: { file: aPng("oven.png"), entityType: "inspection", entityId, category: "photo" } })).document.id;
const complete = (id: string) => office.call("completeInspection", { params: { id }, body: {} });

describe("saveInspectionAreas", () => {
  test("keeps entries sent with their id, adds new ones and removes the others", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    const [kitchen] = areas;
    const photoId = await uploadPhoto(id);
    const { body } = await save(id, [
      { name: "Hall", items: [{ name: "Door", condition: "good" }] },
      {
        ...kitchen!,
        name: "Cook's corner",
        items: [{ ...kitchen!.items[1]!, condition: "damaged", note: "Cracked", documentIds: [photoId], estimatedCostCents: 25_000 }, { name: "Window" }],
      },
    ]);
    const blank = { condition: "not_inspected", note: null, documentIds: [], workOrderId: null, estimatedCostCents: null };
    expect(body.inspection.areas).toEqual([
      { id: expect.any(String), name: "Hall", items: [{ ...blank, id: expect.any(String), name: "Door", condition: "good" }] },
      {
        id: kitchen!.id,
        name: "Cook's corner",
        items: [
          { ...blank, id: kitchen!.items[1]!.id, name: "Sink", condition: "damaged", note: "Cracked", documentIds: [photoId], estimatedCostCents: 25_000 },
          { ...blank, id: expect.any(String), name: "Window" },
        ],
      },
    ]);
    expect(await read(id)).toEqual(body.inspection);
    expect((await findOutboxEvents(office, id)).map(({ type }) => type)).toEqual(["inspection.created", "inspection.updated"]);
  });

  test("accepts its own response and keeps item members that are not sent", async () => {
    const { id, areas } = await anInspection(office, { propertyId, areas: [{ name: "Hall", items: [{ name: "Door", condition: "fair", note: "Dent" }] }] });
    expect((await save(id, areas)).body.inspection.areas).toEqual(areas);
    const [{ items, ...hall }] = areas as [(typeof areas)[0]];
    const { body } = await save(id, [{ ...hall, items: [{ id: items[0]!.id, name: "Front door" }] }]);
    expect(body.inspection.areas[0]!.items).toEqual([{ ...items[0]!, name: "Front door" }]);
    expect((await save(id, [])).body.inspection.areas).toEqual([]);
  });

  test("accepts one of ten concurrent saves of the same version, even with equal content", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    const headers = await ifMatchOf(id);
    const responses = await Promise.all(Array.from({ length: 10 }, () => save(id, areas, headers)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
    expect(responses.find(({ status }) => status === 412)!.body.code).toBe("version_conflict");
    const nextSave = await save(id, areas, { "If-Match": responses.find(({ status }) => status === 200)!.headers.get("ETag")! });
    expect(nextSave.status).toBe(200);
  });

  test("rejects documents of other entities", async () => {
    const { id } = await anInspection(office, { propertyId });
    const otherInspection = await anInspection(office, { propertyId });
    const [own, foreign, deleted] = [await uploadPhoto(id), await uploadPhoto(otherInspection.id), await uploadPhoto(id)];
    const { document } = await office.call("uploadDocument", { body: { file: aPng("house.png"), entityType: "property", entityId: propertyId } });
    await office.call("deleteDocument", { params: { id: deleted } });
    const { status, body } = await save(id, [{ name: "Hall", items: [{ name: "Door", documentIds: [own, foreign, document.id, deleted, unknownId()] }] }]);
    expect([status, body.errors?.map(({ path, code }) => [path, code])]).toEqual([
      400,
      [1, 2, 3, 4].map((index) => [`areas.0.items.0.documentIds.${index}`, "not_found"]),
    ]);
    expect(await read(id)).toMatchObject({ areas: [{ name: "Kitchen" }] });
  });

  test("omits deleted documents, and its response can still be saved", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    const photoId = await uploadPhoto(id);
    const [kitchen] = areas;
    await save(id, [{ ...kitchen!, items: [{ ...kitchen!.items[0]!, documentIds: [photoId] }] }]);
    await office.call("deleteDocument", { params: { id: photoId } });
    const inspection = await read(id);
    expect(inspection.areas[0]!.items[0]!.documentIds).toEqual([]);
    expect((await save(id, inspection.areas)).status).toBe(200);
  });

  test.each([
    ["an unknown area id", [{ id: unknownId(), name: "Hall", items: [] }], "areas.0.id", "not_found"],
    ["an unknown item id", [{ name: "Hall", items: [{ id: unknownId(), name: "Door" }] }], "areas.0.items.0.id", "not_found"],
    ["an invalid id", [{ id: "7", name: "Hall", items: [] }], "areas.0.id", "format"],
    ["two items of the same name", [{ name: "Hall", items: [{ name: "Door" }, { name: "door " }] }], "areas.0.items.1.name", "unique"],
    ["a work order that is not the item's", [{ name: "Hall", items: [{ name: "Door", workOrderId: unknownId() }] }], "areas.0.items.0.workOrderId", "mismatch"],
    ["a fraction of a cent", [{ name: "Hall", items: [{ name: "Door", estimatedCostCents: 0.5 }] }], "areas.0.items.0.estimatedCostCents", "type"],
    ["a note of 4001 characters", [{ name: "Hall", items: [{ name: "Door", note: "x".repeat(4_001) }] }], "areas.0.items.0.note", "too_long"],
    ["unknown members", [{ name: "Hall", items: [{ name: "Door", colour: "red" }] }], "areas.0.items.0.colour", "unrecognized_key"],
  ])("rejects %s", async (_, areas, path, code) => {
    const { id } = await anInspection(office, { propertyId });
    const { status, body } = await save(id, areas as Areas);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("rejects the removal of an item that has a work order", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    const [kitchen] = areas;
    const [oven, sink] = kitchen!.items;
    const { workOrder } = await office.call("createInspectionItemWorkOrder", { params: { id, itemId: oven!.id }, body: {} });
    for (const remainingAreas of [[], [{ ...kitchen!, items: [sink!] }], [{ name: "Kitchen", items: [{ name: "Oven" }] }]]) {
      const { status, body } = await save(id, remainingAreas);
      expect([status, body.code, body.message]).toEqual([409, "resource_in_use", expect.stringContaining("Kitchen: Oven")]);
    }
    const { body } = await save(id, [{ name: "Hall", items: [{ ...oven!, workOrderId: workOrder.id }] }]);
    expect(body.inspection.areas[0]!.items).toEqual([{ ...oven!, workOrderId: workOrder.id }]);
  });

  test("never loses an item for which a work order is created concurrently", async () => {
    const attempts = Array.from({ length: 6 }, async () => {
      const { id, areas } = await anInspection(office, { propertyId });
      const itemId = areas[0]!.items[0]!.id;
      const [saved, creation] = await Promise.all([save(id, []), office.attempt("createInspectionItemWorkOrder", { params: { id, itemId }, body: {} })]);
      expect([
        [200, 404],
        [409, 200],
      ]).toContainEqual([saved.status, creation.status]);
    });
    await Promise.all(attempts);
  });

  test("rejects a finished inspection", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    await office.call("startInspection", { params: { id } });
    expect((await save(id, areas)).status).toBe(200);
    await complete(id);
    const afterCompletion = await save(id, areas);
    expect([afterCompletion.status, afterCompletion.body.code, afterCompletion.body.message]).toEqual([
      409,
      "invalid_transition",
      expect.stringContaining("completed"),
    ]);
    const cancelled = await anInspection(office, { propertyId });
    await office.call("cancelInspection", { params: { id: cancelled.id }, body: {} });
    expect((await save(cancelled.id, [])).status).toBe(409);
  });

  test("returns 404 to another organization, and is allowed for staff", async () => {
    const { id } = await anInspection(office, { propertyId });
    expect((await otherOffice.attempt("saveInspectionAreas", { params: { id }, body: { areas: [] } })).status).toBe(404);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("saveInspectionAreas", { params: { id }, body: { areas: [] } })).status).toBe(200);
  });
});

describe("documents attached to items", () => {
  test("cannot be deleted after the inspection is completed", async () => {
    const { id, areas } = await anInspection(office, { propertyId });
    const [attachedId, unattachedId] = [await uploadPhoto(id), await uploadPhoto(id)];
    await save(id, [{ ...areas[0]!, items: [{ ...areas[0]!.items[0]!, documentIds: [attachedId] }] }]);
    await office.call("startInspection", { params: { id } });
    await complete(id);
    const { status, body } = await office.attempt("deleteDocument", { params: { id: attachedId } });
    expect([status, body.code, body.message]).toEqual([409, "resource_in_use", expect.stringContaining("inspection")]);
    expect((await office.attempt("deleteDocument", { params: { id: unattachedId } })).status).toBe(200);
    expect((await read(id)).areas[0]!.items[0]!.documentIds).toEqual([attachedId]);
  });

  test("are either deleted or attached when deletion and completion run concurrently", async () => {
    const attempts = Array.from({ length: 4 }, async () => {
      const { id, areas } = await anInspection(office, { propertyId });
      const photoId = await uploadPhoto(id);
      await save(id, [{ ...areas[0]!, items: [{ ...areas[0]!.items[0]!, documentIds: [photoId] }] }]);
      await office.call("startInspection", { params: { id } });
      const [, deleted] = await Promise.all([complete(id), office.attempt("deleteDocument", { params: { id: photoId } })]);
      const attachedIds = (await read(id)).areas[0]!.items[0]!.documentIds;
      expect(deleted.status === 200 ? [] : [photoId]).toEqual(attachedIds);
      expect([200, 409]).toContain(deleted.status);
    });
    await Promise.all(attempts);
  });
});
