import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { eventsOf } from "../../test/bundles.ts";

const office = await anOffice();
const terms = {
  name: "Rent roll of the old system",
  provider: "appfolio" as const,
  entityType: "unit" as const,
  mapping: { "Unit No": "unit_number", Remarks: null },
};
let made = 0;
const aProfile = async (more: Partial<typeof terms> = {}) =>
  (await office.call("createImportMappingProfile", { body: { ...terms, name: `${terms.name} ${++made}`, ...more } })).mappingProfile;

describe("createImportMappingProfile", () => {
  test("saves a mapping under a name", async () => {
    const mappingProfile = await aProfile();
    expect(mappingProfile).toMatchObject({ ...terms, name: expect.any(String), createdByUserId: office.userId, deletedAt: null });
    expect(await office.call("getImportMappingProfile", { params: { id: mappingProfile.id } })).toEqual({ mappingProfile });
    expect(await eventsOf(office, mappingProfile.id)).toMatchObject([{ type: "import_mapping_profile.created" }]);
  });

  test.each([
    ["of a field that no file of it has", { mapping: { Colour: "colour" } }, "mapping.Colour", "not_allowed"],
    ["of two columns for one field", { mapping: { A: "unit_number", B: "unit_number" } }, "mapping.B", "unique"],
    ["with a column without a name", { mapping: { "": "unit_number" } }, "mapping.", "type"],
    ["without a name", { name: "" }, "name", "too_short"],
    ["for a type that there is not", { entityType: "planet" }, "entityType", "enum"],
  ])("refuses one %s", async (_, wrong, path, code) => {
    const { status, body } = await office.attempt("createImportMappingProfile", { body: { ...terms, ...wrong } as typeof terms });
    expect([status, body.errors?.map((each) => each.path), body.errors?.[0]?.code]).toEqual([400, [path], code]);
  });

  test("takes a name once, whatever its case and however many try", async () => {
    const name = "Our houses";
    const answers = await Promise.all(
      ["Our houses", "OUR HOUSES", "our houses"].map((each) => office.attempt("createImportMappingProfile", { body: { ...terms, name: each } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: "duplicate", errors: [{ path: "name", code: "unique" }] });
    const { id } = answers.find(({ status }) => status === 200)!.body.mappingProfile;
    await office.call("deleteImportMappingProfile", { params: { id } });
    expect((await office.attempt("createImportMappingProfile", { body: { ...terms, name } })).status).toBe(200);
  });
});

describe("updateImportMappingProfile", () => {
  test("changes what is sent, replaces the mapping, and checks the result", async () => {
    const { id } = await aProfile();
    const change = (body: object) => office.attempt("updateImportMappingProfile", { params: { id }, body });
    expect((await change({ mapping: { Unit: "unit_number" } })).body.mappingProfile).toMatchObject({ mapping: { Unit: "unit_number" }, provider: "appfolio" });
    const wrong = await change({ entityType: "owner" });
    expect([wrong.status, wrong.body.errors]).toMatchObject([400, [{ path: "mapping.Unit", code: "not_allowed" }]]);
    expect((await change({ entityType: "owner", mapping: { Mail: "email" } })).body.mappingProfile).toMatchObject({
      entityType: "owner",
      mapping: { Mail: "email" },
    });
  });
});

describe("listImportMappingProfiles", () => {
  test("finds them by system, type and words, and deleted ones only when asked", async () => {
    const mine = await anOffice();
    const create = async (name: string, more: object = {}) =>
      (await mine.call("createImportMappingProfile", { body: { ...terms, ...more, name } })).mappingProfile.id;
    const [a, b] = [await create("Alpha"), await create("Beta", { provider: "generic", entityType: "owner", mapping: {} })];
    await mine.call("deleteImportMappingProfile", { params: { id: b } });
    const c = await create("Gamma", { provider: "generic", entityType: "owner", mapping: {} });
    const found = async (query: Record<string, string>) => (await mine.call("listImportMappingProfiles", { query })).mappingProfiles.map(({ id }) => id);
    expect(await found({})).toEqual([a, c]);
    expect(await found({ provider: "generic" })).toEqual([c]);
    expect(await found({ entityType: "unit,owner", search: "a" })).toEqual([a, c]);
    expect(await found({ includeDeleted: "true", entityType: "owner" })).toEqual([b, c]);
  });
});

test("a deleted one is gone, once", async () => {
  const { id } = await aProfile();
  const answers = await Promise.all([1, 2].map(() => office.attempt("deleteImportMappingProfile", { params: { id } })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  expect((await office.attempt("getImportMappingProfile", { params: { id } })).status).toBe(404);
  expect((await office.attempt("updateImportMappingProfile", { params: { id }, body: { name: "x" } })).status).toBe(404);
});
