import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aLease, aLeaseInStatus, createLeaseReferences, aProperty, aUnit, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { categories } = await office.call("listCategories");
const categoryId = categories.find(({ code }) => code === "4010")!.id;
const requiredTerms = { parkingType: "unreserved" as const, effectiveStart: "2028-02-29" };

const create = (leaseId: string, body: object) => office.attempt("createParkingRight", { params: { leaseId }, body: body as never });
const aParkingRight = async (leaseId: string, body: object = requiredTerms) => {
  const { status, body: response } = await create(leaseId, body);
  expect(status).toBe(200);
  return response.parkingRight;
};
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateParkingRight", { params: { id }, body, headers });
const read = async (id: string) => (await office.call("getParkingRight", { params: { id } })).parkingRight;
const list = async (leaseId: string, query: object = {}) =>
  (await office.call("listParkingRights", { params: { leaseId }, query: query as never })).parkingRights;
const errorOf = ({ status, body }: Awaited<ReturnType<typeof create>>) => [status, body.errors?.map(({ path, code }) => [path, code])];

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
  test("stores the given members; the others are null and the rate basis is unknown", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const right = await aParkingRight(lease.id);
    expect(right).toMatchObject({
      ...requiredTerms,
      leaseId: lease.id,
      organizationId: office.organizationId,
      rateBasis: "unknown",
      stallUnitIds: [],
      stallUnitNumbers: [],
    });
    const { effectiveEnd, rateFrequency, ratePerSpaceCents, ratioPer1000Sqft, spaceCount, location, notes, stallLabels } = right;
    const { billingScheduleId, recurringChargeRuleId, linkedCharge, deletedAt } = right;
    const nullMembers = [effectiveEnd, rateFrequency, ratePerSpaceCents, ratioPer1000Sqft, spaceCount, location, notes, stallLabels];
    expect(new Set([...nullMembers, billingScheduleId, recurringChargeRuleId, linkedCharge, deletedAt])).toEqual(new Set([null]));
    expect(await read(right.id)).toEqual(right);
    expect(await list(lease.id)).toEqual([right]);
    expect((await office.call("getLease", { params: { id: lease.id } })).parkingRights).toEqual([right]);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id } });
  });

  test("accepts the limits of every member", async () => {
    const { id, propertyId } = await aLeaseInStatus(office, "draft");
    const [b, a] = [await aSpace(propertyId, "B2"), await aSpace(propertyId)];
    const maximum = {
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
    expect(await aParkingRight(id, maximum)).toMatchObject({ ...maximum, stallUnitNumbers: ["B2", ""] });
    const minimum = { ratioPer1000Sqft: 0.0001, spaceCount: 1, location: "x", rateBasis: "fixed", ratePerSpaceCents: 0 };
    expect(await aParkingRight(id, { ...requiredTerms, ...minimum })).toMatchObject(minimum);
    expect((await list(id)).map(({ effectiveStart }) => effectiveStart)).toEqual(["2028-02-29", "2026-01-01"]);
  });

  test.each([
    ["no type", { effectiveStart: "2026-01-01" }, "parkingType", "required"],
    ["an unknown type", { ...requiredTerms, parkingType: "valet" }, "parkingType", "enum"],
    ["no start", { parkingType: "other" }, "effectiveStart", "required"],
    ["a date that does not exist", { ...requiredTerms, effectiveStart: "2027-02-29" }, "effectiveStart", "format"],
    ["an end before the start", { ...requiredTerms, effectiveEnd: "2028-02-28" }, "effectiveEnd", "before_start"],
    ["an unknown rate basis", { ...requiredTerms, rateBasis: "free" }, "rateBasis", "enum"],
    ["a null rate basis", { ...requiredTerms, rateBasis: null }, "rateBasis", "enum"],
    ["an unknown frequency", { ...requiredTerms, rateFrequency: "weekly" }, "rateFrequency", "enum"],
    ["a rate without a rate basis", { ...requiredTerms, ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a zero rate without a rate basis", { ...requiredTerms, ratePerSpaceCents: 0 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate with rate basis included", { ...requiredTerms, rateBasis: "included", ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a rate with rate basis market", { ...requiredTerms, rateBasis: "market", ratePerSpaceCents: 1 }, "ratePerSpaceCents", "not_allowed"],
    ["a negative rate", { ...requiredTerms, rateBasis: "fixed", ratePerSpaceCents: -1 }, "ratePerSpaceCents", "min"],
    ["half a cent", { ...requiredTerms, rateBasis: "fixed", ratePerSpaceCents: 0.5 }, "ratePerSpaceCents", "type"],
    ["a rate above the safe integers", { ...requiredTerms, rateBasis: "fixed", ratePerSpaceCents: 2 ** 53 }, "ratePerSpaceCents", "max"],
    ["a ratio of zero", { ...requiredTerms, ratioPer1000Sqft: 0 }, "ratioPer1000Sqft", "min"],
    ["too large a ratio", { ...requiredTerms, ratioPer1000Sqft: 10_000 }, "ratioPer1000Sqft", "max"],
    ["no spaces", { ...requiredTerms, spaceCount: 0 }, "spaceCount", "min"],
    ["half a space", { ...requiredTerms, spaceCount: 1.5 }, "spaceCount", "type"],
    ["100001 spaces", { ...requiredTerms, spaceCount: 100_001 }, "spaceCount", "max"],
    ["a blank location", { ...requiredTerms, location: " " }, "location", "too_short"],
    ["a location of 201 characters", { ...requiredTerms, location: "x".repeat(201) }, "location", "too_long"],
    ["empty notes", { ...requiredTerms, notes: "" }, "notes", "too_short"],
    ["notes of 2001 characters", { ...requiredTerms, notes: "x".repeat(2001) }, "notes", "too_long"],
    ["empty labels", { ...requiredTerms, stallLabels: "" }, "stallLabels", "too_short"],
    ["labels of 501 characters", { ...requiredTerms, stallLabels: "x".repeat(501) }, "stallLabels", "too_long"],
    ["201 stalls", { ...requiredTerms, stallUnitIds: Array.from({ length: 201 }, unknownId) }, "stallUnitIds", "too_long"],
    ["a stall id with a wrong format", { ...requiredTerms, stallUnitIds: ["1"] }, "stallUnitIds.0", "format"],
    ["an unknown stall", { ...requiredTerms, stallUnitIds: [unknownId()] }, "stallUnitIds.0", "not_found"],
    ["an unknown schedule", { ...requiredTerms, billingScheduleId: unknownId() }, "billingScheduleId", "not_found"],
    ["an unknown rule", { ...requiredTerms, recurringChargeRuleId: unknownId() }, "recurringChargeRuleId", "not_found"],
    ["two linked charges", { ...requiredTerms, billingScheduleId: unknownId(), recurringChargeRuleId: unknownId() }, "recurringChargeRuleId", "not_allowed"],
    ["an unknown member", { ...requiredTerms, linkedCharge: null }, "linkedCharge", "unrecognized_key"],
  ])("refuses %s", async (_, body, path, code) => {
    const { id } = await aLeaseInStatus(office, "draft");
    expect(errorOf(await create(id, body))).toEqual([400, [[path, code]]]);
    expect(await list(id)).toEqual([]);
  });

  test("reports the path of each stall that is not a parking space of the property", async () => {
    const { id, propertyId, unitId } = await aLeaseInStatus(office, "draft");
    const atOtherProperty = await aSpace((await aProperty(office)).id);
    const [valid, deleted] = await Promise.all([aSpace(propertyId), aSpace(propertyId)]);
    await office.call("deleteUnit", { params: { id: deleted.id } });
    expect(errorOf(await create(id, { ...requiredTerms, stallUnitIds: [valid.id, unitId, atOtherProperty.id, deleted.id, valid.id] }))).toEqual([
      400,
      [
        ["stallUnitIds.1", "mismatch"],
        ["stallUnitIds.2", "mismatch"],
        ["stallUnitIds.3", "not_found"],
        ["stallUnitIds.4", "unique"],
      ],
    ]);
  });

  test.each(leaseStatuses)("is allowed on a %s lease", async (status) => {
    expect((await aParkingRight((await aLeaseInStatus(office, status)).id)).parkingType).toBe("unreserved");
  });

  test("creates one right per Idempotency-Key", async () => {
    const { id } = await aLeaseInStatus(office, "draft");
    const request = { params: { leaseId: id }, body: requiredTerms, headers: { "Idempotency-Key": unknownId() } };
    const [first, second] = [await office.attempt("createParkingRight", request), await office.attempt("createParkingRight", request)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect(await list(id)).toHaveLength(1);
  });
});

describe("a linked charge", () => {
  test("is returned with its current amount and does not change with the parking right", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const [schedule, futureSchedule] = [await aSchedule(id), await aSchedule(id, [{ startDate: inDays(1), amountCents: 1 }])];
    const [rule, futureRule] = [await aRule(id), await aRule(id, inDays(1))];
    const rights = [
      await aParkingRight(id, { ...requiredTerms, billingScheduleId: schedule.id }),
      await aParkingRight(id, { ...requiredTerms, billingScheduleId: futureSchedule.id }),
      await aParkingRight(id, { ...requiredTerms, recurringChargeRuleId: rule.id }),
      await aParkingRight(id, { ...requiredTerms, recurringChargeRuleId: futureRule.id }),
    ];
    const expected = [
      { id: schedule.id, kind: "billing_schedule", label: "Garage", currentAmountCents: 7_500 },
      { id: futureSchedule.id, kind: "billing_schedule", label: "Garage", currentAmountCents: null },
      { id: rule.id, kind: "recurring_charge_rule", label: "Parking", currentAmountCents: 5_000 },
      { id: futureRule.id, kind: "recurring_charge_rule", label: "Parking", currentAmountCents: null },
    ];
    expect(rights.map(({ linkedCharge }) => linkedCharge)).toEqual(expected);
    expect(await list(id, { sortBy: "createdAt" })).toEqual(rights.toReversed());
    const { parkingRights, recurringChargeRules } = await office.call("getLease", { params: { id } });
    expect(parkingRights.map(({ linkedCharge }) => linkedCharge)).toEqual(expected);
    await update(rights[2]!.id, { rateBasis: "fixed", ratePerSpaceCents: 9_999, spaceCount: 3 });
    await office.call("deleteParkingRight", { params: { id: rights[3]!.id } });
    expect((await office.call("getLease", { params: { id } })).recurringChargeRules).toEqual(recurringChargeRules);
    expect(recurringChargeRules).toEqual([rule, futureRule]);
  });

  test("must belong to the same lease", async () => {
    const [lease, otherLease] = await Promise.all([aLeaseInStatus(office, "active"), aLeaseInStatus(office, "active")]);
    const [schedule, rule, deleted] = [await aSchedule(otherLease.id), await aRule(otherLease.id), await aSchedule(lease.id)];
    await office.call("deleteBillingSchedule", { params: { id: deleted.id } });
    expect(errorOf(await create(lease.id, { ...requiredTerms, billingScheduleId: schedule.id }))).toEqual([400, [["billingScheduleId", "not_found"]]]);
    expect(errorOf(await create(lease.id, { ...requiredTerms, recurringChargeRuleId: rule.id }))).toEqual([400, [["recurringChargeRuleId", "not_found"]]]);
    expect(errorOf(await create(lease.id, { ...requiredTerms, billingScheduleId: deleted.id }))).toEqual([400, [["billingScheduleId", "not_found"]]]);
  });

  test("can be linked only while the ledger is available; without the ledger, the right can still be read and changed", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const rule = await aRule(lease.id);
    const { id } = await aParkingRight(lease.id, { ...requiredTerms, recurringChargeRuleId: rule.id });
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      const path = `/api/lease-parking-rights/${id}`;
      const response = await replica.request("GET", path);
      expect([response.status, response.body["parkingRight"]]).toMatchObject([200, { recurringChargeRuleId: rule.id, linkedCharge: null }]);
      expect((await replica.request("PATCH", path, { notes: "By the door" })).status).toBe(200);
      expect((await replica.request("PATCH", path, { recurringChargeRuleId: rule.id })).status).toBe(503);
    } finally {
      await replica.stop();
    }
    expect(await read(id)).toMatchObject({ notes: "By the door", linkedCharge: { id: rule.id } });
  });
});

