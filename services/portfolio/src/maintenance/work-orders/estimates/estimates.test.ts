import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../../test/database.ts";
import { anOwner, aProperty, aVendor, aWorkOrder, inDays, currentDate, unknownId } from "../../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const property = await aProperty(office);
await office.call("updateProperty", { params: { id: property.id }, body: { maintenanceLimitCents: 50_000 } });

const submit = (id: string, terms: object = {}, client: Colleague = office) =>
  client.attempt("createWorkOrderEstimate", { params: { id }, body: { amountCents: 40_000, ...terms } });
const approve = (id: string, client: Colleague = office, headers: Record<string, string> = {}) =>
  client.attempt("approveWorkOrderEstimate", { params: { id }, body: {}, headers });
const reject = (id: string, client: Colleague = office) => client.attempt("rejectWorkOrderEstimate", { params: { id }, body: { note: "Too dear." } });
const read = (id: string) => office.call("getWorkOrder", { params: { id } });
const createWork = async (terms: object = {}) => (await aWorkOrder(office, { propertyId: property.id, ...terms })).id;

describe("createWorkOrderEstimate", () => {
  test("returns a submitted estimate of the assigned vendor and sets the work order's estimate", async () => {
    const vendor = await aVendor(office);
    const id = await createWork({ vendorId: vendor.id, estimateCents: 1_000 });
    const lines = [
      { description: "Labour", quantity: 1.5, unitPriceCents: 8_001 },
      { description: "Valve", quantity: 2, unitPriceCents: 4_500 },
      { description: "Discount", quantity: 1, unitPriceCents: -1_002 },
    ];
    const { body } = await submit(id, { amountCents: 20_000, lines, validUntil: currentDate() });
    expect(body.estimate).toMatchObject({
      workOrderId: id,
      vendorId: vendor.id,
      amountCents: 20_000,
      lines,
      validUntil: currentDate(),
      needsOwnerApproval: false,
      status: "submitted",
      decidedByUserId: null,
      decidedBy: null,
      decidedAt: null,
      decisionNote: null,
      createdByUserId: office.userId,
    });
    const { workOrder, estimates, history } = await read(id);
    expect([workOrder.estimateCents, workOrder.approvedEstimateCents, estimates]).toEqual([20_000, null, [body.estimate]]);
    expect(history[0]).toMatchObject({ field: "estimateCents", from: "1000", to: "20000" });
    expect((await findOutboxEvents(office, id)).at(-1)!.type).toBe("work_order.updated");
  });

  test.each([
    ["nothing", { amountCents: 0 }, "amountCents", "min"],
    ["no amount", { amountCents: undefined }, "amountCents", "required"],
    ["lines with another total", { lines: [{ description: "Labour", quantity: 1, unitPriceCents: 39_999 }] }, "amountCents", "mismatch"],
    ["a line without a description", { lines: [{ description: "", quantity: 1, unitPriceCents: 40_000 }] }, "lines.0.description", "too_short"],
    ["a quantity of zero", { lines: [{ description: "Labour", quantity: 0, unitPriceCents: 40_000 }] }, "lines.0.quantity", "min"],
    ["a quantity with three decimals", { lines: [{ description: "Labour", quantity: 0.001, unitPriceCents: 40_000 }] }, "lines.0.quantity", "format"],
    ["a quantity above 10000", { lines: [{ description: "Nails", quantity: 10_001, unitPriceCents: 4 }] }, "lines.0.quantity", "max"],
    ["101 lines", { lines: Array.from({ length: 101 }, () => ({ description: "Nail", quantity: 1, unitPriceCents: 1 })) }, "lines", "too_long"],
    ["a validUntil in the past", { validUntil: inDays(-1) }, "validUntil", "min"],
    ["a status", { status: "approved" }, "status", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await submit(await createWork(), terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("requires owner approval above the property's limit, and never without a limit", async () => {
    const unlimited = await aProperty(office);
    const [within, beyond, anything] = await Promise.all([
      submit(await createWork(), { amountCents: 50_000 }),
      submit(await createWork(), { amountCents: 50_001 }),
      submit(await createWork({ propertyId: unlimited.id }), { amountCents: 9_000_000_000 }),
    ]);
    expect([within, beyond, anything].map(({ body }) => body.estimate.needsOwnerApproval)).toEqual([false, true, false]);
  });

  test("rejects an estimate for a finished work order", async () => {
    const id = await createWork();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    const { status, body } = await submit(id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });
});

describe("approveWorkOrderEstimate", () => {
  test("approves one, rejects all others and sets the approved amount", async () => {
    const id = await createWork();
    const [first, second, third] = [await submit(id, { amountCents: 1 }), await submit(id, { amountCents: 2 }), await submit(id, { amountCents: 3 })];
    const { body } = await office.attempt("approveWorkOrderEstimate", { params: { id: second.body.estimate.id }, body: { note: "The owner rang." } });
    const decided = { decidedByUserId: office.userId, decidedBy: { id: office.userId, fullName: "Ada Admin" }, decidedAt: expect.any(String) };
    expect(body.estimate).toMatchObject({ status: "approved", decisionNote: "The owner rang.", ...decided });
    const { workOrder, estimates, history } = await read(id);
    expect(estimates).toMatchObject([
      { id: third.body.estimate.id, status: "rejected", ...decided },
      { id: second.body.estimate.id, status: "approved" },
      { id: first.body.estimate.id, status: "rejected", ...decided },
    ]);
    expect(workOrder).toMatchObject({ estimateCents: 2, approvedEstimateCents: 2 });
    expect(history).toEqual(expect.arrayContaining([expect.objectContaining({ field: "approvedEstimateCents", from: null, to: "2" })]));
  });

  test("of a later estimate replaces the earlier approval", async () => {
    const id = await createWork();
    const earlier = (await submit(id, { amountCents: 1 })).body.estimate.id;
    expect((await approve(earlier)).status).toBe(200);
    const later = (await submit(id, { amountCents: 2 })).body.estimate.id;
    expect((await approve(later)).status).toBe(200);
    const { workOrder, estimates } = await read(id);
    expect([workOrder.approvedEstimateCents, estimates.map(({ status }) => status)]).toEqual([2, ["approved", "rejected"]]);
  });

  test("approves one of two estimates approved concurrently", async () => {
    const races = Array.from({ length: 6 }, async () => {
      const id = await createWork();
      const [a, b] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
      const answers = await Promise.all([approve(a), approve(b)]);
      expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409]);
      expect((await read(id)).estimates.map(({ status }) => status).toSorted()).toEqual(["approved", "rejected"]);
    });
    await Promise.all(races);
  });

  test("accepts one of many concurrent approvals and rejections", async () => {
    const estimate = (await submit(await createWork())).body.estimate.id;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? approve(estimate) : reject(estimate))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 409)!;
    expect([refused.body.code, refused.body.message]).toEqual([
      "invalid_transition",
      expect.stringMatching(/The estimate is (approved|rejected) and cannot become/),
    ]);
  });

  test("rejects an expired estimate, which the approval of another leaves expired", async () => {
    const id = await createWork();
    const [old, fresh] = [(await submit(id, { validUntil: currentDate() })).body.estimate.id, (await submit(id)).body.estimate.id];
    await queryRows(office.organizationId, "update work_order_estimate set valid_until = $3 where organization_id = $1 and id = $2", [
      office.organizationId,
      old,
      inDays(-1),
    ]);
    const { status, body } = await approve(old);
    expect([status, body.message]).toEqual([409, expect.stringContaining("is expired and cannot become approved")]);
    const list = async (query: Record<string, string>) =>
      (await office.call("listWorkOrderEstimates", { params: { id }, query })).estimates.map((estimate) => estimate.id);
    expect([await list({ status: "expired" }), await list({ status: "submitted" })]).toEqual([[old], [fresh]]);
    expect((await approve(fresh)).status).toBe(200);
    expect((await read(id)).estimates.map((estimate) => estimate.status)).toEqual(["approved", "expired"]);
  });

  test("rejects estimates of finished work and an outdated If-Match", async () => {
    const id = await createWork();
    const estimate = (await submit(id)).body.estimate.id;
    expect((await approve(estimate, office, { "If-Match": '"7"' })).status).toBe(412);
    expect((await approve(estimate, office, { "If-Match": '"1"' })).status).toBe(200);
    const other = await createWork();
    const late = (await submit(other)).body.estimate.id;
    await office.call("transitionWorkOrder", { params: { id: other }, body: { status: "cancelled" } });
    const { status, body } = await approve(late);
    expect([status, body.message]).toEqual([409, expect.stringContaining("The work order is cancelled")]);
  });
});

describe("rejectWorkOrderEstimate", () => {
  test("rejects one and leaves the others submitted", async () => {
    const id = await createWork();
    const [dear, fair] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
    expect((await reject(dear)).body.estimate).toMatchObject({ status: "rejected", decisionNote: "Too dear.", decidedByUserId: office.userId });
    expect((await read(id)).estimates.map(({ status }) => status)).toEqual(["submitted", "rejected"]);
    expect((await approve(dear)).status).toBe(409);
    expect((await approve(fair)).status).toBe(200);
  });
});

describe("listWorkOrderEstimates", () => {
  test("sorts and pages", async () => {
    const id = await createWork();
    for (const amountCents of [2, 3, 1]) await submit(id, { amountCents });
    const amounts = async (query: Record<string, string | number>) =>
      (await office.call("listWorkOrderEstimates", { params: { id }, query })).estimates.map(({ amountCents }) => amountCents);
    expect(await amounts({})).toEqual([1, 3, 2]);
    expect(await amounts({ sortBy: "amountCents", sortDirection: "asc" })).toEqual([1, 2, 3]);
    expect(await amounts({ page: 2, pageSize: 2 })).toEqual([2]);
    expect((await stranger.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
  });
});

describe("a vendor", () => {
  test("submits estimates for its own work orders and sees only its own", async () => {
    const [mine, other] = await Promise.all([aVendor(office), aVendor(office)]);
    const user = await office.vendorUser(mine.id);
    const id = await createWork({ vendorId: other.id });
    const theirs = (await submit(id)).body.estimate;
    const unknown = await submit(unknownId(), {}, user);
    const refused = await submit(id, {}, user);
    expect([refused.status, refused.text]).toEqual([404, unknown.text]);
    expect((await user.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: mine.id } });
    const { body } = await submit(id, { amountCents: 30_000 }, user);
    expect(body.estimate).toMatchObject({ vendorId: mine.id, createdByUserId: user.userId });
    expect(await user.call("listWorkOrderEstimates", { params: { id } })).toMatchObject({ estimates: [{ id: body.estimate.id }], total: 1 });
    expect((await office.call("listWorkOrderEstimates", { params: { id } })).estimates.map((estimate) => estimate.id)).toEqual([body.estimate.id, theirs.id]);
    expect((await approve(body.estimate.id, user)).status).toBe(403);
    await approve(theirs.id);
    const started = await user.call("transitionWorkOrder", { params: { id }, body: { status: "in_progress" } });
    expect(started.workOrder).toMatchObject({ estimateCents: 30_000, approvedEstimateCents: null });
    expect((await read(id)).workOrder).toMatchObject({ estimateCents: 40_000, approvedEstimateCents: 40_000 });
  });
});

describe("an owner", () => {
  test("approves estimates of its own properties and gets 404 for others", async () => {
    const owner = await anOwner(office);
    const user = await office.ownerUser(owner.id);
    const own = await aProperty(office, { ownerIds: [owner.id] });
    const id = await createWork({ propertyId: own.id });
    const [first, second] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
    const elsewhere = await createWork();
    const foreign = (await submit(elsewhere)).body.estimate.id;
    const unknown = await approve(unknownId(), user);
    for (const answer of [await approve(foreign, user), await reject(foreign, user), await approve(foreign, user, { "If-Match": '"7"' })])
      expect([answer.status, answer.text]).toEqual([404, unknown.text]);
    expect((await user.attempt("listWorkOrderEstimates", { params: { id: elsewhere } })).status).toBe(404);
    expect((await user.call("listWorkOrderEstimates", { params: { id } })).total).toBe(2);
    expect((await reject(first, user)).status).toBe(200);
    expect((await approve(second, user)).body.estimate).toMatchObject({ status: "approved", decidedByUserId: user.userId });
    expect((await read(id)).workOrder.approvedEstimateCents).toBe(40_000);
    expect((await submit(id, {}, user)).status).toBe(403);
    await office.call("updateProperty", { params: { id: own.id }, body: { ownerIds: [] } });
    expect((await user.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
  });
});
