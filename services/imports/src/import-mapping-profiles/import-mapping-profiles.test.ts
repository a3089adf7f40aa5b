import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, csvFile, listEvents, uploadFiles } from "../../test/bundles.ts";

const office = await anOffice();
const profile = {
  name: "Rent roll of the old system",
  provider: "appfolio" as const,
  entityType: "unit" as const,
  mapping: { "Unit No": "unit_number", Remarks: null },
};
let profileCount = 0;
const createProfile = async (changes: Partial<typeof profile> = {}) =>
  (await office.call("createImportMappingProfile", { body: { ...profile, name: `${profile.name} ${++profileCount}`, ...changes } })).mappingProfile;

describe("createImportMappingProfile", () => {
  test("saves a mapping under a name", async () => {
    const mappingProfile = await createProfile();
    expect(mappingProfile).toMatchObject({ ...profile, name: expect.any(String), createdByUserId: office.userId, deletedAt: null });
    expect(await office.call("getImportMappingProfile", { params: { id: mappingProfile.id } })).toEqual({ mappingProfile });
    expect(await listEvents(office, mappingProfile.id)).toMatchObject([{ type: "import_mapping_profile.created" }]);
  });

  test.each([
    ["with an unknown field", { mapping: { Colour: "colour" } }, "mapping.Colour", "not_allowed"],
    ["with two columns for one field", { mapping: { A: "unit_number", B: "unit_number" } }, "mapping.B", "unique"],
    ["with a column without a name", { mapping: { "": "unit_number" } }, "mapping.", "type"],
    ["without a name", { name: "" }, "name", "too_short"],
    ["for an unknown entity type", { entityType: "planet" }, "entityType", "enum"],
  ])("refuses a profile %s", async (_, invalid, path, code) => {
    const { status, body } = await office.attempt("createImportMappingProfile", { body: { ...profile, ...invalid } as typeof profile });
    expect([status, body.errors?.map((each) => each.path), body.errors?.[0]?.code]).toEqual([400, [path], code]);
  });

  test("accepts a name once, ignoring case, when called concurrently", async () => {
    const name = "Our houses";
    const responses = await Promise.all(
      ["Our houses", "OUR HOUSES", "our houses"].map((variant) => office.attempt("createImportMappingProfile", { body: { ...profile, name: variant } })),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(responses.find(({ status }) => status === 409)!.body).toMatchObject({ code: "duplicate", errors: [{ path: "name", code: "unique" }] });
    const { id } = responses.find(({ status }) => status === 200)!.body.mappingProfile;
    await office.call("deleteImportMappingProfile", { params: { id } });
    expect((await office.attempt("createImportMappingProfile", { body: { ...profile, name } })).status).toBe(200);
  });
});

describe("updateImportMappingProfile", () => {
  test("updates the sent members, replaces the mapping, and validates the result", async () => {
    const { id } = await createProfile();
    const update = (body: object) => office.attempt("updateImportMappingProfile", { params: { id }, body });
    expect((await update({ mapping: { Unit: "unit_number" } })).body.mappingProfile).toMatchObject({ mapping: { Unit: "unit_number" }, provider: "appfolio" });
    const invalid = await update({ entityType: "owner" });
    expect([invalid.status, invalid.body.errors]).toMatchObject([400, [{ path: "mapping.Unit", code: "not_allowed" }]]);
    expect((await update({ entityType: "owner", mapping: { Mail: "email" } })).body.mappingProfile).toMatchObject({
      entityType: "owner",
      mapping: { Mail: "email" },
    });
  });
});

describe("listImportMappingProfiles", () => {
  test("filters by provider, type and text, and returns deleted profiles only on request", async () => {
    const newOffice = await anOffice();
    const create = async (name: string, changes: object = {}) =>
      (await newOffice.call("createImportMappingProfile", { body: { ...profile, ...changes, name } })).mappingProfile.id;
    const [alpha, deleted] = [await create("Alpha"), await create("Beta", { provider: "generic", entityType: "owner", mapping: {} })];
    await newOffice.call("deleteImportMappingProfile", { params: { id: deleted } });
    const gamma = await create("Gamma", { provider: "generic", entityType: "owner", mapping: {} });
    const listIds = async (query: Record<string, string>) => (await newOffice.call("listImportMappingProfiles", { query })).mappingProfiles.map(({ id }) => id);
    expect(await listIds({})).toEqual([alpha, gamma]);
    expect(await listIds({ provider: "generic" })).toEqual([gamma]);
    expect(await listIds({ entityType: "unit,owner", search: "a" })).toEqual([alpha, gamma]);
    expect(await listIds({ includeDeleted: "true", entityType: "owner" })).toEqual([deleted, gamma]);
  });
});

test("deleteImportMappingProfile deletes a profile once", async () => {
  const { id } = await createProfile();
  const responses = await Promise.all([1, 2].map(() => office.attempt("deleteImportMappingProfile", { params: { id } })));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  expect((await office.attempt("getImportMappingProfile", { params: { id } })).status).toBe(404);
  expect((await office.attempt("updateImportMappingProfile", { params: { id }, body: { name: "x" } })).status).toBe(404);
});

describe("a saved profile", () => {
  const columns = "Objekt,Whg,Miete,Zimmer";
  const mapping = { Objekt: "property_name", Whg: "unit_number", Miete: "monthly_rent" };
  const upload = async (client: Office, provider: "generic" | "appfolio", header = columns) => {
    const { id } = await createBundle(client, provider);
    return (await uploadFiles(client, id, csvFile("wohnungen.csv", header, "Lindenhof,3,900.00,2")))[0]!;
  };

  test("is applied at the upload of a file that has all its columns, in preference to one with fewer columns", async () => {
    const client = await anOffice();
    const terms = { provider: "generic" as const, entityType: "unit" as const };
    const create = async (name: string, body: object) =>
      (await client.call("createImportMappingProfile", { body: { ...terms, name, mapping, ...body } })).mappingProfile.id;
    expect(await upload(client, "generic")).toMatchObject({ mappingProfileId: null, mapping: { Objekt: null } });
    await create("Three columns", {});
    const best = await create("Four columns", { mapping: { ...mapping, zimmer: "bedrooms" } });
    await create("Another column", { mapping: { ...mapping, Zimmer: "bedrooms", Etage: null } });
    await create("Two columns", { mapping: { Objekt: "property_name", Whg: "unit_number" } });
    const file = await upload(client, "generic");
    expect(file).toMatchObject({
      mappingProfileId: best,
      entityType: "unit",
      mapping: { ...mapping, Zimmer: "bedrooms" },
      columnConfidence: { Objekt: 1, Whg: 1, Miete: 1, Zimmer: 1 },
      mappingConfidence: 1,
      missingRequired: [],
    });
    expect((await upload(client, "appfolio")).mappingProfileId).toBeNull();
    expect((await upload(client, "generic", "Objekt,Whg,Zimmer,Etage")).mappingProfileId).toBeNull();
    expect((await upload(await anOffice(), "generic")).mappingProfileId).toBeNull();
  });

  test("is not applied after its deletion, nor to a file in which two columns would have one field", async () => {
    const client = await anOffice();
    const { mappingProfile } = await client.call("createImportMappingProfile", { body: { name: "Units", provider: "generic", entityType: "unit", mapping } });
    expect((await upload(client, "generic", "Objekt,Whg,Miete,Miete:")).mappingProfileId).toBeNull();
    expect((await upload(client, "generic")).mappingProfileId).toBe(mappingProfile.id);
    await client.call("deleteImportMappingProfile", { params: { id: mappingProfile.id } });
    expect((await upload(client, "generic")).mappingProfileId).toBeNull();
  });
});
