/** Lifecycle of a bulk import: dry run, start, cancellation, access and idempotency. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { listEvents, listStoredFiles } from "../../test/bundles.ts";
import {
  downloadLines,
  listBulkRows,
  listRowErrors,
  runBulkImport,
  sendBulkFile,
  validateBulkImport,
  waitForBulkImport,
  writeBulkImport,
} from "../../test/bulk-imports.ts";

const office = await anOffice();
const header = "name,street_line1,city,state,postal_code";
let propertyCount = 0;
/** Returns lines of new properties. */
const propertyLines = (count: number): string[] =>
  Array.from({ length: count }, () => `House ${String(++propertyCount).padStart(4, "0")},${propertyCount} Elm Street,Albany,NY,12207`);
const countProperties = async () => (await office.call("listProperties")).total;

describe("a dry run", () => {
  test("is the default, stays ready with its rows, and writes nothing until it is started", async () => {
    const before = await countProperties();
    const { body } = await sendBulkFile(office, "properties", [header, ...propertyLines(2), "Nowhere,,Albany,NY,12207"]);
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
    const ready = await waitForBulkImport(office, id, "ready");
    expect(ready).toMatchObject({ totalRows: 3, validRows: 2, errorRows: 1, createdCount: 0, startedAt: null });
    expect(await listBulkRows(office, ready)).toMatchObject([
      { rowNumber: 2, status: "ready_create", errors: [], entityId: null, data: { city: "Albany", state: "NY" } },
      { rowNumber: 3, status: "ready_create" },
      { rowNumber: 4, status: "error", errors: [{ path: "street_line1", code: "required" }] },
    ]);
    expect(await countProperties()).toBe(before);
    const done = await writeBulkImport(office, id);
    expect(done).toMatchObject({ status: "completed_with_errors", validRows: 2, errorRows: 1, createdCount: 2, updatedCount: 0, dryRun: true });
    expect(await countProperties()).toBe(before + 2);
    const rows = await listBulkRows(office, done);
    expect(rows.map(({ status }) => status)).toEqual(["created", "created", "error"]);
    expect((await office.call("getProperty", { params: { id: rows[0]!.entityId! } })).property.name).toBe(rows[0]!.data["name"]);
    expect(await listBulkRows(office, done, { status: "created,unchanged" })).toHaveLength(2);
  });

  test("is skipped with dryRun=false: the rows are written immediately", async () => {
    const bulk = await runBulkImport(office, "properties", [header, ...propertyLines(3)]);
    expect(bulk).toMatchObject({ status: "completed", dryRun: false, createdCount: 3, errorRows: 0 });
    expect(bulk.startedAt).not.toBeNull();
  });

  test("publishes each status once, and its progress", async () => {
    const { id } = await validateBulkImport(office, "properties", [header, ...propertyLines(1)]);
    await writeBulkImport(office, id);
    const events = await listEvents(office, id);
    expect(new Set(events.map(({ entityType }) => entityType))).toEqual(new Set(["bulk_import"]));
    const statuses = events.filter(({ type }) => type === "bulk_import.status_changed").map(({ data }) => data["status"]);
    expect(statuses).toEqual(["validating", "ready", "processing", "completed"]);
    expect(events.some(({ type, data }) => type === "bulk_import.progress" && typeof data["processed"] === "number")).toBe(true);
    expect(events[0]!.audience.roles).toEqual(["admin", "manager"]);
  });
});

