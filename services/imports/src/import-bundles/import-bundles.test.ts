import { describe, expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../test/support/jobs.ts";
import { anOffice } from "../../../../test/support/office.ts";
import {
  createBundle,
  createReadyBundle,
  csvFile,
  listAllCandidates,
  listEvents,
  listStoredFiles,
  uploadFiles,
  validateBundle,
  waitForBundle,
} from "../../test/bundles.ts";

const office = await anOffice();
const terms = { name: "Migration", provider: "generic" as const, sourceNamespace: "old.system_1-a", sourceAccountLabel: "Main account" };
const properties = csvFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", "P-1,Oak House,7 Oak Street,Albany,NY,12207");

describe("createImportBundle", () => {
  test("creates a draft without files and publishes it", async () => {
    const { importBundle } = await office.call("createImportBundle", { body: terms });
    expect(importBundle).toMatchObject({
      ...terms,
      organizationId: office.organizationId,
      status: "draft",
      progress: { phase: null, processed: 0, total: 0, rowsPerSecond: null, estimatedEndAt: null },
      files: [],
      createdByUserId: office.userId,
      validatedAt: null,
      startedAt: null,
      completedAt: null,
      error: null,
    });
    expect(importBundle.counts).toMatchObject({ ready_create: 0, excluded: 0, byEntity: {} });
    expect(await office.call("getImportBundle", { params: { id: importBundle.id } })).toEqual({ importBundle });
    expect(await listEvents(office, importBundle.id)).toMatchObject([{ type: "import_bundle.status_changed", data: { status: "draft" } }]);
  });

  test.each([
    ["without a name", { name: " " }, "name", "too_short"],
    ["with a name of 161 characters", { name: "x".repeat(161) }, "name", "too_long"],
    ["for an unknown provider", { provider: "yardi" }, "provider", "enum"],
    ["with upper-case letters in its namespace", { sourceNamespace: "Old" }, "sourceNamespace", "format"],
    ["with a namespace of 81 characters", { sourceNamespace: "x".repeat(81) }, "sourceNamespace", "format"],
    ["with an empty namespace", { sourceNamespace: "" }, "sourceNamespace", "format"],
    ["without a label", { sourceAccountLabel: "" }, "sourceAccountLabel", "too_short"],
  ])("refuses a bundle %s", async (_, invalid, path, code) => {
    const { status, body } = await office.attempt("createImportBundle", { body: { ...terms, ...invalid } as typeof terms });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts the maximum lengths, and two bundles of one namespace", async () => {
    const longTerms = { ...terms, name: "x".repeat(160), sourceNamespace: "x".repeat(80) };
    for (let attempt = 0; attempt < 2; attempt++) expect((await office.call("createImportBundle", { body: longTerms })).importBundle).toMatchObject(longTerms);
  });
});

describe("listImportBundles", () => {
  test("filters by provider, status, namespace and text, newest first", async () => {
    const newOffice = await anOffice();
    const [appfolio, buildium] = [await createBundle(newOffice, "appfolio", "first"), await createBundle(newOffice, "buildium", "second")];
    await newOffice.call("cancelImportBundle", { params: { id: buildium.id } });
    const listIds = async (query: Record<string, string>) => (await newOffice.call("listImportBundles", { query })).importBundles.map(({ id }) => id);
    expect(await listIds({})).toEqual([buildium.id, appfolio.id]);
    expect(await listIds({ provider: "appfolio" })).toEqual([appfolio.id]);
    expect(await listIds({ status: "cancelled,ready" })).toEqual([buildium.id]);
    expect(await listIds({ sourceNamespace: "first" })).toEqual([appfolio.id]);
    expect(await listIds({ search: "migra" })).toEqual([buildium.id, appfolio.id]);
    expect(await listIds({ search: "nothing" })).toEqual([]);
  });
});

describe("validateImportBundle", () => {
  test("is refused without files, with an unrecognized file and without a required column, naming file and field", async () => {
    const { id } = await createBundle(office);
    const validate = async () => (await office.attempt("validateImportBundle", { params: { id } })).body;
    expect(await validate()).toMatchObject({ code: "bundle_not_ready", errors: [{ path: "files", code: "required" }] });
    const [unrecognized, incomplete] = await uploadFiles(
      office,
      id,
      csvFile("recipe.csv", "Flour,Sugar,Oven", "500 g,2 spoons,180"),
      csvFile("units.csv", "source_id,property_name,unit_number", "U-1,Oak,1"),
    );
    expect(await validate()).toMatchObject({
      code: "bundle_not_ready",
      errors: [
        { path: `files.${unrecognized!.id}.form`, message: expect.stringContaining("recipe.csv") },
        { path: `files.${incomplete!.id}.mapping`, message: expect.stringMatching(/units\.csv.*monthly_rent or market_rent/) },
      ],
    });
    expect((await office.call("getImportBundle", { params: { id } })).importBundle.status).toBe("draft");
  });

  test("publishes inspecting, mapping, validating and ready", async () => {
    const { id } = await createBundle(office);
    await uploadFiles(office, id, properties);
    const { importBundle } = await office.call("validateImportBundle", { params: { id } });
    expect(importBundle.status).toBe("inspecting");
    const ready = await waitForBundle(office, id, "ready");
    expect(ready).toMatchObject({ progress: { phase: null }, counts: { ready_create: 1, byEntity: { property: { ready_create: 1 } } }, error: null });
    expect(ready.validatedAt).not.toBeNull();
    const events = await listEvents(office, id);
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

  test("can be repeated, and creates the candidates again", async () => {
    const { id } = await createReadyBundle(office, "generic", properties);
    const [first] = await listAllCandidates(office, id);
    await validateBundle(office, id);
    const repeated = await listAllCandidates(office, id);
    expect(repeated).toMatchObject([{ sourceId: "P-1", status: "ready_create" }]);
    expect(repeated[0]!.id).not.toBe(first!.id);
  });

  test("called concurrently is refused while one runs, and creates no candidate twice", async () => {
    const { id } = await createBundle(office);
    await uploadFiles(office, id, properties);
    const responses = await Promise.all(Array.from({ length: 5 }, () => office.attempt("validateImportBundle", { params: { id } })));
    // Another one is accepted when the first has ended.
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { body } of responses.filter(({ status }) => status !== 200)) expect(body).toMatchObject({ code: "invalid_transition" });
    await waitForBundle(office, id, "ready");
    expect(await listAllCandidates(office, id)).toHaveLength(1);
  });

  test("of a cancelled bundle is refused, naming the transition", async () => {
    const { id } = await createBundle(office);
    await office.call("cancelImportBundle", { params: { id } });
    const { status, body } = await office.attempt("validateImportBundle", { params: { id } });
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining("cancelled and cannot become inspecting")]);
  });
});

