import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases";
import { addDays, addMonths, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/office.ts";
import { eventually } from "../../../../../test/world.ts";
import { ledgerClient, portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aLease, aLeaseInStatus, createLeaseParties, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const change = (id: string, body: object, headers: Record<string, string> = {}) =>
  office.attempt("createRentChange", { params: { id }, body: body as never, headers });
const changed = async (id: string, effectiveDate: string, rentCents: number) =>
  (await office.call("createRentChange", { params: { id }, body: { effectiveDate, rentCents } })).rentChange;
const takeBack = (id: string, headers: Record<string, string> = {}) => office.attempt("deleteRentChange", { params: { id }, headers });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const listed = async (id: string, query: object = {}) => (await office.call("listRentChanges", { params: { id }, query: query as never })).rentChanges;
const month = (months: number) => addMonths(startOfMonth(currentDate()), months);

describe("createRentChange", () => {
  test("splits the rent rule at the day, and says so to who follows the lease", async () => {
    const lease = await aLease(office, await createLeaseParties(office));
    const terms = { effectiveDate: month(2), rentCents: 160_000, noticeSentOn: currentDate() };
    const { status, body, headers } = await change(lease.id, terms);
    expect(status).toBe(200);
    expect(body.rentChange).toMatchObject({ ...terms, leaseId: lease.id, organizationId: office.organizationId, previousRentCents: 150_000, deletedAt: null });
    expect(body.recurringChargeRules).toMatchObject([
      { leaseId: lease.id, startDate: lease.startDate, endDate: addDays(month(2), -1), amountCents: 150_000, status: "active" },
      { leaseId: lease.id, startDate: month(2), endDate: lease.endDate, amountCents: 160_000, status: "active", kind: "rent", label: "Rent" },
    ]);
    expect(headers.get("ETag")).not.toBeNull();
    const after = await office.call("getLease", { params: { id: lease.id } });
    expect([after.lease.rentCents, after.lease.updatedAt > lease.updatedAt]).toEqual([150_000, true]);
    expect(after.recurringChargeRules).toEqual(body.recurringChargeRules);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id, status: "active" } });
    expect(await listed(lease.id)).toEqual([body.rentChange]);
  });

  test("is the lease's rent at once from today, and else on its day", async () => {
    const lease = await aLeaseInStatus(office, "active");
    await changed(lease.id, currentDate(), 155_000);
    expect((await read(lease.id)).rentCents).toBe(155_000);
    const later = await changed(lease.id, inDays(1), 160_000);
    expect((await read(lease.id)).rentCents).toBe(155_000);
    const { length } = await findOutboxEvents(office, lease.id);
    await queryRows(
      office.organizationId,
      "update rent_change set effective_date = case when id = $1 then $2::date else effective_date - 1 end where lease_id = $3",
      [later.id, currentDate(), lease.id],
    );
    await makeJobsDue(office);
    await eventually("the rent of the day", async () => ((await read(lease.id)).rentCents === 160_000 ? true : undefined));
    expect((await findOutboxEvents(office, lease.id)).slice(length)).toMatchObject([{ type: "lease.updated", actorUserId: null }]);
  });

  test("takes several in any order, each knowing the rent before it", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const last = await changed(id, inDays(90), 180_000);
    const middle = await changed(id, inDays(60), 170_000);
    await changed(id, inDays(30), 0);
    const chain = async () => (await listed(id)).map(({ effectiveDate, previousRentCents, rentCents }) => [effectiveDate, previousRentCents, rentCents]);
    expect(await chain()).toEqual([
      [inDays(30), 150_000, 0],
      [inDays(60), 0, 170_000],
      [inDays(90), 170_000, 180_000],
    ]);
    await takeBack(middle.id);
    expect(await chain()).toEqual([
      [inDays(30), 150_000, 0],
      [inDays(90), 0, 180_000],
    ]);
    expect((await listed(id, { sortDirection: "desc", pageSize: 1 }))[0]!.id).toBe(last.id);
    expect((await listed(id, { includeDeleted: true })).map(({ id, deletedAt }) => [id, deletedAt !== null])).toContainEqual([middle.id, true]);
  });

  test("allows one a day, however many ask at once, and another once that was taken back", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const responses = await Promise.all([151_000, 152_000, 153_000, 154_000].map((rentCents) => change(id, { effectiveDate: inDays(10), rentCents })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const [refused] = responses.filter(({ status }) => status !== 200);
    expect([refused!.status, refused!.body.code, refused!.body.errors]).toMatchObject([409, "duplicate", [{ path: "effectiveDate", code: "unique" }]]);
    const [standing] = await listed(id);
    await takeBack(standing!.id);
    expect((await change(id, { effectiveDate: inDays(10), rentCents: 1 })).status).toBe(200);
  });

  test("leaves a rule for each rent, whichever of several at once the ledger hears of last", async () => {
    const { id } = await aLease(office, await createLeaseParties(office));
    const { client, caller } = portfolioClient(office);
    const rules = async () => (await office.call("listRecurringCharges", { query: { leaseId: id } })).recurringChargeRules;
    const [before] = (await client.getLeases(caller, { ids: [id] })).leases;
    await Promise.all([2, 3, 4, 5].map((months) => changed(id, month(months), months * 1_000)));
    await ledgerClient().reviseLeaseBilling(caller, { lease: before });
    const expected = [150_000, 2_000, 3_000, 4_000, 5_000].map((amountCents, index) => ({
      amountCents,
      status: "active",
      ...(index > 0 && { startDate: month(index + 1) }),
      ...(index < 4 && { endDate: addDays(month(index + 2), -1) }),
    }));
    expect((await rules()).toSorted((a, b) => (a.startDate < b.startDate ? -1 : 1))).toMatchObject(expected);
  });

  test("refuses a day that rent is charged for, until the charge is voided", async () => {
    const lease = await aLease(office, await createLeaseParties(office));
    await office.call("postDueCharges", { body: { throughDate: month(2), propertyId: lease.propertyId } });
    const { status, body } = await change(lease.id, { effectiveDate: endOfMonth(month(2)), rentCents: 160_000 });
    expect([status, body.code, body.errors]).toMatchObject([409, "resource_in_use", [{ path: "effectiveDate", code: "not_allowed" }]]);
    expect(body.message).toContain(`Rent is charged through ${endOfMonth(month(2))} already. Choose ${month(3)} or later`);
    expect(await listed(lease.id)).toEqual([]);
    expect((await change(lease.id, { effectiveDate: month(3), rentCents: 170_000 })).status).toBe(200);
    const { charges } = await office.call("listCharges", { query: { leaseId: lease.id } });
    await office.call("voidCharge", { params: { id: charges.find(({ dueDate }) => dueDate === month(2))!.id }, body: { reason: "The rent changes." } });
    expect((await change(lease.id, { effectiveDate: month(2), rentCents: 160_000 })).status).toBe(200);
  });

  test.each([
    ["no day", { rentCents: 1 }, "effectiveDate", "required"],
    ["a day that does not exist", { effectiveDate: "2027-02-29", rentCents: 1 }, "effectiveDate", "format"],
    ["the first day of the lease", { effectiveDate: inDays(-30), rentCents: 1 }, "effectiveDate", "before_start"],
    ["a day after its last", { effectiveDate: inDays(335), rentCents: 1 }, "effectiveDate", "max"],
    ["no rent", { effectiveDate: inDays(1) }, "rentCents", "required"],
    ["a rent below nothing", { effectiveDate: inDays(1), rentCents: -1 }, "rentCents", "min"],
    ["half a cent", { effectiveDate: inDays(1), rentCents: 0.5 }, "rentCents", "type"],
    ["a rent as text", { effectiveDate: inDays(1), rentCents: "1" }, "rentCents", "type"],
    ["more than can be counted", { effectiveDate: inDays(1), rentCents: 2 ** 53 }, "rentCents", "max"],
    ["notice after the change", { effectiveDate: inDays(1), rentCents: 1, noticeSentOn: inDays(2) }, "noticeSentOn", "max"],
    ["another member", { effectiveDate: inDays(1), rentCents: 1, previousRentCents: 1 }, "previousRentCents", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { id } = await aLeaseInStatus(office, "active");
    const { status, body } = await change(id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test.each(leaseStatuses.filter((status) => status !== "active"))("is refused on a %s lease", async (status) => {
    const { id } = await aLeaseInStatus(office, status);
    const response = await change(id, { effectiveDate: inDays(10), rentCents: 1 });
    expect([response.status, response.body.code]).toEqual([409, "invalid_transition"]);
    expect(response.body.message).toContain(`is ${status} and cannot have its rent changed`);
  });

  test("is for the lease that was read, and once under its key", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const terms = { effectiveDate: inDays(10), rentCents: 1 };
    expect((await change(id, terms, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    const key = { "Idempotency-Key": unknownId() };
    const [first, second] = [await change(id, terms, key), await change(id, terms, key)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect((await change(id, { ...terms, rentCents: 2 }, key)).body.code).toBe("idempotency_key_reused");
  });

  test("needs the ledger; when it fails after the change was recorded, the answer says so and the same key completes it", async () => {
    const { id } = await aLease(office, await createLeaseParties(office));
    const terms = { effectiveDate: month(2), rentCents: 160_000 };
    const path = `/api/leases/${id}/rent-changes`;
    const nobody = await startReplica(office, { reachable: "nothing" });
    expect((await nobody.request("POST", path, terms)).status).toBe(503);
    await nobody.stop();
    expect(await listed(id)).toEqual([]);
    const half = await startReplica(office, { reachable: "read-only ledger" });
    const key = { "Idempotency-Key": unknownId() };
    const failed = await half.request("POST", path, terms, key);
    await half.stop();
    expect([failed.status, failed.body["message"]]).toEqual([503, expect.stringContaining("The rent change is recorded")]);
    const completed = await change(id, terms, key);
    expect(completed.body.recurringChargeRules.map(({ amountCents }) => amountCents)).toEqual([150_000, 160_000]);
    expect(await listed(id)).toHaveLength(1);
  });
});

describe("deleteRentChange", () => {
  test("takes a change back before its day; the lease and its rule are as before", async () => {
    const lease = await aLease(office, await createLeaseParties(office));
    const [rule] = (await office.call("listRecurringCharges", { query: { leaseId: lease.id } })).recurringChargeRules;
    const { id } = await changed(lease.id, month(2), 160_000);
    expect((await takeBack(id, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    const { status, body } = await takeBack(id);
    expect([status, body.rentChange.id]).toEqual([200, id]);
    expect(body.rentChange.deletedAt).not.toBeNull();
    expect(body.recurringChargeRules[0]).toEqual({ ...rule, updatedAt: body.recurringChargeRules[0]!.updatedAt });
    expect(body.recurringChargeRules[1]).toMatchObject({ amountCents: 160_000, status: "ended" });
    expect((await takeBack(id)).status).toBe(404);
  });

  test("is refused from its day on", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const { id } = await changed(lease.id, currentDate(), 160_000);
    const { status, body } = await takeBack(id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    expect(body.message).toContain(`The rent changed on ${currentDate()}`);
    expect((await read(lease.id)).rentCents).toBe(160_000);
  });

  test("happens once, however many ask at once", async () => {
    const { id } = await changed((await aLeaseInStatus(office, "active")).id, inDays(10), 160_000);
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => takeBack(id)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });
});

test("rent changes are known to the organization's own alone, and to admins and managers", async () => {
  const lease = await aLeaseInStatus(office, "active");
  const { id } = await changed(lease.id, inDays(10), 160_000);
  const staff = await office.colleague("staff");
  const calls = {
    listRentChanges: { params: { id: lease.id } },
    createRentChange: { params: { id: lease.id }, body: { effectiveDate: inDays(20), rentCents: 1 } },
    deleteRentChange: { params: { id } },
  };
  for (const [name, request] of Object.entries(calls)) {
    expect([name, (await otherOffice.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 404]);
    expect([name, (await staff.attempt(name as keyof typeof calls, request as never)).status]).toEqual([name, 403]);
  }
});
