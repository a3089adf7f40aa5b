import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLeaseInStatus, createLeaseReferences, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { categories } = await office.call("listCategories");
const categoryId = categories.find(({ code }) => code === "4000")!.id;
const steps = [
  { startDate: inDays(-30), endDate: inDays(300), amountCents: 500_000 },
  { startDate: inDays(301), amountCents: 600_000 },
];
const terms = { label: "Base rent", chargeType: "base_rent" as const, categoryId, frequency: "monthly" as const, steps };
const create = (leaseId: string, changes: object = {}) => office.attempt("createBillingSchedule", { params: { leaseId }, body: { ...terms, ...changes } });
const aBillingSchedule = async (leaseId: string, changes: object = {}) => {
  const { status, body } = await create(leaseId, changes);
  expect(status).toBe(200);
  return body.billingSchedule;
};
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateBillingSchedule", { params: { id }, body, headers });
const remove = (id: string) => office.attempt("deleteBillingSchedule", { params: { id } });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const list = async (leaseId: string, query: object = {}) =>
  (await office.call("listBillingSchedules", { params: { leaseId }, query: query as never })).billingSchedules;

describe("createBillingSchedule", () => {
  test("stores the steps by start date and publishes lease.updated", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const schedule = await aBillingSchedule(lease.id, { steps: steps.toReversed(), label: "  Base rent " });
    expect(schedule).toMatchObject({
      ...terms,
      leaseId: lease.id,
      organizationId: office.organizationId,
      steps: [steps[0], { ...steps[1], endDate: null }],
      currentAmountCents: 500_000,
      deletedAt: null,
    });
    expect(await list(lease.id)).toEqual([schedule]);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id, status: "active" } });
    expect((await read(lease.id)).updatedAt > lease.updatedAt).toBe(true);
  });

  test.each([
    ["monthly", 1_000, 1_000],
    ["quarterly", 100_000, 33_333],
    ["quarterly", 200_000, 66_667],
    ["annual", 1_000_006, 83_334],
    ["annual", 0, 0],
  ])("%s base rent of %i cents is %i cents per month on the lease", async (frequency, amountCents, monthlyCents) => {
    const lease = await aLeaseInStatus(office, "active");
    await aBillingSchedule(lease.id, { frequency, steps: [{ startDate: currentDate(), endDate: currentDate(), amountCents }] });
    expect(await read(lease.id)).toMatchObject({ scheduledBaseRentAsOf: currentDate(), scheduledBaseRentCents: monthlyCents, rentCents: 150_000 });
  });

  test("sets the scheduled base rent of a lease that has not started as of its start date", async () => {
    const draft = await aDraftLease(office, await createLeaseReferences(office), { startDate: inDays(10), leaseKind: "commercial" });
    await aBillingSchedule(draft.id, { chargeType: "cam", steps: [{ startDate: inDays(10), amountCents: 1 }] });
    expect(await read(draft.id)).toMatchObject({ scheduledBaseRentAsOf: inDays(10), scheduledBaseRentCents: 150_000 });
    const base = await aBillingSchedule(draft.id, {
      steps: [
        { startDate: currentDate(), endDate: inDays(9), amountCents: 2 },
        { startDate: inDays(10), amountCents: 3 },
      ],
    });
    expect(base.currentAmountCents).toBe(2);
    expect((await read(draft.id)).scheduledBaseRentCents).toBe(3);
    await update(base.id, { steps: [{ startDate: inDays(11), amountCents: 4 }] });
    expect((await read(draft.id)).scheduledBaseRentCents).toBe(150_000);
    expect((await list(draft.id)).map(({ currentAmountCents }) => currentAmountCents)).toEqual([null, null]);
  });

  test("allows one base rent per day with concurrent requests, and several schedules of other types", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const responses = await Promise.all(Array.from({ length: 4 }, () => create(id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of responses.filter(({ status }) => status !== 200))
      expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([409, "duplicate", ["steps.0.startDate", "steps.1.startDate"]]);
    const camResponses = await Promise.all([create(id, { chargeType: "cam" }), create(id, { chargeType: "cam" })]);
    expect(camResponses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await create(id, { steps: [{ startDate: inDays(-60), endDate: inDays(-31), amountCents: 1 }] })).status).toBe(200);
  });

  test("creates one schedule per Idempotency-Key", async () => {
    const { id } = await aLeaseInStatus(office, "draft");
    const request = { params: { leaseId: id }, body: { ...terms, chargeType: "tax" as const }, headers: { "Idempotency-Key": unknownId() } };
    const [first, second] = [await office.attempt("createBillingSchedule", request), await office.attempt("createBillingSchedule", request)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect(await list(id)).toHaveLength(1);
  });

  const step = { startDate: inDays(1), amountCents: 1 };
  test.each([
    ["a blank label", { label: " " }, "label", "too_short"],
    ["a label of 161 characters", { label: "x".repeat(161) }, "label", "too_long"],
    ["an unknown type", { chargeType: "rent" }, "chargeType", "enum"],
    ["an unknown frequency", { frequency: "weekly" }, "frequency", "enum"],
    ["an unknown category", { categoryId: unknownId() }, "categoryId", "not_found"],
    ["no steps", { steps: [] }, "steps", "too_short"],
    ["201 steps", { steps: Array.from({ length: 201 }, () => step) }, "steps", "too_long"],
    ["a step without a start date", { steps: [{ amountCents: 1 }] }, "steps.0.startDate", "required"],
    ["a step without an amount", { steps: [{ startDate: inDays(1) }] }, "steps.0.amountCents", "required"],
    ["a negative amount", { steps: [{ ...step, amountCents: -1 }] }, "steps.0.amountCents", "min"],
    ["half a cent", { steps: [{ ...step, amountCents: 0.5 }] }, "steps.0.amountCents", "type"],
    ["a date that does not exist", { steps: [{ ...step, startDate: "2027-02-29" }] }, "steps.0.startDate", "format"],
    ["a step that ends before it starts", { steps: [{ ...step, endDate: currentDate() }] }, "steps.0.endDate", "before_start"],
    ["a step after one without an end", { steps: [step, { ...step, startDate: inDays(2) }] }, "steps.1.startDate", "overlap"],
    ["an unknown member of a step", { steps: [{ ...step, label: "x" }] }, "steps.0.label", "unrecognized_key"],
  ])("refuses %s", async (_, changes, path, code) => {
    const { id } = await aLeaseInStatus(office, "draft");
    const { status, body } = await create(id, changes);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts 200 steps", async () => {
    const { id } = await aLeaseInStatus(office, "draft");
    const maxSteps = Array.from({ length: 200 }, (_, index) => ({ startDate: inDays(index), endDate: inDays(index), amountCents: index }));
    expect((await aBillingSchedule(id, { steps: maxSteps })).steps).toEqual(maxSteps);
  });
});