describe("updateParkingRight", () => {
  test("changes only the given members and honours If-Match", async () => {
    const { id: leaseId, propertyId } = await aLeaseInStatus(office, "active");
    const space = await aSpace(propertyId, "P1");
    const terms = { ...requiredTerms, rateBasis: "fixed", ratePerSpaceCents: 5, rateFrequency: "monthly", notes: "x", stallUnitIds: [space.id], spaceCount: 2 };
    const right = await aParkingRight(leaseId, terms);
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
    expect((await findOutboxEvents(office, leaseId)).at(-1)).toMatchObject({ type: "lease.updated" });
  });

  test("validates the given members together with the stored ones", async () => {
    const { id: leaseId, unitId } = await aLeaseInStatus(office, "active");
    const [schedule, rule] = [await aSchedule(leaseId), await aRule(leaseId)];
    const right = await aParkingRight(leaseId, {
      ...requiredTerms,
      rateBasis: "fixed",
      ratePerSpaceCents: 5,
      effectiveEnd: "2028-03-01",
      billingScheduleId: schedule.id,
    });
    const { id } = right;
    expect(errorOf(await update(id, { rateBasis: "market" }))).toEqual([400, [["ratePerSpaceCents", "not_allowed"]]]);
    expect(errorOf(await update(id, { recurringChargeRuleId: rule.id }))).toEqual([400, [["recurringChargeRuleId", "not_allowed"]]]);
    expect(errorOf(await update(id, { effectiveStart: "2028-03-02" }))).toEqual([400, [["effectiveEnd", "before_start"]]]);
    expect(errorOf(await update(id, { effectiveEnd: "2028-02-28" }))).toEqual([400, [["effectiveEnd", "before_start"]]]);
    expect(errorOf(await update(id, { stallUnitIds: [unitId] }))).toEqual([400, [["stallUnitIds.0", "mismatch"]]]);
    expect(errorOf(await update(id, { rateBasis: null }))).toEqual([400, [["rateBasis", "enum"]]]);
    expect(await read(id)).toEqual(right);
    expect((await update(id, { rateBasis: "market", ratePerSpaceCents: null })).body.parkingRight).toMatchObject({
      rateBasis: "market",
      ratePerSpaceCents: null,
    });
    expect(errorOf(await update(id, { ratePerSpaceCents: 5 }))).toEqual([400, [["ratePerSpaceCents", "not_allowed"]]]);
    const relinked = await update(id, { recurringChargeRuleId: rule.id, billingScheduleId: null, effectiveEnd: null });
    expect(relinked.body.parkingRight).toMatchObject({
      billingScheduleId: null,
      effectiveEnd: null,
      linkedCharge: { id: rule.id, kind: "recurring_charge_rule" },
    });
  });

  test("links only one charge when concurrent requests link a billing schedule and a recurring charge rule", async () => {
    const { id: leaseId } = await aLeaseInStatus(office, "active");
    const [schedule, rule, right] = [await aSchedule(leaseId), await aRule(leaseId), await aParkingRight(leaseId)];
    const responses = await Promise.all([update(right.id, { billingScheduleId: schedule.id }), update(right.id, { recurringChargeRuleId: rule.id })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });
});

test("a lease whose parking right lists stalls cannot move to another property", async () => {
  const { id, propertyId } = await aLeaseInStatus(office, "draft");
  const right = await aParkingRight(id, { ...requiredTerms, stallUnitIds: [(await aSpace(propertyId)).id] });
  const other = await aProperty(office);
  const body = { propertyId: other.id, unitId: (await aUnit(office, other.id)).id };
  const move = () => office.attempt("updateLease", { params: { id }, body });
  expect((await move()).body.code).toBe("resource_in_use");
  await update(right.id, { stallUnitIds: [] });
  expect((await move()).status).toBe(200);
});

describe("deleteParkingRight", () => {
  test("soft-deletes a right once", async () => {
    const { id: leaseId } = await aLeaseInStatus(office, "active");
    const { id } = await aParkingRight(leaseId);
    const remove = () => office.attempt("deleteParkingRight", { params: { id } });
    const responses = await Promise.all([remove(), remove(), remove()]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect(responses.find(({ status }) => status === 200)!.body.parkingRight).toMatchObject({ id, deletedAt: expect.any(String) });
    expect([(await update(id, {})).status, (await office.attempt("getParkingRight", { params: { id } })).status]).toEqual([404, 404]);
    expect([await list(leaseId), (await office.call("getLease", { params: { id: leaseId } })).parkingRights]).toEqual([[], []]);
    expect((await list(leaseId, { includeDeleted: true })).map((right) => right.id)).toEqual([id]);
  });
});

test("parking rights return 404 to other organizations; staff can read but not change them", async () => {
  const { id: leaseId } = await aLeaseInStatus(office, "active");
  const { id } = await aParkingRight(leaseId, { ...requiredTerms, effectiveStart: currentDate() });
  const staff = await office.colleague("staff");
  const requests = {
    listParkingRights: { params: { leaseId } },
    getParkingRight: { params: { id } },
    createParkingRight: { params: { leaseId }, body: requiredTerms },
    updateParkingRight: { params: { id }, body: {} },
    deleteParkingRight: { params: { id } },
  };
  for (const [name, request] of Object.entries(requests)) {
    expect([name, (await otherOffice.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 404]);
    const isRead = name.startsWith("list") || name.startsWith("get");
    expect([name, (await staff.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, isRead ? 200 : 403]);
  }
});

test("a unit is not deleted while a parking right of an active lease names it as its stall", async () => {
  const lease = await aLeaseInStatus(office, "active");
  const stall = await aSpace(lease.propertyId);
  const { id } = await aParkingRight(lease.id, { parkingType: "reserved", effectiveStart: lease.startDate, stallUnitIds: [stall.id] });
  const remove = () => office.attempt("deleteUnit", { params: { id: stall.id } });
  expect((await remove()).body.code).toBe("resource_in_use");
  expect((await update(id, { stallUnitIds: [] })).status).toBe(200);
  expect((await remove()).status).toBe(200);
});
