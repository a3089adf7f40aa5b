import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../../test/database.ts";
import { anOwner, aProperty, aVendor, aWorkOrder, inDays, currentDate, unknownId } from "../../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const property = await aProperty(office);
await office.call("updateProperty", { params: { id: property.id }, body: { maintenanceLimitCents: 50_000 } });

const submit = (id: string, terms: object = {}, client: Colleague = office) =>
  client.attempt("createWorkOrderEstimate", { params: { id }, body: { amountCents: 40_000, ...terms } });
const approve = (id: string, client: Colleague = office, headers: Record<string, string> = {}) =>
  client.attempt("approveWorkOrderEstimate", { params: { id }, body: {}, headers });
const reject = (id: string, client: Colleague = office) => client.attempt("rejectWorkOrderEstimate", { params: { id }, body: { note: "Too expensive." } });
const read = (id: string) => office.call("getWorkOrder", { params: { id } });
const createWorkOrder = async (terms: object = {}) => (await aWorkOrder(office, { propertyId: property.id, ...terms })).id;

describe("createWorkOrderEstimate", () => {
  test("returns a submitted estimate of the assigned vendor and sets the work order's estimate", async () => {
    const vendor = await aVendor(office);
    const id = await createWorkOrder({ vendorId: vendor.id, estimateCents: 1_000 });
    const validUntil = currentDate();
    const lines = [
      { description: "Labour", quantity: 1.5, unitPriceCents: 8_001 },
      { description: "Valve", quantity: 2, unitPriceCents: 4_500 },
      { description: "Discount", quantity: 1, unitPriceCents: -1_002 },
    ];
    const { body } = await submit(id, { amountCents: 20_000, lines, validUntil });
    expect(body.estimate).toMatchObject({
      workOrderId: id,
      vendorId: vendor.id,
      amountCents: 20_000,
      lines,
      validUntil,
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
    ["an amount of zero", { amountCents: 0 }, "amountCents", "min"],
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
    const { status, body } = await submit(await createWorkOrder(), terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("requires owner approval above the property's limit, and never without a limit", async () => {
    const unlimited = await aProperty(office);
    const [atLimit, aboveLimit, withoutLimit] = await Promise.all([
      submit(await createWorkOrder(), { amountCents: 50_000 }),
      submit(await createWorkOrder(), { amountCents: 50_001 }),
      submit(await createWorkOrder({ propertyId: unlimited.id }), { amountCents: 9_000_000_000 }),
    ]);
    expect([atLimit, aboveLimit, withoutLimit].map(({ body }) => body.estimate.needsOwnerApproval)).toEqual([false, true, false]);
  });

  test("keeps after the decision whether an owner had to approve, whatever the limit becomes", async () => {
    const property = await aProperty(office);
    const limitTo = (maintenanceLimitCents: number | null) => office.call("updateProperty", { params: { id: property.id }, body: { maintenanceLimitCents } });
    await limitTo(50_000);
    const anEstimate = async (amountCents: number) => (await submit(await createWorkOrder({ propertyId: property.id }), { amountCents })).body.estimate;
    const [above, below, undecided] = [await anEstimate(50_001), await anEstimate(40_000), await anEstimate(50_001)];
    const needed = (estimates: { workOrderId: string }[]) =>
      Promise.all(
        estimates.map(async ({ workOrderId }) => (await office.call("getWorkOrder", { params: { id: workOrderId } })).estimates[0]!.needsOwnerApproval),
      );
    await office.call("approveWorkOrderEstimate", { params: { id: above.id }, body: {} });
    await office.call("rejectWorkOrderEstimate", { params: { id: below.id }, body: {} });
    expect(await needed([above, below, undecided])).toEqual([true, false, true]);
    await limitTo(60_000);
    expect(await needed([above, below, undecided])).toEqual([true, false, false]);
    await limitTo(10_000);
    expect(await needed([above, below, undecided])).toEqual([true, false, true]);
    await limitTo(null);
    expect(await needed([above, below, undecided])).toEqual([true, false, false]);
  });

  test("rejects an estimate for a finished work order", async () => {
    const id = await createWorkOrder();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    const { status, body } = await submit(id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });
});

describe("approveWorkOrderEstimate", () => {
  test("approves the estimate, rejects the other estimates and sets the approved amount", async () => {
    const id = await createWorkOrder();
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

  test("rejects the approved estimate when a later one is approved", async () => {
    const id = await createWorkOrder();
    const earlier = (await submit(id, { amountCents: 1 })).body.estimate.id;
    expect((await approve(earlier)).status).toBe(200);
    const later = (await submit(id, { amountCents: 2 })).body.estimate.id;
    expect((await approve(later)).status).toBe(200);
    const { workOrder, estimates } = await read(id);
    expect([workOrder.approvedEstimateCents, estimates.map(({ status }) => status)]).toEqual([2, ["approved", "rejected"]]);
  });

  test("approves one of two estimates approved concurrently", async () => {
    const races = Array.from({ length: 6 }, async () => {
      const id = await createWorkOrder();
      const [a, b] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
      const responses = await Promise.all([approve(a), approve(b)]);
      expect(responses.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, 409]);
      expect((await read(id)).estimates.map(({ status }) => status).toSorted()).toEqual(["approved", "rejected"]);
    });
    await Promise.all(races);
  });

  test("accepts one of many concurrent approvals and rejections", async () => {
    const estimateId = (await submit(await createWorkOrder())).body.estimate.id;
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? approve(estimateId) : reject(estimateId))));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const rejected = responses.find(({ status }) => status === 409)!;
    expect([rejected.body.code, rejected.body.message]).toEqual([
      "invalid_transition",
      expect.stringMatching(/The estimate is (approved|rejected) and cannot become/),
    ]);
  });

  test("rejects an expired estimate, which stays expired when another estimate is approved", async () => {
    const id = await createWorkOrder();
    const [expired, valid] = [(await submit(id, { validUntil: inDays(1) })).body.estimate.id, (await submit(id)).body.estimate.id];
    await queryRows(office.organizationId, "update work_order_estimate set valid_until = $3 where organization_id = $1 and id = $2", [
      office.organizationId,
      expired,
      inDays(-1),
    ]);
    const { status, body } = await approve(expired);
    expect([status, body.message]).toEqual([409, expect.stringContaining("is expired and cannot become approved")]);
    const list = async (query: Record<string, string>) =>
      (await office.call("listWorkOrderEstimates", { params: { id }, query })).estimates.map((estimate) => estimate.id);
    expect([await list({ status: "expired" }), await list({ status: "submitted" })]).toEqual([[expired], [valid]]);
    expect((await approve(valid)).status).toBe(200);
    expect((await read(id)).estimates.map((estimate) => estimate.status)).toEqual(["approved", "expired"]);
  });

  test("rejects estimates of finished work orders and an If-Match of another version", async () => {
    const id = await createWorkOrder();
    const estimateId = (await submit(id)).body.estimate.id;
    expect((await approve(estimateId, office, { "If-Match": '"7"' })).status).toBe(412);
    expect((await approve(estimateId, office, { "If-Match": '"1"' })).status).toBe(200);
    const otherId = await createWorkOrder();
    const estimateOfCancelledWork = (await submit(otherId)).body.estimate.id;
    await office.call("transitionWorkOrder", { params: { id: otherId }, body: { status: "cancelled" } });
    const { status, body } = await approve(estimateOfCancelledWork);
    expect([status, body.message]).toEqual([409, expect.stringContaining("The work order is cancelled")]);
  });
});

describe("rejectWorkOrderEstimate", () => {
  test("rejects the estimate and leaves the others submitted", async () => {
    const id = await createWorkOrder();
    const [tooExpensive, acceptable] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
    expect((await reject(tooExpensive)).body.estimate).toMatchObject({ status: "rejected", decisionNote: "Too expensive.", decidedByUserId: office.userId });
    expect((await read(id)).estimates.map(({ status }) => status)).toEqual(["submitted", "rejected"]);
    expect((await approve(tooExpensive)).status).toBe(409);
    expect((await approve(acceptable)).status).toBe(200);
  });
});

describe("listWorkOrderEstimates", () => {
  test("sorts and pages", async () => {
    const id = await createWorkOrder();
    for (const amountCents of [2, 3, 1]) await submit(id, { amountCents });
    const amounts = async (query: Record<string, string | number>) =>
      (await office.call("listWorkOrderEstimates", { params: { id }, query })).estimates.map(({ amountCents }) => amountCents);
    expect(await amounts({})).toEqual([1, 3, 2]);
    expect(await amounts({ sortBy: "amountCents", sortDirection: "asc" })).toEqual([1, 2, 3]);
    expect(await amounts({ page: 2, pageSize: 2 })).toEqual([2]);
    expect((await otherOffice.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
  });
});

describe("a vendor", () => {
  test("submits estimates for its own work orders and sees only its own", async () => {
    const [vendor, otherVendor] = await Promise.all([aVendor(office), aVendor(office)]);
    const user = await office.vendorUser(vendor.id);
    const id = await createWorkOrder({ vendorId: otherVendor.id });
    const estimateOfOtherVendor = (await submit(id)).body.estimate;
    const unknown = await submit(unknownId(), {}, user);
    const rejected = await submit(id, {}, user);
    expect([rejected.status, rejected.text]).toEqual([404, unknown.text]);
    expect((await user.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
    const { body } = await submit(id, { amountCents: 30_000 }, user);
    expect(body.estimate).toMatchObject({ vendorId: vendor.id, createdByUserId: user.userId });
    expect(await user.call("listWorkOrderEstimates", { params: { id } })).toMatchObject({ estimates: [{ id: body.estimate.id }], total: 1 });
    expect((await office.call("listWorkOrderEstimates", { params: { id } })).estimates.map((estimate) => estimate.id)).toEqual([
      body.estimate.id,
      estimateOfOtherVendor.id,
    ]);
    expect((await approve(body.estimate.id, user)).status).toBe(403);
    await approve(estimateOfOtherVendor.id);
    const started = await user.call("transitionWorkOrder", { params: { id }, body: { status: "in_progress" } });
    expect(started.workOrder).toMatchObject({ estimateCents: 30_000, approvedEstimateCents: null });
    expect((await read(id)).workOrder).toMatchObject({ estimateCents: 40_000, approvedEstimateCents: 40_000 });
  });
});

describe("an owner", () => {
  test("approves estimates of its own properties and gets 404 for others", async () => {
    const owner = await anOwner(office);
    const user = await office.ownerUser(owner.id);
    const ownProperty = await aProperty(office, { ownerIds: [owner.id] });
    const id = await createWorkOrder({ propertyId: ownProperty.id });
    const [first, second] = [(await submit(id)).body.estimate.id, (await submit(id)).body.estimate.id];
    const otherWorkOrderId = await createWorkOrder();
    const foreign = (await submit(otherWorkOrderId)).body.estimate.id;
    const unknown = await approve(unknownId(), user);
    for (const response of [await approve(foreign, user), await reject(foreign, user), await approve(foreign, user, { "If-Match": '"7"' })])
      expect([response.status, response.text]).toEqual([404, unknown.text]);
    expect((await user.attempt("listWorkOrderEstimates", { params: { id: otherWorkOrderId } })).status).toBe(404);
    expect((await user.call("listWorkOrderEstimates", { params: { id } })).total).toBe(2);
    expect((await reject(first, user)).status).toBe(200);
    expect((await approve(second, user)).body.estimate).toMatchObject({ status: "approved", decidedByUserId: user.userId });
    expect((await read(id)).workOrder.approvedEstimateCents).toBe(40_000);
    expect((await submit(id, {}, user)).status).toBe(403);
    await office.call("updateProperty", { params: { id: ownProperty.id }, body: { ownerIds: [] } });
    expect((await user.attempt("listWorkOrderEstimates", { params: { id } })).status).toBe(404);
  });
});
