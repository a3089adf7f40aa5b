import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases";
import { anOffice } from "../../../../../test/office.ts";
import { aReplica, eventsOf } from "../../../test/behind.ts";
import { aLease, aLeaseThatIs, aPlace, aProperty, aUnit, inDays, now, unknownId } from "../../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const { categories } = await office.call("listCategories");
const categoryId = categories.find(({ code }) => code === "4010")!.id;
const least = { parkingType: "unreserved" as const, effectiveStart: "2028-02-29" };

const create = (leaseId: string, body: object) => office.attempt("createParkingRight", { params: { leaseId }, body: body as never });
const created = async (leaseId: string, body: object = least) => {
  const { status, body: answer } = await create(leaseId, body);
  expect(status).toBe(200);
  return answer.parkingRight;
};
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateParkingRight", { params: { id }, body, headers });
const read = async (id: string) => (await office.call("getParkingRight", { params: { id } })).parkingRight;
const listed = async (leaseId: string, query: object = {}) =>
  (await office.call("listParkingRights", { params: { leaseId }, query: query as never })).parkingRights;
const refused = ({ status, body }: Awaited<ReturnType<typeof create>>) => [status, body.errors?.map(({ path, code }) => [path, code])];

const aSpace = (propertyId: string, unitNumber?: string) => aUnit(office, propertyId, { unitType: "parking_space", ...(unitNumber && { unitNumber }) });
const aSchedule = async (leaseId: string, steps: object[] = [{ startDate: "2026-01-01", amountCents: 7_500 }]) =>
  (
    await office.call("createBillingSchedule", {
      params: { leaseId },
      body: { label: "Garage", chargeType: "parking", categoryId, frequency: "monthly", steps: steps as never },
    })
  ).billingSchedule;
