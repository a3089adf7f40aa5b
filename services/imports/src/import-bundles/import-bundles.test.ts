import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { aBundle, aFile, aReadyBundle, candidatesOf, eventsOf, keptFiles, reaching, upload, validated } from "../../test/bundles.ts";

const office = await anOffice();
const terms = { name: "Migration", provider: "generic" as const, sourceNamespace: "old.system_1-a", sourceAccountLabel: "Main account" };
const properties = aFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", "P-1,Oak House,7 Oak Street,Albany,NY,12207");

describe("createImportBundle", () => {
  test("answers a draft without files, and announces it", async () => {
    const { importBundle } = await office.call("createImportBundle", { body: terms });
    expect(importBundle).toMatchObject({
      ...terms,
      organizationId: office.organizationId,
      status: "draft",
      progress: { phase: null, processed: 0, total: 0 },
      files: [],
      createdByUserId: office.userId,
      validatedAt: null,
      startedAt: null,
      completedAt: null,
      error: null,
    });
    expect(importBundle.counts).toMatchObject({ ready_create: 0, excluded: 0, byEntity: {} });
    expect(await office.call("getImportBundle", { params: { id: importBundle.id } })).toEqual({ importBundle });
    expect(await eventsOf(office, importBundle.id)).toMatchObject([{ type: "import_bundle.status_changed", data: { status: "draft" } }]);
  });

  test.each([
    ["without a name", { name: " " }, "name", "too_short"],
    ["with a name of 161 characters", { name: "x".repeat(161) }, "name", "too_long"],
    ["of a system that nobody reads", { provider: "yardi" }, "provider", "enum"],
    ["with capitals in its namespace", { sourceNamespace: "Old" }, "sourceNamespace", "format"],
    ["with a namespace of 81 characters", { sourceNamespace: "x".repeat(81) }, "sourceNamespace", "format"],
    ["with an empty namespace", { sourceNamespace: "" }, "sourceNamespace", "format"],
    ["without a label", { sourceAccountLabel: "" }, "sourceAccountLabel", "too_short"],
  ])("refuses one %s", async (_, wrong, path, code) => {
    const { status, body } = await office.attempt("createImportBundle", { body: { ...terms, ...wrong } as typeof terms });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("takes a name and a namespace as long as they may be, and two bundles of one namespace", async () => {
    const long = { ...terms, name: "x".repeat(160), sourceNamespace: "x".repeat(80) };
    for (let time = 0; time < 2; time++) expect((await office.call("createImportBundle", { body: long })).importBundle).toMatchObject(long);
  });
});

describe("listImportBundles", () => {
  test("finds bundles by provider, status, namespace and words, the newest first", async () => {
    const mine = await anOffice();
    const [one, two] = [await aBundle(mine, "appfolio", "here"), await aBundle(mine, "buildium", "there")];
    await mine.call("cancelImportBundle", { params: { id: two.id } });
    const found = async (query: Record<string, string>) => (await mine.call("listImportBundles", { query })).importBundles.map(({ id }) => id);
    expect(await found({})).toEqual([two.id, one.id]);
    expect(await found({ provider: "appfolio" })).toEqual([one.id]);
    expect(await found({ status: "cancelled,ready" })).toEqual([two.id]);
    expect(await found({ sourceNamespace: "here" })).toEqual([one.id]);
    expect(await found({ search: "migra" })).toEqual([two.id, one.id]);
    expect(await found({ search: "nothing" })).toEqual([]);
  });
});

describe("validateImportBundle", () => {
  test("is refused without a file, without a known form and without a required column, naming file and field", async () => {
    const { id } = await aBundle(office);
    const attempt = async () => (await office.attempt("validateImportBundle", { params: { id } })).body;
    expect(await attempt()).toMatchObject({ code: "bundle_not_ready", errors: [{ path: "files", code: "required" }] });
    const [odd, short] = await upload(
      office,
      id,
      aFile("recipe.csv", "Flour,Sugar,Oven", "500 g,2 spoons,180"),
      aFile("units.csv", "source_id,property_name,unit_number", "U-1,Oak,1"),
    );
    expect(await attempt()).toMatchObject({
      code: "bundle_not_ready",
      errors: [
        { path: `files.${odd!.id}.form`, message: expect.stringContaining("recipe.csv") },
        { path: `files.${short!.id}.mapping`, message: expect.stringMatching(/units\.csv.*monthly_rent or market_rent/) },
      ],
    });
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.status).toBe("draft");
  });

  test("goes over inspecting, mapping and validating to ready, and says so on its way", async () => {
    const { id } = await aBundle(office);
    await upload(office, id, properties);
    const { importBundle } = await office.call("validateImportBundle", { params: { id } });
    expect(importBundle.status).toBe("inspecting");
    const ready = await reaching(office, id, "ready");
    expect(ready).toMatchObject({ progress: { phase: null }, counts: { ready_create: 1, byEntity: { property: { ready_create: 1 } } }, error: null });
    expect(ready.validatedAt).not.toBeNull();
    const events = await eventsOf(office, id);
    expect(events.flatMap(({ type, data }) => (type === "import_bundle.status_changed" ? [data["status"]] : []))).toEqual([
      "draft",
      "inspecting",
      "mapping",
      "validating",
      "ready",
    ]);
    expect(events.some(({ type }) => type === "import_bundle.progress")).toBe(true);
    expect(events.every(({ audience }) => audience.roles.every((role) => role === "admin" || role === "manager"))).toBe(true);
  });

  test("can be repeated, and makes the candidates anew", async () => {
    const { id } = await aReadyBundle(office, "generic", properties);
    const [first] = await candidatesOf(office, id);
    await validated(office, id);
    const again = await candidatesOf(office, id);
    expect(again).toMatchObject([{ sourceId: "P-1", status: "ready_create" }]);
    expect(again[0]!.id).not.toBe(first!.id);
  });

  test("happens once when many ask at the same moment", async () => {
    const { id } = await aBundle(office);
    await upload(office, id, properties);
    const answers = await Promise.all(Array.from({ length: 5 }, () => office.attempt("validateImportBundle", { params: { id } })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { body } of answers.filter(({ status }) => status !== 200)) expect(body).toMatchObject({ code: "invalid_transition" });
    await reaching(office, id, "ready");
    expect(await candidatesOf(office, id)).toHaveLength(1);
  });

  test("of a cancelled bundle is refused, naming the move", async () => {
    const { id } = await aBundle(office);
    await office.call("cancelImportBundle", { params: { id } });
    const { status, body } = await office.attempt("validateImportBundle", { params: { id } });
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining("cancelled and cannot become inspecting")]);
  });
});

