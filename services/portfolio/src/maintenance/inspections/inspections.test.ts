import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, anInspection, aLease, createLeaseReferences, aProperty, aUnit, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);
const { propertyId, unitId } = references;
const minimalRequest = { propertyId, type: "routine" as const, scheduledAt: "2026-12-01T15:00:00.000Z" };
const create = (terms: object, headers: Record<string, string> = {}) => office.attempt("createInspection", { body: { ...minimalRequest, ...terms }, headers });
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateInspection", { params: { id }, body, headers });
const list = async (query: Record<string, string>, client = office) => (await client.call("listInspections", { query })).inspections.map(({ id }) => id);

describe("createInspection", () => {
  test("returns a scheduled inspection with defaults", async () => {
    const { body } = await create({});
    const { inspection } = body;
    expect(inspection).toEqual({
      ...minimalRequest,
      id: expect.any(String),
      organizationId: office.organizationId,
      propertyName: "Elm Court",
      unitId: null,
      unitNumber: null,
      leaseId: null,
      status: "scheduled",
      templateId: null,
      startedAt: null,
      completedAt: null,
      cancelledAt: null,
      cancelReason: null,
      inspectorUserId: null,
      summary: null,
      areas: [],
      signatures: [],
      createdByUserId: office.userId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await office.call("getInspection", { params: { id: inspection.id } })).toEqual({ inspection, documents: [] });
    expect(await findOutboxEvents(office, inspection.id)).toMatchObject([
      {
        type: "inspection.created",
        data: { propertyId, unitId: null, leaseId: null, type: "routine", status: "scheduled" },
        audience: { tenantIds: [], ownerIds: [] },
      },
    ]);
  });

  test("copies the areas of a template", async () => {
    const areas = [
      { name: "Kitchen", items: [{ name: "Oven" }, { name: "Sink" }] },
      { name: "Hall", items: [] },
    ];
    const { inspectionTemplate } = await office.call("createInspectionTemplate", { body: { name: "Small flat", areas } });
    const { inspection } = (await create({ templateId: inspectionTemplate.id })).body;
    expect(inspection).toMatchObject({ templateId: inspectionTemplate.id, areas: [{ name: "Kitchen" }, { name: "Hall", items: [] }] });
    expect(inspection.areas[0]!.items).toEqual(
      ["Oven", "Sink"].map((name) => ({
        id: expect.any(String),
        name,
        condition: "not_inspected",
        note: null,
        documentIds: [],
        workOrderId: null,
        estimatedCostCents: null,
      })),
    );
    await office.call("updateInspectionTemplate", { params: { id: inspectionTemplate.id }, body: { areas: [] } });
    await office.call("deleteInspectionTemplate", { params: { id: inspectionTemplate.id } });
    expect((await office.call("getInspection", { params: { id: inspection.id } })).inspection).toEqual(inspection);
    expect((await create({ templateId: inspectionTemplate.id })).body.errors).toMatchObject([{ path: "templateId", code: "not_found" }]);
  });

  test.each([
    ["areas with conditions", { areas: [{ name: "Hall", items: [{ name: "Door", condition: "damaged", note: "Dent", estimatedCostCents: 0 }] }] }],
    ["a summary of 8000 characters", { summary: "x".repeat(8_000) }],
    ["a schedule in the past", { type: "move_in", scheduledAt: "2020-02-29T12:00:00.000Z" }],
    ["an inspector", { type: "annual", inspectorUserId: office.userId }],
    ["a name of 120 characters", { areas: [{ name: "x".repeat(120), items: [] }] }],
    ["null for every nullable member", { unitId: null, leaseId: null, inspectorUserId: null, summary: null }],
  ])("accepts %s", async (_, terms) => {
    const { status, body } = await create(terms);
    expect([status, body.inspection]).toMatchObject([200, terms]);
  });

  const items = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `Thing ${n}` }));
  test.each([
    ["an unknown type", { type: "weekly" }, "type", "enum"],
    ["a day without a time", { scheduledAt: "2026-12-01" }, "scheduledAt", "format"],
    ["a summary of 8001 characters", { summary: "x".repeat(8_001) }, "summary", "too_long"],
    ["an area without a name", { areas: [{ name: " ", items: [] }] }, "areas.0.name", "too_short"],
    ["an area name of 121 characters", { areas: [{ name: "x".repeat(121), items: [] }] }, "areas.0.name", "too_long"],
    ["101 areas", { areas: items(101).map((area) => ({ ...area, items: [] })) }, "areas", "too_long"],
    ["201 items in an area", { areas: [{ name: "Hall", items: items(201) }] }, "areas.0.items", "too_long"],
    ["an unknown condition", { areas: [{ name: "Hall", items: [{ name: "Door", condition: "so so" }] }] }, "areas.0.items.0.condition", "enum"],
    ["a negative estimate", { areas: [{ name: "Hall", items: [{ name: "Door", estimatedCostCents: -1 }] }] }, "areas.0.items.0.estimatedCostCents", "min"],
    [
      "two areas of the same name",
      {
        areas: [
          { name: "Hall", items: [] },
          { name: "HALL", items: [] },
        ],
      },
      "areas.1.name",
      "unique",
    ],
    ["an area id", { areas: [{ id: unknownId(), name: "Hall", items: [] }] }, "areas.0.id", "not_found"],
    ["an unknown document", { areas: [{ name: "Hall", items: [{ name: "Door", documentIds: [unknownId()] }] }] }, "areas.0.items.0.documentIds.0", "not_found"],
    ["areas together with a template", { templateId: unknownId(), areas: [] }, "areas", "not_allowed"],
    ["an unknown template", { templateId: unknownId() }, "templateId", "not_found"],
    ["an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["an unknown unit", { unitId: unknownId() }, "unitId", "not_found"],
    ["an unknown lease", { leaseId: unknownId() }, "leaseId", "not_found"],
    ["an unknown inspector", { inspectorUserId: unknownId() }, "inspectorUserId", "not_found"],
    ["an inspector of another organization", { inspectorUserId: otherOffice.userId }, "inspectorUserId", "not_found"],
    ["a status", { status: "completed" }, "status", "unrecognized_key"],
    ["signatures", { signatures: [] }, "signatures", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await create(terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("takes the unit from the lease and names the field of an inconsistent location", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [lease, neighbour, otherReferences] = await Promise.all([
      aLease(office, ownReferences),
      aUnit(office, ownReferences.propertyId),
      createLeaseReferences(office),
    ]);
    const createAt = (terms: object) => create({ propertyId: ownReferences.propertyId, ...terms });
    expect((await createAt({ leaseId: lease.id })).body.inspection).toMatchObject({
      propertyId: ownReferences.propertyId,
      unitId: ownReferences.unitId,
      leaseId: lease.id,
    });
    const mismatches = async (terms: object) => (await createAt(terms)).body.errors?.map(({ path, code }) => `${path} ${code}`);
    expect(await mismatches({ unitId: otherReferences.unitId })).toEqual(["unitId mismatch"]);
    expect(await mismatches({ propertyId: otherReferences.propertyId, leaseId: lease.id, unitId: null })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ unitId: neighbour.id, leaseId: lease.id })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ propertyId: otherReferences.propertyId, unitId: ownReferences.unitId, leaseId: lease.id })).toEqual([
      "unitId mismatch",
      "leaseId mismatch",
    ]);
  });

  test("is idempotent under the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const [first, second] = [await create({}, headers), await create({}, headers)];
    expect([second.text, second.headers.get("Idempotent-Replayed")]).toEqual([first.text, "true"]);
  });

  test("is allowed for staff, but not for portal users or for a property of another organization", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createInspection", { body: minimalRequest })).status).toBe(200);
    const tenant = await office.tenantUser(references.tenantId);
    for (const { status, body } of [await tenant.attempt("createInspection", { body: minimalRequest }), await tenant.attempt("listInspections")])
      expect([status, body.code]).toEqual([403, "role_forbidden"]);
    expect((await otherOffice.attempt("createInspection", { body: minimalRequest })).body.errors).toMatchObject([{ path: "propertyId", code: "not_found" }]);
  });

  test("never leaves an open inspection of a concurrently deleted property", async () => {
    const attempts = Array.from({ length: 6 }, async () => {
      const { id } = await aProperty(office);
      const [created, deleted] = await Promise.all([create({ propertyId: id }), office.attempt("deleteProperty", { params: { id } })]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([created.status, deleted.status]);
    });
    await Promise.all(attempts);
  });

  test("prevents the deletion of its unit until the inspection is cancelled", async () => {
    const unit = await aUnit(office, propertyId);
    const inspection = await anInspection(office, { propertyId, unitId: unit.id });
    const remove = () => office.attempt("deleteUnit", { params: { id: unit.id } });
    const rejected = await remove();
    expect([rejected.status, rejected.body.code, rejected.body.message]).toEqual([409, "resource_in_use", expect.stringContaining("inspection")]);
    await office.call("cancelInspection", { params: { id: inspection.id }, body: {} });
    expect((await remove()).status).toBe(200);
  });
});

