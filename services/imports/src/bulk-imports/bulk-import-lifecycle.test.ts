/** A bulk import from its file to its end: what waits, what is written, who may, and what is refused. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { eventsOf, keptFiles } from "../../test/bundles.ts";
import { arriving, errorsOf, imported, judged, rowsOf, send, started } from "../../test/bulk-imports.ts";

const office = await anOffice();
const header = "name,street_line1,city,state,postal_code";
let made = 0;
/** So many houses that nobody has. */
const houses = (count: number): string[] => Array.from({ length: count }, () => `House ${String(++made).padStart(4, "0")},${made} Elm Street,Albany,NY,12207`);
const total = async () => (await office.call("listProperties")).total;

describe("a dry run", () => {
  test("is what is asked for unless it says otherwise, waits as ready with its rows, and writes nothing", async () => {
    const before = await total();
    const { body } = await send(office, "properties", [header, ...houses(2), "Nowhere,,Albany,NY,12207"]);
    const { id } = body.bulkImport;
    expect(body.bulkImport).toMatchObject({
      organizationId: office.organizationId,
      entityType: "properties",
      mode: "create",
      dryRun: true,
      fileName: "properties.csv",
      status: "validating",
      totalRows: 3,
      validRows: 0,
      errorRows: 0,
      createdByUserId: office.userId,
      startedAt: null,
      completedAt: null,
      error: null,
      unmappedColumns: [],
    });
    const ready = await arriving(office, id, "ready");
    expect(ready).toMatchObject({ totalRows: 3, validRows: 2, errorRows: 1, createdCount: 0, startedAt: null });
    expect(await rowsOf(office, ready)).toMatchObject([
      { rowNumber: 2, status: "ready_create", errors: [], entityId: null, data: { city: "Albany", state: "NY" } },
      { rowNumber: 3, status: "ready_create" },
      { rowNumber: 4, status: "error", errors: [{ path: "street_line1", code: "required" }] },
    ]);
    expect(await total()).toBe(before);
    const done = await started(office, id);
    expect(done).toMatchObject({ status: "completed_with_errors", validRows: 2, errorRows: 1, createdCount: 2, updatedCount: 0, dryRun: true });
    expect(await total()).toBe(before + 2);
    const rows = await rowsOf(office, done);
    expect(rows.map(({ status }) => status)).toEqual(["created", "created", "error"]);
    expect((await office.call("getProperty", { params: { id: rows[0]!.entityId! } })).property.name).toBe(rows[0]!.data["name"]);
    expect(await rowsOf(office, done, { status: "created,unchanged" })).toHaveLength(2);
  });

  test("that is not asked for is written at once", async () => {
    const bulk = await imported(office, "properties", [header, ...houses(3)]);
    expect(bulk).toMatchObject({ status: "completed", dryRun: false, createdCount: 3, errorRows: 0 });
    expect(bulk.startedAt).not.toBeNull();
  });

  test("tells every step on the stream, each once", async () => {
    const { id } = await judged(office, "properties", [header, ...houses(1)]);
    await started(office, id);
    const events = await eventsOf(office, id);
    expect(new Set(events.map(({ entityType }) => entityType))).toEqual(new Set(["bulk_import"]));
    const steps = events.filter(({ type }) => type === "bulk_import.status_changed").map(({ data }) => data["status"]);
    expect(steps).toEqual(["validating", "ready", "processing", "completed"]);
    expect(events.some(({ type, data }) => type === "bulk_import.progress" && typeof data["processed"] === "number")).toBe(true);
    expect(events[0]!.audience.roles).toEqual(["admin", "manager"]);
  });
});