describe("startImportBundle", () => {
  test("of a bundle that cannot be started says what is to be done", async () => {
    const { id } = await aBundle(office);
    const start = async () => (await office.attempt("startImportBundle", { params: { id } })).body;
    expect(await start()).toEqual({ message: "The bundle is draft and cannot be started. Validate it first.", code: "bundle_not_ready" });
    await office.call("cancelImportBundle", { params: { id } });
    expect(await start()).toEqual({ message: "The bundle is cancelled and cannot be started. Create another bundle.", code: "bundle_not_ready" });
  });
});

describe("cancelImportBundle", () => {
  test("ends a bundle in any state before writing, lets its files go, and happens once", async () => {
    const mine = await anOffice();
    const { id } = await aReadyBundle(mine, "generic", properties);
    expect(await keptFiles(mine.organizationId)).toHaveLength(1);
    const answers = await Promise.all([1, 2].map(() => mine.attempt("cancelImportBundle", { params: { id } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await mine.call("getImportBundle", { params: { id } })).importBundle.status).toBe("cancelled");
    expect(await keptFiles(mine.organizationId)).toEqual([]);
    const refused = await mine.attempt("uploadImportFiles", { params: { id }, body: { file: [properties] } });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_transition"]);
  });

  test("stops a validation that is under way, and what it finds stays unknown", async () => {
    const { id } = await aBundle(office);
    await upload(office, id, aFile("vendors.csv", "source_id,name", ...Array.from({ length: 20_000 }, (_, at) => `V-${at},Vendor ${at}`)));
    await office.call("validateImportBundle", { params: { id } });
    await reaching(office, id, "validating");
    expect((await office.call("cancelImportBundle", { params: { id } })).importBundle.status).toBe("cancelled");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await office.call("getImportBundle", { params: { id } })).importBundle).toMatchObject({ status: "cancelled", counts: { ready_create: 0 } });
  });
});