describe("listInspections", () => {
  test("filters by location, lease, type, status, inspector and text", async () => {
    const ownReferences = await createLeaseReferences(office);
    const draft = await aDraftLease(office, ownReferences);
    const lighthouse = await aProperty(office, { name: "Lighthouse 7" });
    const [first, second] = await Promise.all([
      anInspection(office, { propertyId: ownReferences.propertyId, leaseId: draft.id, type: "move_in", inspectorUserId: office.userId }),
      anInspection(office, { propertyId: lighthouse.id, type: "annual", summary: "The foghorn is 100% broken" }),
    ]);
    await office.call("startInspection", { params: { id: second.id } });
    const { propertyId } = ownReferences;
    const ofProperty = { propertyId };
    expect(await list(ofProperty)).toEqual([first.id]);
    for (const query of [
      { unitId: ownReferences.unitId },
      { leaseId: draft.id },
      { ...ofProperty, type: "move_in,move_out" },
      { ...ofProperty, status: "scheduled" },
      { ...ofProperty, inspectorUserId: office.userId },
    ])
      expect([query, await list(query)]).toEqual([query, [first.id]]);
    for (const query of [{ ...ofProperty, type: "annual" }, { ...ofProperty, status: "in_progress,completed" }, { unitId: unknownId() }])
      expect(await list(query)).toEqual([]);
    for (const search of ["lighthouse", "FOGHORN", "100%"]) expect([search, await list({ search })]).toEqual([search, [second.id]]);
    expect(await list({ search: "100% b_oken" })).toEqual([]);
    expect(await list({ propertyId: lighthouse.id, status: "in_progress" })).toEqual([second.id]);
    expect(await list({ propertyId }, otherOffice)).toEqual([]);
  });

  test("includes the days of scheduledAfter and scheduledBefore, in the organization's time zone", async () => {
    const property = await aProperty(office);
    const createAt = async (scheduledAt: string) => (await anInspection(office, { propertyId: property.id, scheduledAt })).id;
    // New York is five hours behind UTC: its December 1 lasts from 05:00 UTC to 05:00 UTC of the next day.
    const [before, first, last, after] = [
      await createAt("2026-12-01T04:59:59.999Z"),
      await createAt("2026-12-01T05:00:00.000Z"),
      await createAt("2026-12-02T04:59:59.999Z"),
      await createAt("2026-12-02T05:00:00.000Z"),
    ];
    const listAscending = (query: Record<string, string>) => list({ propertyId: property.id, sortDirection: "asc", ...query });
    expect(await listAscending({ scheduledAfter: "2026-12-01", scheduledBefore: "2026-12-01" })).toEqual([first, last]);
    expect(await listAscending({ scheduledAfter: "2026-12-02" })).toEqual([after]);
    expect(await listAscending({ scheduledBefore: "2026-11-30" })).toEqual([before]);
    expect(await list({ propertyId: property.id })).toEqual([after, last, first, before]);
  });

  test("sorts by status and pages without duplicates", async () => {
    const property = await aProperty(office);
    const inspections = [
      await anInspection(office, { propertyId: property.id }),
      await anInspection(office, { propertyId: property.id }),
      await anInspection(office, { propertyId: property.id }),
    ];
    await office.call("cancelInspection", { params: { id: inspections[0]!.id }, body: {} });
    await office.call("startInspection", { params: { id: inspections[1]!.id } });
    const query = { propertyId: property.id, sortBy: "status", sortDirection: "asc", pageSize: 2 };
    const [first, second] = [await office.call("listInspections", { query }), await office.call("listInspections", { query: { ...query, page: 2 } })];
    expect([...first.inspections, ...second.inspections].map(({ status }) => status)).toEqual(["scheduled", "in_progress", "cancelled"]);
    expect([first.total, first.totalPages]).toEqual([3, 2]);
  });

  test("filters by updatedAfter", async () => {
    const property = await aProperty(office);
    const [first, second] = [await anInspection(office, { propertyId: property.id }), await anInspection(office, { propertyId: property.id })];
    await update(first.id, { summary: "Later" });
    expect(await list({ propertyId: property.id, updatedAfter: second.updatedAt })).toEqual([first.id]);
  });
});