describe("startBulkImport", () => {
  test("succeeds once when called concurrently", async () => {
    const before = await countProperties();
    const { id } = await validateBulkImport(office, "properties", [header, ...propertyLines(5)]);
    const responses = await Promise.all([1, 2, 3, 4].map(() => office.attempt("startBulkImport", { params: { id } })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(responses.find(({ status }) => status === 409)!.body).toMatchObject({
      code: "invalid_transition",
      message: expect.stringContaining("cannot become processing"),
    });
    expect(await waitForBulkImport(office, id, "completed")).toMatchObject({ createdCount: 5 });
    expect(await countProperties()).toBe(before + 5);
    const repeatedStart = await office.attempt("startBulkImport", { params: { id } });
    expect([repeatedStart.status, repeatedStart.body.code, repeatedStart.body.message]).toEqual([
      409,
      "invalid_transition",
      "The bulk import is completed and cannot become processing. completed is final.",
    ]);
  });

  test("writes each row once when two imports of the same file are started, and reports the rows of the other", async () => {
    const before = await countProperties();
    const lines = [header, ...propertyLines(4)];
    const [first, second] = await Promise.all([validateBulkImport(office, "properties", lines), validateBulkImport(office, "properties", lines)]);
    expect([first.validRows, second.validRows]).toEqual([4, 4]);
    await Promise.all([first, second].map(({ id }) => office.call("startBulkImport", { params: { id } })));
    const completed = await Promise.all([first, second].map(({ id }) => waitForBulkImport(office, id, "completed", "completed_with_errors")));
    expect(completed.map(({ createdCount }) => createdCount).toSorted((a, b) => a - b)).toEqual([0, 4]);
    expect(await countProperties()).toBe(before + 4);
    const withErrors = completed.find(({ createdCount }) => createdCount === 0)!;
    expect(await listRowErrors(office, withErrors)).toEqual(
      [2, 3, 4, 5].map((row) => expect.stringMatching(new RegExp(`^${row} id unique: Another import has written this row`))),
    );
  });
});

describe("cancelBulkImport", () => {
  test("before the start writes nothing and deletes the file", async () => {
    const newOffice = await anOffice();
    const { id } = await validateBulkImport(newOffice, "properties", [header, ...propertyLines(2)]);
    expect(await listStoredFiles(newOffice.organizationId)).toHaveLength(1);
    const { bulkImport } = await newOffice.call("cancelBulkImport", { params: { id } });
    expect(bulkImport).toMatchObject({ status: "cancelled", createdCount: 0 });
    expect(await listStoredFiles(newOffice.organizationId)).toEqual([]);
    expect((await newOffice.call("listProperties")).total).toBe(0);
    for (const operation of ["startBulkImport", "cancelBulkImport"] as const) {
      const { status, body } = await newOffice.attempt(operation, { params: { id } });
      expect([status, body.code, body.message]).toMatchObject([409, "invalid_transition", expect.stringContaining("cancelled is final")]);
    }
    expect((await listEvents(newOffice, id)).at(-1)).toMatchObject({ type: "bulk_import.status_changed", data: { status: "cancelled" } });
  });

  test("cancels an import right after its upload, and does not change a completed import", async () => {
    const { body } = await sendBulkFile(office, "properties", [header, ...propertyLines(200)]);
    const cancelled = await office.call("cancelBulkImport", { params: { id: body.bulkImport.id } });
    expect(cancelled.bulkImport.status).toBe("cancelled");
    const done = await runBulkImport(office, "properties", [header, ...propertyLines(1)]);
    expect((await office.call("cancelBulkImport", { params: { id: done.id } })).bulkImport).toMatchObject({ status: "completed", createdCount: 1 });
  });

  test("writes all rows or none when called concurrently with a start", async () => {
    const before = await countProperties();
    const { id } = await validateBulkImport(office, "properties", [header, ...propertyLines(3)]);
    await Promise.all([office.attempt("startBulkImport", { params: { id } }), office.attempt("cancelBulkImport", { params: { id } })]);
    const { status, createdCount } = await waitForBulkImport(office, id, "completed", "cancelled");
    expect(createdCount).toBe(status === "completed" ? 3 : 0);
    expect(await countProperties()).toBe(before + createdCount);
  });
});

describe("listBulkImports", () => {
  test("filters by status, type, mode and name, newest first; the operations on bundles do not find bulk imports", async () => {
    const newOffice = await anOffice();
    const properties = await validateBulkImport(newOffice, "properties", [header, ...propertyLines(1)]);
    const vendors = await runBulkImport(newOffice, "vendors", ["name", "Brightwater"], "upsert");
    const listIds = async (query: Record<string, string>) => (await newOffice.call("listBulkImports", { query })).bulkImports.map(({ id }) => id);
    expect(await listIds({})).toEqual([vendors.id, properties.id]);
    expect(await listIds({ status: "ready,failed" })).toEqual([properties.id]);
    expect(await listIds({ status: "completed" })).toEqual([vendors.id]);
    expect(await listIds({ entityType: "vendors,owners" })).toEqual([vendors.id]);
    expect(await listIds({ mode: "create" })).toEqual([properties.id]);
    expect(await listIds({ search: "PROPERT" })).toEqual([properties.id]);
    expect((await newOffice.call("listImportBundles")).total).toBe(0);
    const bundleResponses = [
      await newOffice.attempt("getImportBundle", { params: { id: properties.id } }),
      await newOffice.attempt("startImportBundle", { params: { id: properties.id } }),
      await newOffice.attempt("cancelImportBundle", { params: { id: properties.id } }),
      await newOffice.attempt("validateImportBundle", { params: { id: properties.id } }),
      await newOffice.attempt("listImportCandidates", { params: { id: properties.id } }),
      await newOffice.attempt("resolveImportCandidates", { params: { id: properties.id }, body: { status: ["ready_create"], action: "exclude" } }),
      await newOffice.attempt("getImportFailures", { params: { id: properties.id } }),
    ];
    expect(bundleResponses.map(({ status }) => status)).toEqual(bundleResponses.map(() => 404));
    expect((await newOffice.call("getBulkImport", { params: { id: properties.id } })).bulkImport.status).toBe("ready");
  });

  test("does not return bundles, and the operations on bulk imports do not find bundles", async () => {
    const newOffice = await anOffice();
    const terms = { name: "Migration", provider: "generic" as const, sourceNamespace: "old", sourceAccountLabel: "Old" };
    const { importBundle } = await newOffice.call("createImportBundle", { body: terms });
    expect((await newOffice.call("listBulkImports")).total).toBe(0);
    for (const operation of ["getBulkImport", "startBulkImport", "cancelBulkImport", "listBulkImportRows", "getBulkImportErrors"] as const)
      expect((await newOffice.attempt(operation, { params: { id: importBundle.id } })).status).toBe(404);
  });

  test("is limited to the organization, written by admins and managers, and read by staff", async () => {
    const { id } = await validateBulkImport(office, "properties", [header, ...propertyLines(1)]);
    const [otherOffice, manager, staff] = await Promise.all([anOffice(), office.colleague("manager"), office.colleague("staff")]);
    expect((await otherOffice.call("listBulkImports")).total).toBe(0);
    for (const operation of ["getBulkImport", "startBulkImport", "cancelBulkImport", "listBulkImportRows", "getBulkImportErrors"] as const) {
      expect((await otherOffice.attempt(operation, { params: { id } })).status).toBe(404);
      expect((await staff.attempt(operation, { params: { id } })).status).toBe(operation.startsWith("get") || operation.startsWith("list") ? 200 : 403);
    }
    expect((await staff.call("listBulkImports", { query: { pageSize: 100 } })).bulkImports.map((bulkImport) => bulkImport.id)).toContain(id);
    expect((await sendBulkFile(staff, "properties", [header, ...propertyLines(1)])).status).toBe(403);
    expect(await writeBulkImport(manager, id)).toMatchObject({ status: "completed", createdCount: 1 });
  });
});

test("staff read the rows of tenants without dates of birth and columns that are not recognized", async () => {
  const lines = [
    "full_name,email,date_of_birth,Mother",
    "Ann Able,ann@example.com,1990-02-28,Eve",
    ",nobody@example.com,1991-03-31,Ada",
    "Cy Cole,cy@example.com,31/12/1992,Una",
  ];
  const bulkImport = await validateBulkImport(office, "tenants", lines);
  const staff = await office.colleague("staff");
  const [whole, restricted] = [await listBulkRows(office, bulkImport), await listBulkRows(staff, bulkImport)];
  expect(whole[0]!.data).toMatchObject({ full_name: "Ann Able", date_of_birth: "1990-02-28", extra: { Mother: "Eve" } });
  expect(restricted.map(({ data }) => Object.keys(data).toSorted())).toEqual([["email", "full_name"], ["email"], ["email", "full_name"]]);
  expect([JSON.stringify(whole), JSON.stringify(restricted)]).toEqual([expect.stringContaining("31/12/1992"), expect.not.stringMatching(/199\d|Eve|Ada|Una/)]);
  const path = `/api/bulk-imports/${bulkImport.id}/errors.csv`;
  expect([await downloadLines(office, path), await downloadLines(staff, path)]).toMatchObject([
    ["full_name,email,date_of_birth,Mother,errors", expect.stringContaining("1991-03-31"), expect.stringContaining("31/12/1992")],
    ["full_name,email,errors", expect.not.stringMatching(/1991|Ada/), expect.not.stringMatching(/1992|Una/)],
  ]);
});

test("a start that is repeated with its idempotency key has the response of the first", async () => {
  const { id } = await validateBulkImport(office, "properties", [header, ...propertyLines(1)]);
  const start = () => office.attempt("startBulkImport", { params: { id }, headers: { "Idempotency-Key": `start-${id}` } });
  const first = await start();
  await waitForBulkImport(office, id, "completed", "completed_with_errors");
  const second = await start();
  expect([first.status, second.status, second.headers.get("Idempotent-Replayed")]).toEqual([200, 200, "true"]);
  expect(second.body).toEqual(first.body);
});

test("a file that is sent again with its idempotency key creates one import", async () => {
  const file = new File([`${header}\r\n${propertyLines(1)[0]}\r\n`], "again.csv");
  const sendFile = () => office.attempt("createBulkImport", { body: { entityType: "properties", file }, headers: { "Idempotency-Key": "houses-1" } });
  const [first, second] = [await sendFile(), await sendFile()];
  expect(second.body.bulkImport.id).toBe(first.body.bulkImport.id);
  expect((await office.call("listBulkImports", { query: { search: "again.csv" } })).total).toBe(1);
});