describe("starting", () => {
  test("twice at once has one winner, and the rows are there once", async () => {
    const before = await total();
    const { id } = await judged(office, "properties", [header, ...houses(5)]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => office.attempt("startBulkImport", { params: { id } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      code: "invalid_transition",
      message: expect.stringContaining("cannot become processing"),
    });
    expect(await arriving(office, id, "completed")).toMatchObject({ createdCount: 5 });
    expect(await total()).toBe(before + 5);
    const again = await office.attempt("startBulkImport", { params: { id } });
    expect([again.status, again.body.code, again.body.message]).toEqual([
      409,
      "invalid_transition",
      "The bulk import is completed and cannot become processing. completed is final.",
    ]);
  });

  test("two imports of one file writes each row once: the later one says what the earlier wrote", async () => {
    const before = await total();
    const lines = [header, ...houses(4)];
    const [one, two] = await Promise.all([judged(office, "properties", lines), judged(office, "properties", lines)]);
    expect([one.validRows, two.validRows]).toEqual([4, 4]);
    await Promise.all([one, two].map(({ id }) => office.call("startBulkImport", { params: { id } })));
    const ended = await Promise.all([one, two].map(({ id }) => arriving(office, id, "completed", "completed_with_errors")));
    expect(ended.map(({ createdCount }) => createdCount).toSorted((a, b) => a - b)).toEqual([0, 4]);
    expect(await total()).toBe(before + 4);
    const late = ended.find(({ createdCount }) => createdCount === 0)!;
    expect(await errorsOf(office, late)).toEqual(
      [2, 3, 4, 5].map((row) => expect.stringMatching(new RegExp(`^${row} id unique: Another import has written this row`))),
    );
  });
});

describe("cancelling", () => {
  test("before anything is written leaves nothing, not even the file", async () => {
    const mine = await anOffice();
    const { id } = await judged(mine, "properties", [header, ...houses(2)]);
    expect(await keptFiles(mine.organizationId)).toHaveLength(1);
    const { bulkImport } = await mine.call("cancelBulkImport", { params: { id } });
    expect(bulkImport).toMatchObject({ status: "cancelled", createdCount: 0 });
    expect(await keptFiles(mine.organizationId)).toEqual([]);
    expect((await mine.call("listProperties")).total).toBe(0);
    for (const operation of ["startBulkImport", "cancelBulkImport"] as const) {
      const { status, body } = await mine.attempt(operation, { params: { id } });
      expect([status, body.code, body.message]).toMatchObject([409, "invalid_transition", expect.stringContaining("cancelled is final")]);
    }
    expect((await eventsOf(mine, id)).at(-1)).toMatchObject({ type: "bulk_import.status_changed", data: { status: "cancelled" } });
  });

  test("what is judged stops that, and what is written changes nothing", async () => {
    const { body } = await send(office, "properties", [header, ...houses(200)]);
    const cancelled = await office.call("cancelBulkImport", { params: { id: body.bulkImport.id } });
    expect(cancelled.bulkImport.status).toBe("cancelled");
    const done = await imported(office, "properties", [header, ...houses(1)]);
    expect((await office.call("cancelBulkImport", { params: { id: done.id } })).bulkImport).toMatchObject({ status: "completed", createdCount: 1 });
  });

  test("and starting at once end in one of the two", async () => {
    const before = await total();
    const { id } = await judged(office, "properties", [header, ...houses(3)]);
    await Promise.all([office.attempt("startBulkImport", { params: { id } }), office.attempt("cancelBulkImport", { params: { id } })]);
    const { status, createdCount } = await arriving(office, id, "completed", "cancelled");
    expect(createdCount).toBe(status === "completed" ? 3 : 0);
    expect(await total()).toBe(before + createdCount);
  });
});

describe("a list of bulk imports", () => {
  test("is narrowed by status, type, mode and name, the newest first; bundles know nothing of them", async () => {
    const mine = await anOffice();
    const one = await judged(mine, "properties", [header, ...houses(1)]);
    const two = await imported(mine, "vendors", ["name", "Brightwater"], "upsert");
    const found = async (query: Record<string, string>) => (await mine.call("listBulkImports", { query })).bulkImports.map(({ id }) => id);
    expect(await found({})).toEqual([two.id, one.id]);
    expect(await found({ status: "ready,failed" })).toEqual([one.id]);
    expect(await found({ status: "completed" })).toEqual([two.id]);
    expect(await found({ entityType: "vendors,owners" })).toEqual([two.id]);
    expect(await found({ mode: "create" })).toEqual([one.id]);
    expect(await found({ search: "PROPERT" })).toEqual([one.id]);
    expect((await mine.call("listImportBundles")).total).toBe(0);
    const asBundle = [
      await mine.attempt("getImportBundle", { params: { id: one.id } }),
      await mine.attempt("startImportBundle", { params: { id: one.id } }),
      await mine.attempt("cancelImportBundle", { params: { id: one.id } }),
      await mine.attempt("validateImportBundle", { params: { id: one.id } }),
      await mine.attempt("listImportCandidates", { params: { id: one.id } }),
      await mine.attempt("resolveImportCandidates", { params: { id: one.id }, body: { status: ["ready_create"], action: "exclude" } }),
      await mine.attempt("getImportFailures", { params: { id: one.id } }),
    ];
    expect(asBundle.map(({ status }) => status)).toEqual(asBundle.map(() => 404));
    expect((await mine.call("getBulkImport", { params: { id: one.id } })).bulkImport.status).toBe("ready");
  });

  test("has no bundle in it, and a bundle is no bulk import", async () => {
    const mine = await anOffice();
    const terms = { name: "Migration", provider: "generic" as const, sourceNamespace: "old", sourceAccountLabel: "Old" };
    const { importBundle } = await mine.call("createImportBundle", { body: terms });
    expect((await mine.call("listBulkImports")).total).toBe(0);
    for (const operation of ["getBulkImport", "startBulkImport", "cancelBulkImport", "listBulkImportRows", "getBulkImportErrors"] as const)
      expect((await mine.attempt(operation, { params: { id: importBundle.id } })).status).toBe(404);
  });

  test("shows nothing of another organization, and nobody but admins and managers", async () => {
    const { id } = await judged(office, "properties", [header, ...houses(1)]);
    const [other, manager, staff] = await Promise.all([anOffice(), office.colleague("manager"), office.colleague("staff")]);
    expect((await other.call("listBulkImports")).total).toBe(0);
    for (const operation of ["getBulkImport", "startBulkImport", "cancelBulkImport", "listBulkImportRows", "getBulkImportErrors"] as const) {
      expect((await other.attempt(operation, { params: { id } })).status).toBe(404);
      expect((await staff.attempt(operation, { params: { id } })).status).toBe(403);
    }
    expect((await send(staff, "properties", [header, ...houses(1)])).status).toBe(403);
    expect(await started(manager, id)).toMatchObject({ status: "completed", createdCount: 1 });
  });
});

test("a file that is sent again with its key is one import", async () => {
  const file = new File([`${header}\r\n${houses(1)[0]}\r\n`], "again.csv");
  const sending = () => office.attempt("createBulkImport", { body: { entityType: "properties", file }, headers: { "Idempotency-Key": "houses-1" } });
  const [first, second] = [await sending(), await sending()];
  expect(second.body.bulkImport.id).toBe(first.body.bulkImport.id);
  expect((await office.call("listBulkImports", { query: { search: "again.csv" } })).total).toBe(1);
});