describe("updateBillingSchedule", () => {
  test("changes only the given members and honours If-Match", async () => {
    const { id: leaseId } = await aLeaseInStatus(office, "active");
    const schedule = await aBillingSchedule(leaseId);
    const { status, body, headers } = await update(schedule.id, { label: "Rent", frequency: "annual" });
    expect([status, body.billingSchedule]).toEqual([200, { ...schedule, label: "Rent", frequency: "annual", updatedAt: body.billingSchedule.updatedAt }]);
    const newSteps = [{ startDate: addDays(steps[0]!.startDate, 1), endDate: null, amountCents: 1 }];
    expect((await update(schedule.id, { steps: newSteps }, { "If-Match": headers.get("ETag")! })).body.billingSchedule).toMatchObject({
      label: "Rent",
      steps: newSteps,
    });
    expect((await update(schedule.id, { label: "x" }, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    expect((await update(schedule.id, {})).body.billingSchedule.steps).toEqual(newSteps);
  });

  test("refuses inconsistent changes and leaves the schedule unchanged", async () => {
    const { id: leaseId } = await aLeaseInStatus(office, "active");
    const [base, cam] = [await aBillingSchedule(leaseId), await aBillingSchedule(leaseId, { chargeType: "cam" })];
    const errorOf = async (body: object) => {
      const response = await update(cam.id, body);
      return [response.status, response.body.errors?.map(({ path, code }) => [path, code])];
    };
    expect(await errorOf({ chargeType: "base_rent" })).toEqual([
      409,
      [
        ["chargeType", "overlap"],
        ["chargeType", "overlap"],
      ],
    ]);
    expect(await errorOf({ chargeType: "base_rent", steps: [{ startDate: inDays(301), amountCents: 1 }] })).toEqual([409, [["steps.0.startDate", "overlap"]]]);
    expect(await errorOf({ steps: [] })).toEqual([400, [["steps", "too_short"]]]);
    expect(await errorOf({ categoryId: unknownId() })).toEqual([400, [["categoryId", "not_found"]]]);
    expect(await errorOf({ leaseId })).toEqual([400, [["leaseId", "unrecognized_key"]]]);
    expect(await list(leaseId)).toEqual([cam, base]);
    expect((await update(base.id, { steps })).status).toBe(200);
  });
});

describe("deleteBillingSchedule", () => {
  test("soft-deletes a schedule, but not while a parking right is linked to it", async () => {
    const { id: leaseId } = await aLeaseInStatus(office, "active");
    const { id } = await aBillingSchedule(leaseId);
    const { parkingRight } = await office.call("createParkingRight", {
      params: { leaseId },
      body: { parkingType: "reserved", effectiveStart: currentDate(), billingScheduleId: id },
    });
    expect((await remove(id)).body.code).toBe("resource_in_use");
    await office.call("deleteParkingRight", { params: { id: parkingRight.id } });
    const statuses = (await Promise.all([remove(id), remove(id)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect([(await remove(id)).status, (await update(id, {})).status]).toEqual([404, 404]);
    expect([await list(leaseId), (await read(leaseId)).scheduledBaseRentCents]).toEqual([[], 150_000]);
    expect(await list(leaseId, { includeDeleted: true })).toMatchObject([{ id, deletedAt: expect.any(String) }]);
    expect((await create(leaseId)).status).toBe(200);
  });
});

test("billing schedules return 404 to other organizations and 403 to staff", async () => {
  const { id: leaseId } = await aLeaseInStatus(office, "active");
  const { id } = await aBillingSchedule(leaseId);
  const staff = await office.colleague("staff");
  const requests = {
    listBillingSchedules: { params: { leaseId } },
    createBillingSchedule: {
      params: { leaseId },
      body: { ...terms, chargeType: "cam", categoryId: (await otherOffice.call("listCategories")).categories[0]!.id },
    },
    updateBillingSchedule: { params: { id }, body: {} },
    deleteBillingSchedule: { params: { id } },
  };
  for (const [name, request] of Object.entries(requests)) {
    expect([name, (await otherOffice.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 404]);
    expect([name, (await staff.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 403]);
  }
});
