import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { anInspection, aProperty } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const property = await aProperty(office);

type Status = "scheduled" | "in_progress" | "completed" | "cancelled";
const start = (id: string) => office.attempt("startInspection", { params: { id } });
const complete = (id: string, body: object = {}) => office.attempt("completeInspection", { params: { id }, body });
const cancel = (id: string, body: object = {}) => office.attempt("cancelInspection", { params: { id }, body });
const transitionTo = { in_progress: start, completed: complete, cancelled: cancel };

/** Transitions that lead to a status. */
const transitionPaths: Record<Status, (keyof typeof transitionTo)[]> = {
  scheduled: [],
  in_progress: ["in_progress"],
  completed: ["in_progress", "completed"],
  cancelled: ["cancelled"],
};
async function anInspectionWithStatus(status: Status): Promise<string> {
  const { id } = await anInspection(office, { propertyId: property.id });
  for (const nextStatus of transitionPaths[status]) expect((await transitionTo[nextStatus](id)).status).toBe(200);
  return id;
}
const read = async (id: string) => (await office.call("getInspection", { params: { id } })).inspection;

describe("an inspection", () => {
  test.each([
    ["scheduled", "in_progress", "startedAt", "inspection.started"],
    ["in_progress", "completed", "completedAt", "inspection.completed"],
    ["scheduled", "cancelled", "cancelledAt", "inspection.cancelled"],
    ["in_progress", "cancelled", "cancelledAt", "inspection.cancelled"],
  ] as const)("moves from %s to %s, sets the timestamp and publishes the event", async (from, nextStatus, timestampMember, event) => {
    const id = await anInspectionWithStatus(from);
    expect((await transitionTo[nextStatus](id)).body.inspection).toMatchObject({ status: nextStatus, [timestampMember]: expect.any(String) });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({ type: event, data: { propertyId: property.id, type: "routine", status: nextStatus } });
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
  ] as const)("rejects the transition from %s to %s and names both statuses", async (from, nextStatus) => {
    const id = await anInspectionWithStatus(from);
    const before = await read(id);
    const { status, body } = await transitionTo[nextStatus](id);
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(`is ${from} and cannot become ${nextStatus}`)]);
    expect(await read(id)).toEqual(before);
  });

  test.each(["completed", "cancelled"] as const)("that is %s cannot be changed", async (status) => {
    const id = await anInspectionWithStatus(status);
    const before = await read(id);
    const { body, status: responseStatus } = await office.attempt("updateInspection", { params: { id }, body: { summary: "Changed" } });
    expect([responseStatus, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(status)]);
    expect(await read(id)).toEqual(before);
  });

  test.each([
    ["scheduled", "in_progress"],
    ["in_progress", "completed"],
    ["in_progress", "cancelled"],
  ] as const)("moves from %s to %s in one of twelve concurrent calls", async (from, nextStatus) => {
    const id = await anInspectionWithStatus(from);
    const responses = await Promise.all(Array.from({ length: 12 }, () => transitionTo[nextStatus](id)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    const eventType = nextStatus === "in_progress" ? "inspection.started" : `inspection.${nextStatus}`;
    expect((await findOutboxEvents(office, id)).filter(({ type }) => type === eventType)).toHaveLength(1);
  });

  test("is either completed or cancelled by concurrent calls", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const responses = await Promise.all([complete(id), cancel(id)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { completedAt, cancelledAt } = await read(id);
    expect([completedAt, cancelledAt].filter((time) => time !== null)).toHaveLength(1);
  });

  test("rejects an outdated If-Match", async () => {
    const id = await anInspectionWithStatus("scheduled");
    const { headers } = await office.attempt("getInspection", { params: { id } });
    const withVersion = { params: { id }, headers: { "If-Match": headers.get("ETag")! } };
    await office.call("updateInspection", { params: { id }, body: { summary: "Changed" } });
    expect((await office.attempt("startInspection", withVersion)).status).toBe(412);
    expect((await office.attempt("cancelInspection", { ...withVersion, body: {} })).status).toBe(412);
  });

  test("of another organization returns 404", async () => {
    const id = await anInspectionWithStatus("in_progress");
    for (const operation of ["startInspection", "completeInspection", "cancelInspection"] as const)
      expect((await otherOffice.attempt(operation, { params: { id }, body: operation === "startInspection" ? undefined : {} } as never)).status).toBe(404);
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

describe("a service key", () => {
  test("starts an inspection without becoming its inspector", async () => {
    const { id } = await anInspection(office, { propertyId: property.id });
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Field app", role: "staff" } });
    const key = new Client(office.baseUrl);
    const grant = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
    key.token = (await key.call("refreshToken", { body: grant })).accessToken;
    const { inspection } = await key.call("startInspection", { params: { id } });
    expect([inspection.status, inspection.inspectorUserId]).toEqual(["in_progress", null]);
  });
});

describe("completeInspection", () => {
  test("completes an inspection whose items have no condition, and keeps them as not_inspected", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const { status, body } = await complete(id);
    expect([status, body.inspection.status]).toEqual([200, "completed"]);
    const conditions = body.inspection.areas.flatMap(({ items }) => items.map(({ condition }) => condition));
    expect(new Set(conditions)).toEqual(new Set(["not_inspected"]));
  });

  test("stores signatures, by default with the time of completion", async () => {
    const id = await anInspectionWithStatus("in_progress");
    const [completedAt, signedAt] = ["2026-05-02T18:00:00.000Z", "2026-05-02T17:30:00.000Z"];
    const { body } = await complete(id, {
      completedAt,
      summary: "All in order",
      signatures: [
        { name: "Tina Tenant", role: "tenant", signedAt },
        { name: "Ada Admin", role: "inspector" },
      ],
    });
    expect(body.inspection).toMatchObject({
      summary: "All in order",
      completedAt,
      startedAt: completedAt,
      signatures: [
        { name: "Tina Tenant", role: "tenant", signedAt },
        { name: "Ada Admin", role: "inspector", signedAt: completedAt },
      ],
    });
    expect(await read(id)).toEqual(body.inspection);
  });

  const future = "2199-01-01T00:00:00.000Z";
  const signatures = (count: number) => Array.from({ length: count }, () => ({ name: "Tina", role: "tenant" }));
  test.each([
    ["a completion in the future", { completedAt: future }, "completedAt", "max"],
    ["a signature in the future", { signatures: [...signatures(1), { name: "Tom", role: "tenant", signedAt: future }] }, "signatures.1.signedAt", "max"],
    ["a signature without a name", { signatures: [{ name: " ", role: "tenant" }] }, "signatures.0.name", "too_short"],
    ["a signature with an unknown role", { signatures: [{ name: "Tina", role: "king" }] }, "signatures.0.role", "enum"],
    ["21 signatures", { signatures: signatures(21) }, "signatures", "too_long"],
    ["a summary of 8001 characters", { summary: "x".repeat(8_001) }, "summary", "too_long"],
  ])("rejects %s", async (_, terms, path, code) => {
    const id = await anInspectionWithStatus("in_progress");
    const { status, body } = await complete(id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
    expect((await read(id)).status).toBe("in_progress");
  });
});

describe("cancelInspection", () => {
  test("stores the reason and rejects one of 501 characters", async () => {
    const id = await anInspectionWithStatus("scheduled");
    expect((await cancel(id, { reason: "Nobody at home" })).body.inspection.cancelReason).toBe("Nobody at home");
    const otherId = await anInspectionWithStatus("scheduled");
    expect((await cancel(otherId, { reason: "x".repeat(501) })).body.errors).toMatchObject([{ path: "reason", code: "too_long" }]);
  });
});