describe("startImportBundle", () => {
  test("is refused with the next step while the bundle is not ready", async () => {
    const { id } = await createBundle(office);
    const start = async () => (await office.attempt("startImportBundle", { params: { id } })).body;
    expect(await start()).toEqual({ message: "The bundle is draft and cannot be started. Validate it first.", code: "bundle_not_ready" });
    await office.call("cancelImportBundle", { params: { id } });
    expect(await start()).toEqual({ message: "The bundle is cancelled and cannot be started. Create another bundle.", code: "bundle_not_ready" });
  });
});

describe("cancelImportBundle", () => {
  test("cancels a bundle before its writing and deletes its files, once", async () => {
    const newOffice = await anOffice();
    const { id } = await createReadyBundle(newOffice, "generic", properties);
    expect(await listStoredFiles(newOffice.organizationId)).toHaveLength(1);
    const responses = await Promise.all([1, 2].map(() => newOffice.attempt("cancelImportBundle", { params: { id } })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await newOffice.call("getImportBundle", { params: { id } })).importBundle.status).toBe("cancelled");
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([]);
    const refused = await newOffice.attempt("uploadImportFiles", { params: { id }, body: { file: [properties] } });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_transition"]);
  });

  test("stops a validation in progress and discards its results", async () => {
    const { id } = await createBundle(office);
    await uploadFiles(office, id, csvFile("vendors.csv", "source_id,name", ...Array.from({ length: 20_000 }, (_, n) => `V-${n},Vendor ${n}`)));
    await office.call("validateImportBundle", { params: { id } });
    await waitForBundle(office, id, "validating");
    expect((await office.call("cancelImportBundle", { params: { id } })).importBundle.status).toBe("cancelled");
    await waitForIdleJobs("imports", office);
    expect((await office.call("getImportBundle", { params: { id } })).importBundle).toMatchObject({ status: "cancelled", counts: { ready_create: 0 } });
  });
});
