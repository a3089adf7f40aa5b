import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { anInspection, aProperty } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const property = await aProperty(office);

type Status = "scheduled" | "in_progress" | "completed" | "cancelled";
const start = (id: string) => office.attempt("startInspection", { params: { id } });
const complete = (id: string, body: object = {}) => office.attempt("completeInspection", { params: { id }, body: { allowNotInspected: true, ...body } });
const cancel = (id: string, body: object = {}) => office.attempt("cancelInspection", { params: { id }, body });
const to = { in_progress: start, completed: complete, cancelled: cancel };

/** Transitions that lead to a status. */
const paths: Record<Status, (keyof typeof to)[]> = {
  scheduled: [],
  in_progress: ["in_progress"],
  completed: ["in_progress", "completed"],
  cancelled: ["cancelled"],
};
async function anInspectionWithStatus(status: Status): Promise<string> {
  const { id } = await anInspection(office, { propertyId: property.id });
  for (const next of paths[status]) expect((await to[next](id)).status).toBe(200);
  return id;
}
const read = async (id: string) => (await office.call("getInspection", { params: { id } })).inspection;

describe("an inspection", () => {
  test.each([
    ["scheduled", "in_progress", "startedAt", "inspection.started"],
    ["in_progress", "completed", "completedAt", "inspection.completed"],
    ["scheduled", "cancelled", "cancelledAt", "inspection.cancelled"],
    ["in_progress", "cancelled", "cancelledAt", "inspection.cancelled"],
  ] as const)("moves from %s to %s, sets the timestamp and publishes the event", async (from, next, moment, event) => {
    const id = await anInspectionWithStatus(from);
    expect((await to[next](id)).body.inspection).toMatchObject({ status: next, [moment]: expect.any(String) });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({ type: event, data: { propertyId: property.id, type: "routine", status: next } });
  });

  test.each([
    ["scheduled", "completed"],
    ["in_progress", "in_progress"],
    ["completed", "in_progress"],
    ["completed", "completed"],
    ["completed", "cancelled"],
    ["cancelled", "in_progress"],
    ["cancelled", "completed"],
    ["cancelled", "cancelled"],
  ] as const)("is refused to move from %s to %s, naming both", async (from, next) => {
    const id = await anInspectionWithStatus(from);
    const before = await read(id);
    const { status, body } = await to[next](id);
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(`is ${from} and cannot become ${next}`)]);
    expect(await read(id)).toEqual(before);
  });

  test.each(["completed", "cancelled"] as const)("that is %s cannot be changed", async (status) => {
    const id = await anInspectionWithStatus(status);
    const before = await read(id);
    const { body, status: responseStatus } = await office.attempt("updateInspection", { params: { id }, body: { summary: "Another one" } });
    expect([responseStatus, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(status)]);
    expect(await read(id)).toEqual(before);
  });

  test.each([
    ["scheduled", "in_progress"],
    ["in_progress", "completed"],
    ["in_progress", "cancelled"],
  ] as const)("moves from %s to %s once of twelve concurrent calls", async (from, next) => {
    const id = await anInspectionWithStatus(from);
    const answers = await Promise.all(Array.from({ length: 12 }, () => to[next](id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    const last = next === "in_progress" ? "inspection.started" : `inspection.${next}`;
    expect((await findOutboxEvents(office, id)).filter(({ type }) => type === last)).toHaveLength(1);
  });

  test("is either completed or cancelled by concurrent calls", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const answers = await Promise.all([complete(id), cancel(id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { completedAt, cancelledAt } = await read(id);
    expect([completedAt, cancelledAt].filter((moment) => moment !== null)).toHaveLength(1);
  });

  test("rejects an outdated If-Match", async () => {
    const id = await anInspectionWithStatus("scheduled");
    const { headers } = await office.attempt("getInspection", { params: { id } });
    const withVersion = { params: { id }, headers: { "If-Match": headers.get("ETag")! } };
    await office.call("updateInspection", { params: { id }, body: { summary: "Changed" } });
    expect((await office.attempt("startInspection", withVersion)).status).toBe(412);
    expect((await office.attempt("cancelInspection", { ...withVersion, body: {} })).status).toBe(412);
  });

  test("of another organization answers 404", async () => {
    const id = await anInspectionWithStatus("in_progress");
    for (const operation of ["startInspection", "completeInspection", "cancelInspection"] as const)
      expect((await stranger.attempt(operation, { params: { id }, body: operation === "startInspection" ? undefined : {} } as never)).status).toBe(404);
  });
});

describe("startInspection", () => {
  test("makes the caller the inspector unless one is assigned", async () => {
    const staff = await office.colleague("staff");
    const [unassigned, assigned] = await Promise.all([
      anInspection(office, { propertyId: property.id }),
      anInspection(office, { propertyId: property.id, inspectorUserId: office.userId }),
    ]);
    expect((await staff.call("startInspection", { params: { id: unassigned.id } })).inspection.inspectorUserId).toBe(staff.userId);
    expect((await staff.call("startInspection", { params: { id: assigned.id } })).inspection.inspectorUserId).toBe(office.userId);
  });
});

describe("completeInspection", () => {
  test("rejects items without a condition by name, unless allowNotInspected", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const plain = () => office.attempt("completeInspection", { params: { id }, body: {} });
    const refused = await plain();
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      "invalid_transition",
      expect.stringMatching(/in_progress and cannot become completed.*Kitchen: Oven, Kitchen: Sink.*allowNotInspected/),
    ]);
    const { areas } = await read(id);
    const seen = areas.map((area) => ({ ...area, items: area.items.map((item) => ({ ...item, condition: "good" as const })) }));
    await office.call("saveInspectionAreas", { params: { id }, body: { areas: seen } });
    expect((await plain()).status).toBe(200);
    const another = await anInspectionWithStatus("in_progress");
    expect((await complete(another, { allowNotInspected: true })).status).toBe(200);
  });

  test("stores signatures with their times", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const [completedAt, earlier] = ["2026-05-02T18:00:00.000Z", "2026-05-02T17:30:00.000Z"];
    const { body } = await complete(id, {
      completedAt,
      summary: "All in order",
      signatures: [
        { name: "Tina Tenant", role: "tenant", signedAt: earlier },
        { name: "Ada Admin", role: "inspector" },
      ],
    });
    expect(body.inspection).toMatchObject({
      summary: "All in order",
      completedAt,
      startedAt: completedAt,
      signatures: [
        { name: "Tina Tenant", role: "tenant", signedAt: earlier },
        { name: "Ada Admin", role: "inspector", signedAt: completedAt },
      ],
    });
    expect(await read(id)).toEqual(body.inspection);
  });

  const ahead = "2199-01-01T00:00:00.000Z";
  const people = (count: number) => Array.from({ length: count }, () => ({ name: "Tina", role: "tenant" }));
  test.each([
    ["a completion in the future", { completedAt: ahead }, "completedAt", "max"],
    ["a signature in the future", { signatures: [...people(1), { name: "Tom", role: "tenant", signedAt: ahead }] }, "signatures.1.signedAt", "max"],
    ["a signature without a name", { signatures: [{ name: " ", role: "tenant" }] }, "signatures.0.name", "too_short"],
    ["a signature with an unknown role", { signatures: [{ name: "Tina", role: "king" }] }, "signatures.0.role", "enum"],
    ["21 signatures", { signatures: people(21) }, "signatures", "too_long"],
    ["a summary of 8001 characters", { summary: "x".repeat(8_001) }, "summary", "too_long"],
  ])("rejects %s", async (_, terms, path, code) => {
    const id = await anInspectionWithStatus("in_progress");
    const { status, body } = await complete(id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
    expect((await read(id)).status).toBe("in_progress");
  });
});

describe("cancelInspection", () => {
  test("stores the reason", async () => {
    const id = await anInspectionWithStatus("scheduled");
    expect((await cancel(id, { reason: "Nobody at home" })).body.inspection.cancelReason).toBe("Nobody at home");
    const another = await anInspectionWithStatus("scheduled");
    expect((await cancel(another, { reason: "x".repeat(501) })).body.errors).toMatchObject([{ path: "reason", code: "too_long" }]);
  });
});
