import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/office.ts";
import { eventsOf } from "../../../test/behind.ts";
import { aDraft, aLeaseThatIs, aPlace, inDays, now, unknownId } from "../../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const { categories } = await office.call("listCategories");
const categoryId = categories.find(({ code }) => code === "4000")!.id;
const steps = [
  { startDate: inDays(-30), endDate: inDays(300), amountCents: 500_000 },
  { startDate: inDays(301), amountCents: 600_000 },
];
const terms = { label: "Base rent", chargeType: "base_rent" as const, categoryId, frequency: "monthly" as const, steps };
const create = (leaseId: string, more: object = {}) => office.attempt("createBillingSchedule", { params: { leaseId }, body: { ...terms, ...more } });
const created = async (leaseId: string, more: object = {}) => {
  const { status, body } = await create(leaseId, more);
  expect(status).toBe(200);
  return body.billingSchedule;
};
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateBillingSchedule", { params: { id }, body, headers });
const remove = (id: string) => office.attempt("deleteBillingSchedule", { params: { id } });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const listed = async (leaseId: string, query: object = {}) =>
  (await office.call("listBillingSchedules", { params: { leaseId }, query: query as never })).billingSchedules;

describe("createBillingSchedule", () => {
  test("records the steps in the order of their days, and says so to who follows the lease", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const schedule = await created(lease.id, { steps: steps.toReversed(), label: "  Base rent " });
    expect(schedule).toMatchObject({
      ...terms,
      leaseId: lease.id,
      organizationId: office.organizationId,
      steps: [steps[0], { ...steps[1], endDate: null }],
      currentAmountCents: 500_000,
      deletedAt: null,
    });
    expect(await listed(lease.id)).toEqual([schedule]);
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id, status: "active" } });
    expect((await read(lease.id)).updatedAt > lease.updatedAt).toBe(true);
  });

  test.each([
    ["monthly", 1_000, 1_000],
    ["quarterly", 100_000, 33_333],
    ["quarterly", 200_000, 66_667],
    ["annual", 1_000_006, 83_334],
    ["annual", 0, 0],
  ])("%s base rent of %i is %i a month on the lease", async (frequency, amountCents, cents) => {
    const lease = await aLeaseThatIs(office, "active");
    await created(lease.id, { frequency, steps: [{ startDate: now(), endDate: now(), amountCents }] });
    expect(await read(lease.id)).toMatchObject({ scheduledBaseRentAsOf: now(), scheduledBaseRentCents: cents, rentCents: 150_000 });
  });

  test("counts for the lease on the day that the lease says: its first one while that is to come, and only base rent does", async () => {
    const draft = await aDraft(office, await aPlace(office), { startDate: inDays(10), leaseKind: "commercial" });
    await created(draft.id, { chargeType: "cam", steps: [{ startDate: inDays(10), amountCents: 1 }] });
    expect(await read(draft.id)).toMatchObject({ scheduledBaseRentAsOf: inDays(10), scheduledBaseRentCents: 150_000 });
    const base = await created(draft.id, {
      steps: [
        { startDate: now(), endDate: inDays(9), amountCents: 2 },
        { startDate: inDays(10), amountCents: 3 },
      ],
    });
    expect(base.currentAmountCents).toBe(2);
    expect((await read(draft.id)).scheduledBaseRentCents).toBe(3);
    await update(base.id, { steps: [{ startDate: inDays(11), amountCents: 4 }] });
    expect((await read(draft.id)).scheduledBaseRentCents).toBe(150_000);
    expect((await listed(draft.id)).map(({ currentAmountCents }) => currentAmountCents)).toEqual([null, null]);
  });

  test("has base rent on a day once, however many ask at once; of the rest there may be several", async () => {
    const { id } = await aLeaseThatIs(office, "active");
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 200))
      expect([status, body.code, body.errors?.map(({ path }) => path)]).toEqual([409, "duplicate", ["steps.0.startDate", "steps.1.startDate"]]);
    const cams = await Promise.all([create(id, { chargeType: "cam" }), create(id, { chargeType: "cam" })]);
    expect(cams.map(({ status }) => status)).toEqual([200, 200]);
    expect((await create(id, { steps: [{ startDate: inDays(-60), endDate: inDays(-31), amountCents: 1 }] })).status).toBe(200);
  });

  test("happens once under its key", async () => {
    const { id } = await aLeaseThatIs(office, "draft");
    const request = { params: { leaseId: id }, body: { ...terms, chargeType: "tax" as const }, headers: { "Idempotency-Key": unknownId() } };
    const [first, second] = [await office.attempt("createBillingSchedule", request), await office.attempt("createBillingSchedule", request)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect(await listed(id)).toHaveLength(1);
  });

  const one = { startDate: inDays(1), amountCents: 1 };
  test.each([
    ["a blank label", { label: " " }, "label", "too_short"],
    ["a label of 161 characters", { label: "x".repeat(161) }, "label", "too_long"],
    ["an unknown type", { chargeType: "rent" }, "chargeType", "enum"],
    ["an unknown frequency", { frequency: "weekly" }, "frequency", "enum"],
    ["an unknown account", { categoryId: unknownId() }, "categoryId", "not_found"],
    ["no steps", { steps: [] }, "steps", "too_short"],
    ["201 steps", { steps: Array.from({ length: 201 }, () => one) }, "steps", "too_long"],
    ["a step without a day", { steps: [{ amountCents: 1 }] }, "steps.0.startDate", "required"],
    ["a step without an amount", { steps: [{ startDate: inDays(1) }] }, "steps.0.amountCents", "required"],
    ["an amount below nothing", { steps: [{ ...one, amountCents: -1 }] }, "steps.0.amountCents", "min"],
    ["half a cent", { steps: [{ ...one, amountCents: 0.5 }] }, "steps.0.amountCents", "type"],
    ["a day that does not exist", { steps: [{ ...one, startDate: "2027-02-29" }] }, "steps.0.startDate", "format"],
    ["a step that ends before it starts", { steps: [{ ...one, endDate: now() }] }, "steps.0.endDate", "before_start"],
    ["a step after one without an end", { steps: [one, { ...one, startDate: inDays(2) }] }, "steps.1.startDate", "overlap"],
    ["another member of a step", { steps: [{ ...one, label: "x" }] }, "steps.0.label", "unrecognized_key"],
  ])("refuses %s", async (_, more, path, code) => {
    const { id } = await aLeaseThatIs(office, "draft");
    const { status, body } = await create(id, more);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("takes 200 steps", async () => {
    const { id } = await aLeaseThatIs(office, "draft");
    const many = Array.from({ length: 200 }, (_, index) => ({ startDate: inDays(index), endDate: inDays(index), amountCents: index }));
    expect((await created(id, { steps: many })).steps).toEqual(many);
  });
});

describe("updateBillingSchedule", () => {
  test("changes what is sent and nothing else, on the version that was read", async () => {
    const { id: leaseId } = await aLeaseThatIs(office, "active");
    const schedule = await created(leaseId);
    const { status, body, headers } = await update(schedule.id, { label: "Rent", frequency: "annual" });
    expect([status, body.billingSchedule]).toEqual([200, { ...schedule, label: "Rent", frequency: "annual", updatedAt: body.billingSchedule.updatedAt }]);
    const replaced = [{ startDate: addDays(steps[0]!.startDate, 1), endDate: null, amountCents: 1 }];
    expect((await update(schedule.id, { steps: replaced }, { "If-Match": headers.get("ETag")! })).body.billingSchedule).toMatchObject({
      label: "Rent",
      steps: replaced,
    });
    expect((await update(schedule.id, { label: "x" }, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    expect((await update(schedule.id, {})).body.billingSchedule.steps).toEqual(replaced);
  });

  test("refuses what would not hold together, and leaves the schedule as it was", async () => {
    const { id: leaseId } = await aLeaseThatIs(office, "active");
    const [base, cam] = [await created(leaseId), await created(leaseId, { chargeType: "cam" })];
    const refused = async (body: object) => {
      const answer = await update(cam.id, body);
      return [answer.status, answer.body.errors?.map(({ path, code }) => [path, code])];
    };
    expect(await refused({ chargeType: "base_rent" })).toEqual([
      409,
      [
        ["chargeType", "overlap"],
        ["chargeType", "overlap"],
      ],
    ]);
    expect(await refused({ chargeType: "base_rent", steps: [{ startDate: inDays(301), amountCents: 1 }] })).toEqual([409, [["steps.0.startDate", "overlap"]]]);
    expect(await refused({ steps: [] })).toEqual([400, [["steps", "too_short"]]]);
    expect(await refused({ categoryId: unknownId() })).toEqual([400, [["categoryId", "not_found"]]]);
    expect(await refused({ leaseId })).toEqual([400, [["leaseId", "unrecognized_key"]]]);
    expect(await listed(leaseId)).toEqual([base, cam]);
    expect((await update(base.id, { steps })).status).toBe(200);
  });
});

describe("deleteBillingSchedule", () => {
  test("takes a schedule off its lease, once no parking right is linked to it", async () => {
    const { id: leaseId } = await aLeaseThatIs(office, "active");
    const { id } = await created(leaseId);
    const { parkingRight } = await office.call("createParkingRight", {
      params: { leaseId },
      body: { parkingType: "reserved", effectiveStart: now(), billingScheduleId: id },
    });
    expect((await remove(id)).body.code).toBe("resource_in_use");
    await office.call("deleteParkingRight", { params: { id: parkingRight.id } });
    const statuses = (await Promise.all([remove(id), remove(id)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect([(await remove(id)).status, (await update(id, {})).status]).toEqual([404, 404]);
    expect([await listed(leaseId), (await read(leaseId)).scheduledBaseRentCents]).toEqual([[], 150_000]);
    expect(await listed(leaseId, { includeDeleted: true })).toMatchObject([{ id, deletedAt: expect.any(String) }]);
    expect((await create(leaseId)).status).toBe(200);
  });
});

test("billing schedules are known to the organization's own alone, and to admins and managers", async () => {
  const { id: leaseId } = await aLeaseThatIs(office, "active");
  const { id } = await created(leaseId);
  const staff = await office.colleague("staff");
  const calls = {
    listBillingSchedules: { params: { leaseId } },
    createBillingSchedule: {
      params: { leaseId },
      body: { ...terms, chargeType: "cam", categoryId: (await stranger.call("listCategories")).categories[0]!.id },
    },
    updateBillingSchedule: { params: { id }, body: {} },
    deleteBillingSchedule: { params: { id } },
  };
  for (const [name, request] of Object.entries(calls)) {
    expect([name, (await stranger.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 404]);
    expect([name, (await staff.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 403]);
  }
});
