import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../../test/support/office.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { findOutboxEvents } from "../../../../test/database.ts";
import { anInspection, unknownId } from "../../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const areas = [{ name: "Garage", items: [{ name: "Door" }, { name: "Floor" }] }];
const create = (terms: object = {}) => office.attempt("createInspectionTemplate", { body: { name: `Garage ${unknownId()}`, areas, ...terms } });
const createTemplate = async (terms: object = {}) => (await create(terms)).body.inspectionTemplate;
const update = (id: string, body: object, headers: Record<string, string> = {}) =>
  office.attempt("updateInspectionTemplate", { params: { id }, body, headers });
const remove = (id: string) => office.attempt("deleteInspectionTemplate", { params: { id } });
const names = async (query: Record<string, string | boolean> = {}) =>
  (await office.call("listInspectionTemplates", { query: { pageSize: 100, ...query } })).inspectionTemplates.map(({ name }) => name);

describe("a new organization", () => {
  test("has a starter template from which an inspection can be created", async () => {
    const newOffice = await anOffice();
    const starter = await eventually("starter template", async () => (await newOffice.call("listInspectionTemplates")).inspectionTemplates[0]);
    expect(starter).toMatchObject({ name: "Apartment", type: null, organizationId: newOffice.organizationId, deletedAt: null });
    expect(starter.areas.length).toBeGreaterThan(3);
    const inspection = await anInspection(newOffice, { templateId: starter.id });
    const namesOf = (each: readonly { name: string; items: readonly { name: string }[] }[]) =>
      each.map(({ name, items }) => [name, items.map((item) => item.name)]);
    expect(namesOf(inspection.areas)).toEqual(namesOf(starter.areas));
    expect((await newOffice.attempt("deleteInspectionTemplate", { params: { id: starter.id } })).status).toBe(200);
  });
});

describe("createInspectionTemplate", () => {
  test("stores areas and items in order", async () => {
    const template = await createTemplate({ name: "Garage", type: "annual" });
    expect(template).toMatchObject({ organizationId: office.organizationId, name: "Garage", type: "annual", areas, deletedAt: null });
    expect((await office.call("getInspectionTemplate", { params: { id: template.id } })).inspectionTemplate).toEqual(template);
    expect(await findOutboxEvents(office, template.id)).toMatchObject([{ type: "inspection_template.created" }]);
    expect(await createTemplate()).toMatchObject({ type: null });
  });

  test("requires unique names, ignoring case, among templates that are not deleted", async () => {
    const { id } = await createTemplate({ name: "Shed" });
    const rejected = await create({ name: "SHED" });
    expect([rejected.status, rejected.body.code, rejected.body.errors]).toMatchObject([409, "duplicate", [{ path: "name", code: "unique" }]]);
    await remove(id);
    const responses = await Promise.all(Array.from({ length: 8 }, () => create({ name: "shed" })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    expect((await otherOffice.attempt("createInspectionTemplate", { body: { name: "Shed", areas: [] } })).status).toBe(200);
  });

  test.each([
    ["no name", { name: " " }, "name", "too_short"],
    ["a name of 121 characters", { name: "x".repeat(121) }, "name", "too_long"],
    ["an unknown type", { type: "weekly" }, "type", "enum"],
    ["two items of the same name", { areas: [{ name: "Hall", items: [{ name: "Door" }, { name: "DOOR" }] }] }, "areas.0.items.1.name", "unique"],
    ["a condition", { areas: [{ name: "Hall", items: [{ name: "Door", condition: "good" }] }] }, "areas.0.items.0.condition", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await create(terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("listInspectionTemplates", () => {
  test("filters by name and type, sorts by name, and includes deleted templates only with includeDeleted", async () => {
    const [b, a] = [await createTemplate({ name: "Barn B", type: "move_in" }), await createTemplate({ name: "Barn A" })];
    expect(await names({ search: "barn" })).toEqual(["Barn A", "Barn B"]);
    expect(await names({ search: "barn", sortDirection: "desc" })).toEqual(["Barn B", "Barn A"]);
    expect(await names({ search: "barn", type: "move_in,move_out" })).toEqual(["Barn B"]);
    await remove(a.id);
    expect([await names({ search: "barn" }), await names({ search: "barn", includeDeleted: true })]).toEqual([["Barn B"], ["Barn A", "Barn B"]]);
    expect((await otherOffice.call("listInspectionTemplates", { query: { search: "barn" } })).total).toBe(0);
    expect((await otherOffice.attempt("getInspectionTemplate", { params: { id: b.id } })).status).toBe(404);
  });
});

describe("updateInspectionTemplate", () => {
  test("updates the members that are sent, replaces areas as a whole and requires unique names", async () => {
    const before = await createTemplate({ type: "annual" });
    const { body } = await update(before.id, { type: null });
    expect(body.inspectionTemplate).toEqual({ ...before, type: null, updatedAt: body.inspectionTemplate.updatedAt });
    expect((await update(before.id, { areas: [{ name: "Roof", items: [] }] })).body.inspectionTemplate.areas).toEqual([{ name: "Roof", items: [] }]);
    expect((await findOutboxEvents(office, before.id)).at(-1)!.type).toBe("inspection_template.updated");
    const cellar = await createTemplate({ name: "Cellar" });
    expect((await update(before.id, { name: "cellar" })).body.code).toBe("duplicate");
    expect((await update(cellar.id, { name: "CELLAR" })).body.inspectionTemplate.name).toBe("CELLAR");
    expect(
      (
        await update(before.id, {
          areas: [
            { name: "A", items: [] },
            { name: "a", items: [] },
          ],
        })
      ).body.errors,
    ).toMatchObject([{ path: "areas.1.name", code: "unique" }]);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await createTemplate();
    const headers = { "If-Match": (await office.attempt("getInspectionTemplate", { params: { id } })).headers.get("ETag")! };
    expect([(await update(id, { type: "other" }, headers)).status, (await update(id, { type: "annual" }, headers)).status]).toEqual([200, 412]);
  });
});

describe("deleteInspectionTemplate", () => {
  test("deletes once, also for staff", async () => {
    const { id } = await createTemplate();
    const staff = await office.colleague("staff");
    const { inspectionTemplate } = await staff.call("deleteInspectionTemplate", { params: { id } });
    expect(inspectionTemplate.deletedAt).not.toBeNull();
    expect((await findOutboxEvents(office, id)).at(-1)!.type).toBe("inspection_template.deleted");
    for (const response of [await remove(id), await update(id, { type: null }), await office.attempt("getInspectionTemplate", { params: { id } })])
      expect(response.status).toBe(404);
  });
});