const aRule = async (leaseId: string, startDate = "2026-01-01") =>
  (
    await office.call("createRecurringCharge", {
      body: { leaseId, amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee", label: "Parking" },
    })
  ).recurringChargeRule;

describe("createParkingRight", () => {
  test("records what is sent; the rest is empty, and the pricing unknown", async () => {
    const lease = await aLeaseThatIs(office, "active");
    const right = await created(lease.id);
    expect(right).toMatchObject({
      ...least,
      leaseId: lease.id,
      organizationId: office.organizationId,
      rateBasis: "unknown",
      stallUnitIds: [],
      stallUnitNumbers: [],
    });
    const { effectiveEnd, rateFrequency, ratePerSpaceCents, ratioPer1000Sqft, spaceCount, location, notes, stallLabels } = right;
    const { billingScheduleId, recurringChargeRuleId, linkedCharge, deletedAt } = right;
    const empty = [effectiveEnd, rateFrequency, ratePerSpaceCents, ratioPer1000Sqft, spaceCount, location, notes, stallLabels];
    expect(new Set([...empty, billingScheduleId, recurringChargeRuleId, linkedCharge, deletedAt])).toEqual(new Set([null]));
    expect(await read(right.id)).toEqual(right);
    expect(await listed(lease.id)).toEqual([right]);
    expect((await office.call("getLease", { params: { id: lease.id } })).parkingRights).toEqual([right]);
    expect((await eventsOf(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id } });
  });

  test("takes every field up to its edge", async () => {
    const { id, propertyId } = await aLeaseThatIs(office, "draft");
    const [b, a] = [await aSpace(propertyId, "B2"), await aSpace(propertyId)];
    const full = {
      parkingType: "reserved",
      effectiveStart: "2026-01-01",
      effectiveEnd: "2026-01-01",
      rateBasis: "fixed",
      rateFrequency: "annual",
      ratePerSpaceCents: Number.MAX_SAFE_INTEGER,
      ratioPer1000Sqft: 9999.99,
      spaceCount: 100_000,
      location: "x".repeat(200),
      notes: "x".repeat(2000),
      stallLabels: "x".repeat(500),
      stallUnitIds: [b.id, a.id],
    };
    expect(await created(id, full)).toMatchObject({ ...full, stallUnitNumbers: ["B2", ""] });
    const small = { ratioPer1000Sqft: 0.0001, spaceCount: 1, location: "x", rateBasis: "fixed", ratePerSpaceCents: 0 };
    expect(await created(id, { ...least, ...small })).toMatchObject(small);
    expect((await listed(id, { sortDirection: "desc" })).map(({ effectiveStart }) => effectiveStart)).toEqual(["2028-02-29", "2026-01-01"]);
  });

  test.each([
    ["no type", { effectiveStart: "2026-01-01" }, "parkingType", "required"],
    ["an unknown type", { ...least, parkingType: "valet" }, "parkingType", "enum"],
    ["no first day", { parkingType: "other" }, "effectiveStart", "required"],
    ["a day that does not exist", { ...least, effectiveStart: "2027-02-29" }, "effectiveStart", "format"],
    ["an end before the start", { ...least, effectiveEnd: "2028-02-28" }, "effectiveEnd", "before_start"],
    ["an unknown pricing", { ...least, rateBasis: "free" }, "rateBasis", "enum"],
    ["no pricing", { ...least, rateBasis: null }, "rateBasis", "enum"],
    ["an unknown frequency", { ...least, rateFrequency: "weekly" }, "rateFrequency", "enum"],
    ["a rate without pricing", { ...least, ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate of nothing without pricing", { ...least, ratePerSpaceCents: 0 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate that is included", { ...least, rateBasis: "included", ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate at the market's price", { ...least, rateBasis: "market", ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate below nothing", { ...least, rateBasis: "fixed", ratePerSpaceCents: -1 }, "ratePerSpaceCents", "min"],
    ["half a cent", { ...least, rateBasis: "fixed", ratePerSpaceCents: 0.5 }, "ratePerSpaceCents", "type"],
    ["more than can be counted", { ...least, rateBasis: "fixed", ratePerSpaceCents: 2 ** 53 }, "ratePerSpaceCents", "max"],
    ["a ratio of nothing", { ...least, ratioPer1000Sqft: 0 }, "ratioPer1000Sqft", "min"],
    ["too large a ratio", { ...least, ratioPer1000Sqft: 10_000 }, "ratioPer1000Sqft", "max"],
    ["no spaces", { ...least, spaceCount: 0 }, "spaceCount", "min"],
    ["half a space", { ...least, spaceCount: 1.5 }, "spaceCount", "type"],
    ["100001 spaces", { ...least, spaceCount: 100_001 }, "spaceCount", "max"],
    ["a blank location", { ...least, location: " " }, "location", "too_short"],
    ["a location of 201 characters", { ...least, location: "x".repeat(201) }, "location", "too_long"],
    ["empty notes", { ...least, notes: "" }, "notes", "too_short"],
    ["notes of 2001 characters", { ...least, notes: "x".repeat(2001) }, "notes", "too_long"],
    ["empty labels", { ...least, stallLabels: "" }, "stallLabels", "too_short"],
    ["labels of 501 characters", { ...least, stallLabels: "x".repeat(501) }, "stallLabels", "too_long"],
    ["201 stalls", { ...least, stallUnitIds: Array.from({ length: 201 }, unknownId) }, "stallUnitIds", "too_long"],
    ["a stall that is no id", { ...least, stallUnitIds: ["1"] }, "stallUnitIds.0", "format"],
    ["an unknown stall", { ...least, stallUnitIds: [unknownId()] }, "stallUnitIds.0", "not_found"],
    ["an unknown schedule", { ...least, billingScheduleId: unknownId() }, "billingScheduleId", "not_found"],
    ["an unknown rule", { ...least, recurringChargeRuleId: unknownId() }, "recurringChargeRuleId", "not_found"],
    ["two charges", { ...least, billingScheduleId: unknownId(), recurringChargeRuleId: unknownId() }, "recurringChargeRuleId", "not_allowed"],
    ["another member", { ...least, linkedCharge: null }, "linkedCharge", "unrecognized_key"],
  ])("refuses %s", async (_, body, path, code) => {
    const { id } = await aLeaseThatIs(office, "draft");
    expect(refused(await create(id, body))).toEqual([400, [[path, code]]]);
    expect(await listed(id)).toEqual([]);
  });

  test("names each stall that is no parking space of the property by its place", async () => {
    const { id, propertyId, unitId } = await aLeaseThatIs(office, "draft");
    const elsewhere = await aSpace((await aProperty(office)).id);
    const [own, deleted] = await Promise.all([aSpace(propertyId), aSpace(propertyId)]);
    await office.call("deleteUnit", { params: { id: deleted.id } });
    expect(refused(await create(id, { ...least, stallUnitIds: [own.id, unitId, elsewhere.id, deleted.id, own.id] }))).toEqual([
      400,
      [
        ["stallUnitIds.1", "mismatch"],
        ["stallUnitIds.2", "mismatch"],
        ["stallUnitIds.3", "not_found"],
        ["stallUnitIds.4", "unique"],
      ],
    ]);
  });

  test.each(leaseStatuses)("is recorded on a %s lease: it is only terms", async (status) => {
    expect((await created((await aLeaseThatIs(office, status)).id)).parkingType).toBe("unreserved");
  });

  test("happens once under its key", async () => {
    const { id } = await aLeaseThatIs(office, "draft");
    const request = { params: { leaseId: id }, body: least, headers: { "Idempotency-Key": unknownId() } };
    const [first, second] = [await office.attempt("createParkingRight", request), await office.attempt("createParkingRight", request)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect(await listed(id)).toHaveLength(1);
  });
});

describe("a charge that is linked", () => {
  test("is shown with what it charges today, and never changed", async () => {
    const { id } = await aLeaseThatIs(office, "active");
    const [schedule, later] = [await aSchedule(id), await aSchedule(id, [{ startDate: inDays(1), amountCents: 1 }])];
    const [rule, future] = [await aRule(id), await aRule(id, inDays(1))];
    const rights = [
      await created(id, { ...least, billingScheduleId: schedule.id }),
      await created(id, { ...least, billingScheduleId: later.id }),
      await created(id, { ...least, recurringChargeRuleId: rule.id }),
      await created(id, { ...least, recurringChargeRuleId: future.id }),
    ];
    const expected = [
      { id: schedule.id, kind: "billing_schedule", label: "Garage", currentAmountCents: 7_500 },
      { id: later.id, kind: "billing_schedule", label: "Garage", currentAmountCents: null },
      { id: rule.id, kind: "recurring_charge_rule", label: "Parking", currentAmountCents: 5_000 },
      { id: future.id, kind: "recurring_charge_rule", label: "Parking", currentAmountCents: null },
    ];
    expect(rights.map(({ linkedCharge }) => linkedCharge)).toEqual(expected);
    expect(await listed(id, { sortBy: "createdAt" })).toEqual(rights);
    const { parkingRights, recurringChargeRules } = await office.call("getLease", { params: { id } });
    expect(parkingRights.map(({ linkedCharge }) => linkedCharge)).toEqual(expected);
    await update(rights[2]!.id, { rateBasis: "fixed", ratePerSpaceCents: 9_999, spaceCount: 3 });
    await office.call("deleteParkingRight", { params: { id: rights[3]!.id } });
    expect((await office.call("getLease", { params: { id } })).recurringChargeRules).toEqual(recurringChargeRules);
    expect(recurringChargeRules).toEqual([rule, future]);
  });

  test("is one of the same lease", async () => {
    const [mine, other] = await Promise.all([aLeaseThatIs(office, "active"), aLeaseThatIs(office, "active")]);
    const [schedule, rule, deleted] = [await aSchedule(other.id), await aRule(other.id), await aSchedule(mine.id)];
    await office.call("deleteBillingSchedule", { params: { id: deleted.id } });
    expect(refused(await create(mine.id, { ...least, billingScheduleId: schedule.id }))).toEqual([400, [["billingScheduleId", "not_found"]]]);
    expect(refused(await create(mine.id, { ...least, recurringChargeRuleId: rule.id }))).toEqual([400, [["recurringChargeRuleId", "not_found"]]]);
    expect(refused(await create(mine.id, { ...least, billingScheduleId: deleted.id }))).toEqual([400, [["billingScheduleId", "not_found"]]]);
  });

  test("needs the ledger to be linked, but not to be read", async () => {
    const lease = await aLease(office, await aPlace(office));
    const rule = await aRule(lease.id);
    const { id } = await created(lease.id, { ...least, recurringChargeRuleId: rule.id });
    const replica = await aReplica(office, "no ledger");
    const path = `/api/lease-parking-rights/${id}`;
    const shown = await replica.request("GET", path);
    expect([shown.status, shown.body["parkingRight"]]).toMatchObject([200, { recurringChargeRuleId: rule.id, linkedCharge: null }]);
    expect((await replica.request("PATCH", path, { notes: "By the door" })).status).toBe(200);
    expect((await replica.request("PATCH", path, { recurringChargeRuleId: rule.id })).status).toBe(503);
    await replica.stop();
    expect(await read(id)).toMatchObject({ notes: "By the door", linkedCharge: { id: rule.id } });
  });
});

describe("updateParkingRight", () => {
  test("changes what is sent and nothing else, on the version that was read", async () => {
    const { id: leaseId, propertyId } = await aLeaseThatIs(office, "active");
    const space = await aSpace(propertyId, "P1");
    const terms = { ...least, rateBasis: "fixed", ratePerSpaceCents: 5, rateFrequency: "monthly", notes: "x", stallUnitIds: [space.id], spaceCount: 2 };
    const right = await created(leaseId, terms);
    const { status, body, headers } = await update(right.id, { notes: null, location: "Level 2" });
    expect([status, body.parkingRight]).toEqual([200, { ...right, notes: null, location: "Level 2", updatedAt: body.parkingRight.updatedAt }]);
    expect((await update(right.id, { stallUnitIds: [] }, { "If-Match": headers.get("ETag")! })).body.parkingRight).toMatchObject({
      stallUnitIds: [],
      stallUnitNumbers: [],
      rateBasis: "fixed",
      ratePerSpaceCents: 5,
    });
    expect((await update(right.id, { notes: "y" }, { "If-Match": headers.get("ETag")! })).body.code).toBe("version_conflict");
    expect((await update(right.id, {})).body.parkingRight).toMatchObject({ parkingType: "unreserved", spaceCount: 2, location: "Level 2" });
    expect((await eventsOf(office, leaseId)).at(-1)).toMatchObject({ type: "lease.updated" });
  });

  test("holds the whole together: what is sent with what stays", async () => {
    const { id: leaseId, unitId } = await aLeaseThatIs(office, "active");
    const [schedule, rule] = [await aSchedule(leaseId), await aRule(leaseId)];
    const right = await created(leaseId, { ...least, rateBasis: "fixed", ratePerSpaceCents: 5, effectiveEnd: "2028-03-01", billingScheduleId: schedule.id });
    const { id } = right;
    expect(refused(await update(id, { rateBasis: "market" }))).toEqual([400, [["ratePerSpaceCents", "not_allowed"]]]);
    expect(refused(await update(id, { recurringChargeRuleId: rule.id }))).toEqual([400, [["recurringChargeRuleId", "not_allowed"]]]);
    expect(refused(await update(id, { effectiveStart: "2028-03-02" }))).toEqual([400, [["effectiveEnd", "before_start"]]]);
    expect(refused(await update(id, { effectiveEnd: "2028-02-28" }))).toEqual([400, [["effectiveEnd", "before_start"]]]);
    expect(refused(await update(id, { stallUnitIds: [unitId] }))).toEqual([400, [["stallUnitIds.0", "mismatch"]]]);
    expect(refused(await update(id, { rateBasis: null }))).toEqual([400, [["rateBasis", "enum"]]]);
    expect(await read(id)).toEqual(right);
    expect((await update(id, { rateBasis: "market", ratePerSpaceCents: null })).body.parkingRight).toMatchObject({
      rateBasis: "market",
      ratePerSpaceCents: null,
    });
    expect(refused(await update(id, { ratePerSpaceCents: 5 }))).toEqual([400, [["ratePerSpaceCents", "not_allowed"]]]);
    const moved = await update(id, { recurringChargeRuleId: rule.id, billingScheduleId: null, effectiveEnd: null });
    expect(moved.body.parkingRight).toMatchObject({
      billingScheduleId: null,
      effectiveEnd: null,
      linkedCharge: { id: rule.id, kind: "recurring_charge_rule" },
    });
  });

  test("links one charge, though two are sent at once", async () => {
    const { id: leaseId } = await aLeaseThatIs(office, "active");
    const [schedule, rule, right] = [await aSchedule(leaseId), await aRule(leaseId), await created(leaseId)];
    const answers = await Promise.all([update(right.id, { billingScheduleId: schedule.id }), update(right.id, { recurringChargeRuleId: rule.id })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });
});

test("a lease whose parking right names stalls stays at their property", async () => {
  const { id, propertyId } = await aLeaseThatIs(office, "draft");
  const right = await created(id, { ...least, stallUnitIds: [(await aSpace(propertyId)).id] });
  const other = await aProperty(office);
  const body = { propertyId: other.id, unitId: (await aUnit(office, other.id)).id };
  const move = () => office.attempt("updateLease", { params: { id }, body });
  expect((await move()).body.code).toBe("resource_in_use");
  await update(right.id, { stallUnitIds: [] });
  expect((await move()).status).toBe(200);
});

describe("deleteParkingRight", () => {
  test("takes a right off its lease, once", async () => {
    const { id: leaseId } = await aLeaseThatIs(office, "active");
    const { id } = await created(leaseId);
    const remove = () => office.attempt("deleteParkingRight", { params: { id } });
    const answers = await Promise.all([remove(), remove(), remove()]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)!.body.parkingRight).toMatchObject({ id, deletedAt: expect.any(String) });
    expect([(await update(id, {})).status, (await office.attempt("getParkingRight", { params: { id } })).status]).toEqual([404, 404]);
    expect([await listed(leaseId), (await office.call("getLease", { params: { id: leaseId } })).parkingRights]).toEqual([[], []]);
    expect((await listed(leaseId, { includeDeleted: true })).map((right) => right.id)).toEqual([id]);
  });
});

test("parking rights are known to the organization's own alone: staff reads them, admins and managers change them", async () => {
  const { id: leaseId } = await aLeaseThatIs(office, "active");
  const { id } = await created(leaseId, { ...least, effectiveStart: now() });
  const staff = await office.colleague("staff");
  const calls = {
    listParkingRights: { params: { leaseId } },
    getParkingRight: { params: { id } },
    createParkingRight: { params: { leaseId }, body: least },
    updateParkingRight: { params: { id }, body: {} },
    deleteParkingRight: { params: { id } },
  };
  for (const [name, request] of Object.entries(calls)) {
    expect([name, (await stranger.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 404]);
    const reads = name.startsWith("list") || name.startsWith("get");
    expect([name, (await staff.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, reads ? 200 : 403]);
  }
});