describe("getInspection", () => {
  test("returns the documents of the inspection, and 404 to another organization", async () => {
    const { id } = await anInspection(office, { propertyId });
    const entity = { entityType: "inspection" as const, entityId: id };
    const { document } = await office.call("uploadDocument", { body: { file: new File(["Signed."], "report.txt"), ...entity } });
    expect((await office.call("getInspection", { params: { id } })).documents).toEqual([document]);
    expect((await office.call("listDocuments", { query: entity })).documents).toEqual([document]);
    const foreign = await otherOffice.attempt("uploadDocument", { body: { file: new File(["Signed."], "report.txt"), ...entity } });
    expect([foreign.status, foreign.body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found" }]]);
    expect((await otherOffice.attempt("getInspection", { params: { id } })).status).toBe(404);
  });
});

describe("updateInspection", () => {
  test("updates only the members that are sent", async () => {
    const before = await anInspection(office, { propertyId, summary: "Bring a ladder" });
    const [staff, unit] = await Promise.all([office.colleague("staff"), aUnit(office, propertyId, { unitNumber: "9 Z" })]);
    const changes = { type: "annual" as const, scheduledAt: "2026-12-24T12:00:00.000Z", inspectorUserId: staff.userId, summary: null, unitId: unit.id };
    const { inspection } = await staff.call("updateInspection", { params: { id: before.id }, body: changes });
    expect(inspection).toEqual({ ...before, ...changes, unitNumber: "9 Z", updatedAt: inspection.updatedAt });
    expect((await findOutboxEvents(office, before.id)).at(-1)).toMatchObject({
      type: "inspection.updated",
      actorUserId: staff.userId,
      data: { unitId: unit.id, type: "annual" },
    });
  });

  test("validates the resulting location as a whole, and rejects members that cannot be updated", async () => {
    const otherReferences = await createLeaseReferences(office);
    const { id } = await anInspection(office, { propertyId, unitId });
    expect((await update(id, { propertyId: otherReferences.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(id, { propertyId: otherReferences.propertyId, unitId: otherReferences.unitId })).status).toBe(200);
    expect((await update(id, { leaseId: unknownId() })).body.errors).toMatchObject([{ path: "leaseId", code: "not_found" }]);
    expect((await update(id, { inspectorUserId: unknownId() })).body.errors).toMatchObject([{ path: "inspectorUserId", code: "not_found" }]);
    for (const member of ["status", "areas", "signatures", "completedAt", "templateId"])
      expect((await update(id, { [member]: null })).body.errors).toMatchObject([{ path: member, code: "unrecognized_key" }]);
    expect((await update(id, { type: null })).body.errors).toMatchObject([{ path: "type", code: "enum" }]);
  });

  test("rejects a change of location when an item has a work order", async () => {
    const { id, areas } = await anInspection(office, { propertyId, unitId });
    await office.call("createInspectionItemWorkOrder", { params: { id, itemId: areas[0]!.items[0]!.id }, body: {} });
    const rejected = await update(id, { unitId: null });
    expect([rejected.status, rejected.body.code]).toEqual([409, "resource_in_use"]);
    expect((await update(id, { propertyId, unitId, summary: "Same place" })).status).toBe(200);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await anInspection(office, { propertyId });
    const { headers } = await office.attempt("getInspection", { params: { id } });
    const change = () => update(id, { summary: "Bring a ladder" }, { "If-Match": headers.get("ETag")! });
    const [first, second] = [await change(), await change()];
    expect([first.status, second.status, second.body.code]).toEqual([200, 412, "version_conflict"]);
  });
});
