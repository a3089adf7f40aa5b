import { describe, expect, test } from "@jest/globals";
import { leaseStatuses } from "@freehold/contract/leases/leases";
import { addDays, addMonths, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { ledgerClient, portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { startReplica } from "../../../test/replica.ts";
import { aLease, aLeaseInStatus, createLeaseReferences, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const create = (id: string, body: object, headers: Record<string, string> = {}) =>
  office.attempt("createRentChange", { params: { id }, body: body as never, headers });
const aRentChange = async (id: string, effectiveDate: string, rentCents: number) =>
  (await office.call("createRentChange", { params: { id }, body: { effectiveDate, rentCents } })).rentChange;
const remove = (id: string, headers: Record<string, string> = {}) => office.attempt("deleteRentChange", { params: { id }, headers });
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;
const list = async (id: string, query: object = {}) => (await office.call("listRentChanges", { params: { id }, query: query as never })).rentChanges;
const startOfMonthIn = (months: number) => addMonths(startOfMonth(currentDate()), months);

describe("createRentChange", () => {
  test("splits the recurring rent at the effective date and publishes lease.updated", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const terms = { effectiveDate: startOfMonthIn(2), rentCents: 160_000, noticeSentOn: currentDate() };
    const { status, body, headers } = await create(lease.id, terms);
    expect(status).toBe(200);
    expect(body.rentChange).toMatchObject({ ...terms, leaseId: lease.id, organizationId: office.organizationId, previousRentCents: 150_000, deletedAt: null });
    expect(body.recurringChargeRules).toMatchObject([
      { leaseId: lease.id, startDate: lease.startDate, endDate: addDays(startOfMonthIn(2), -1), amountCents: 150_000, status: "active" },
      { leaseId: lease.id, startDate: startOfMonthIn(2), endDate: lease.endDate, amountCents: 160_000, status: "active", kind: "rent", label: "Rent" },
    ]);
    expect(headers.get("ETag")).not.toBeNull();
    const after = await office.call("getLease", { params: { id: lease.id } });
    expect([after.lease.rentCents, after.lease.updatedAt > lease.updatedAt]).toEqual([150_000, true]);
    expect(after.recurringChargeRules).toEqual(body.recurringChargeRules);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { leaseId: lease.id, status: "active" } });
    expect(await list(lease.id)).toEqual([body.rentChange]);
  });

  test("changes the rent of the lease on its effective date, at once if that is today", async () => {
    const lease = await aLeaseInStatus(office, "active");
    await aRentChange(lease.id, currentDate(), 155_000);
    expect((await read(lease.id)).rentCents).toBe(155_000);
    const future = await aRentChange(lease.id, inDays(1), 160_000);
    expect((await read(lease.id)).rentCents).toBe(155_000);
    const { length } = await findOutboxEvents(office, lease.id);
    await queryRows(
      office.organizationId,
      "update rent_change set effective_date = case when id = $1 then $2::date else effective_date - 1 end where lease_id = $3",
      [future.id, currentDate(), lease.id],
    );
    await makeJobsDue(office);
    await eventually("changed rent", async () => (await read(lease.id)).rentCents === 160_000);
    expect((await findOutboxEvents(office, lease.id)).slice(length)).toMatchObject([{ type: "lease.updated", actorUserId: null }]);
  });

  test("accepts several changes in any order and maintains the previous rents", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const last = await aRentChange(id, inDays(90), 180_000);
    const middle = await aRentChange(id, inDays(60), 170_000);
    await aRentChange(id, inDays(30), 0);
    const listRents = async () =>
      (await list(id, { sortDirection: "asc" })).map(({ effectiveDate, previousRentCents, rentCents }) => [effectiveDate, previousRentCents, rentCents]);
    expect(await listRents()).toEqual([
      [inDays(30), 150_000, 0],
      [inDays(60), 0, 170_000],
      [inDays(90), 170_000, 180_000],
    ]);
    await remove(middle.id);
    expect(await listRents()).toEqual([
      [inDays(30), 150_000, 0],
      [inDays(90), 0, 180_000],
    ]);
    expect((await list(id, { pageSize: 1 }))[0]!.id).toBe(last.id);
    expect((await list(id, { includeDeleted: true })).map((rentChange) => [rentChange.id, rentChange.deletedAt !== null])).toContainEqual([middle.id, true]);
  });

  test("creates one change per day with concurrent requests, and another after a deletion", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const responses = await Promise.all([151_000, 152_000, 153_000, 154_000].map((rentCents) => create(id, { effectiveDate: inDays(10), rentCents })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of responses.filter((response) => response.status !== 200))
      expect([status, body.code, body.errors]).toMatchObject([409, "duplicate", [{ path: "effectiveDate", code: "unique" }]]);
    const [rentChange] = await list(id);
    await remove(rentChange!.id);
    expect((await create(id, { effectiveDate: inDays(10), rentCents: 1 })).status).toBe(200);
  });

  test("creates one recurring charge rule per rent for concurrent changes, even when the ledger receives an outdated lease last", async () => {
    const { id } = await aLease(office, await createLeaseReferences(office));
    const { client, caller } = portfolioClient(office);
    const listRules = async () => (await office.call("listRecurringCharges", { query: { leaseId: id } })).recurringChargeRules;
    const [outdatedLease] = (await client.getLeases(caller, { ids: [id] })).leases;
    await Promise.all([2, 3, 4, 5].map((months) => aRentChange(id, startOfMonthIn(months), months * 1_000)));
    await ledgerClient().reviseLeaseBilling(caller, { lease: outdatedLease });
    const expected = [150_000, 2_000, 3_000, 4_000, 5_000].map((amountCents, index) => ({
      amountCents,
      status: "active",
      ...(index > 0 && { startDate: startOfMonthIn(index + 1) }),
      ...(index < 4 && { endDate: addDays(startOfMonthIn(index + 2), -1) }),
    }));
    expect((await listRules()).toSorted((a, b) => (a.startDate < b.startDate ? -1 : 1))).toMatchObject(expected);
  });

  test("refuses a charged date until the charge is voided", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    await office.call("postDueCharges", { body: { throughDate: startOfMonthIn(2), propertyId: lease.propertyId } });
    const { status, body } = await create(lease.id, { effectiveDate: endOfMonth(startOfMonthIn(2)), rentCents: 160_000 });
    expect([status, body.code, body.errors]).toMatchObject([409, "resource_in_use", [{ path: "effectiveDate", code: "not_allowed" }]]);
    expect(body.message).toContain(`Rent is charged through ${endOfMonth(startOfMonthIn(2))} already. Choose ${startOfMonthIn(3)} or later`);
    expect(await list(lease.id)).toEqual([]);
    expect((await create(lease.id, { effectiveDate: startOfMonthIn(3), rentCents: 170_000 })).status).toBe(200);
    const { charges } = await office.call("listCharges", { query: { leaseId: lease.id } });
    await office.call("voidCharge", {
      params: { id: charges.find(({ dueDate }) => dueDate === startOfMonthIn(2))!.id },
      body: { reason: "The rent changes." },
    });
    expect((await create(lease.id, { effectiveDate: startOfMonthIn(2), rentCents: 160_000 })).status).toBe(200);
  });

  test("replaces a change that has begun on the same date, once no rent is charged under it", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const voidChargesFrom = async (day: string) => {
      const { charges } = await office.call("listCharges", { query: { leaseId: id, chargeType: "rent", status: "pending", pageSize: 100 } });
      for (const { id: chargeId } of charges.filter(({ periodEnd }) => periodEnd! >= day))
        await office.call("voidCharge", { params: { id: chargeId }, body: { reason: "wrong rent" } });
    };
    await voidChargesFrom(inDays(-3));
    const wrong = await aRentChange(id, inDays(-3), 1_600_000);
    await office.call("postDueCharges", { body: { throughDate: currentDate(), propertyId: (await read(id)).propertyId } });
    await voidChargesFrom(inDays(-3));
    const { status, body } = await create(id, { effectiveDate: inDays(-3), rentCents: 160_000 });
    expect([status, body.rentChange?.previousRentCents]).toEqual([200, wrong.previousRentCents]);
    expect((await list(id)).map(({ effectiveDate, rentCents }) => [effectiveDate, rentCents])).toEqual([[inDays(-3), 160_000]]);
    expect((await read(id)).rentCents).toBe(160_000);
    expect(body.recurringChargeRules.map(({ amountCents }) => amountCents)).not.toContain(1_600_000);
  });

  test.each([
    ["no date", { rentCents: 1 }, "effectiveDate", "required"],
    ["a date that does not exist", { effectiveDate: "2027-02-29", rentCents: 1 }, "effectiveDate", "format"],
    ["the first day of the lease", { effectiveDate: inDays(-30), rentCents: 1 }, "effectiveDate", "before_start"],
    ["a day after the last day of the lease", { effectiveDate: inDays(335), rentCents: 1 }, "effectiveDate", "max"],
    ["no rent", { effectiveDate: inDays(1) }, "rentCents", "required"],
    ["a negative rent", { effectiveDate: inDays(1), rentCents: -1 }, "rentCents", "min"],
    ["half a cent", { effectiveDate: inDays(1), rentCents: 0.5 }, "rentCents", "type"],
    ["a rent as text", { effectiveDate: inDays(1), rentCents: "1" }, "rentCents", "type"],
    ["a rent above the safe integers", { effectiveDate: inDays(1), rentCents: 2 ** 53 }, "rentCents", "max"],
    ["a notice after the change", { effectiveDate: inDays(1), rentCents: 1, noticeSentOn: inDays(2) }, "noticeSentOn", "max"],
    ["an unknown member", { effectiveDate: inDays(1), rentCents: 1, previousRentCents: 1 }, "previousRentCents", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { id } = await aLeaseInStatus(office, "active");
    const { status, body } = await create(id, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test.each(leaseStatuses.filter((status) => status !== "active"))("is refused on a %s lease", async (status) => {
    const { id } = await aLeaseInStatus(office, status);
    const response = await create(id, { effectiveDate: inDays(10), rentCents: 1 });
    expect([response.status, response.body.code]).toEqual([409, "invalid_transition"]);
    expect(response.body.message).toContain(`is ${status} and cannot have its rent changed`);
  });

  test("honours If-Match and the Idempotency-Key", async () => {
    const { id } = await aLeaseInStatus(office, "active");
    const terms = { effectiveDate: inDays(10), rentCents: 1 };
    expect((await create(id, terms, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    const key = { "Idempotency-Key": unknownId() };
    const [first, second] = [await create(id, terms, key), await create(id, terms, key)];
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect((await create(id, { ...terms, rentCents: 2 }, key)).body.code).toBe("idempotency_key_reused");
  });

  test("requires the ledger; a failure after the commit is reported, and a retry with the same Idempotency-Key completes the request", async () => {
    const { id } = await aLease(office, await createLeaseReferences(office));
    const terms = { effectiveDate: startOfMonthIn(2), rentCents: 160_000 };
    const path = `/api/leases/${id}/rent-changes`;
    const isolated = await startReplica(office, { reachable: "nothing" });
    expect((await isolated.request("POST", path, terms)).status).toBe(503);
    await isolated.stop();
    expect(await list(id)).toEqual([]);
    const replica = await startReplica(office, { reachable: "read-only ledger" });
    const key = { "Idempotency-Key": unknownId() };
    const incomplete = await replica.request("POST", path, terms, key);
    await replica.stop();
    expect([incomplete.status, incomplete.body["message"]]).toEqual([503, expect.stringContaining("The rent change is recorded")]);
    const completed = await create(id, terms, key);
    expect(completed.body.recurringChargeRules.map(({ amountCents }) => amountCents)).toEqual([150_000, 160_000]);
    expect(await list(id)).toHaveLength(1);
  });
});

describe("deleteRentChange", () => {
  test("deletes a change before its effective date and restores the recurring rent", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const [rule] = (await office.call("listRecurringCharges", { query: { leaseId: lease.id } })).recurringChargeRules;
    const { id } = await aRentChange(lease.id, startOfMonthIn(2), 160_000);
    expect((await remove(id, { "If-Match": '"999"' })).body.code).toBe("version_conflict");
    const { status, body } = await remove(id);
    expect([status, body.rentChange.id]).toEqual([200, id]);
    expect(body.rentChange.deletedAt).not.toBeNull();
    expect(body.recurringChargeRules[0]).toEqual({ ...rule, updatedAt: body.recurringChargeRules[0]!.updatedAt });
    expect(body.recurringChargeRules[1]).toMatchObject({ amountCents: 160_000, status: "ended" });
    expect((await remove(id)).status).toBe(404);
  });

  test("is refused from the effective date on", async () => {
    const lease = await aLeaseInStatus(office, "active");
    const { id } = await aRentChange(lease.id, currentDate(), 160_000);
    const { status, body } = await remove(id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    expect(body.message).toContain(`The rent changed on ${currentDate()}`);
    expect((await read(lease.id)).rentCents).toBe(160_000);
  });

  test("takes effect once with concurrent requests", async () => {
    const { id } = await aRentChange((await aLeaseInStatus(office, "active")).id, inDays(10), 160_000);
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => remove(id)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });
});

test("rent changes return 404 to other organizations and 403 to staff", async () => {
  const lease = await aLeaseInStatus(office, "active");
  const { id } = await aRentChange(lease.id, inDays(10), 160_000);
  const staff = await office.colleague("staff");
  const requests = {
    listRentChanges: { params: { id: lease.id } },
    createRentChange: { params: { id: lease.id }, body: { effectiveDate: inDays(20), rentCents: 1 } },
    deleteRentChange: { params: { id } },
  };
  for (const [name, request] of Object.entries(requests)) {
    expect([name, (await otherOffice.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 404]);
    expect([name, (await staff.attempt(name as keyof typeof requests, request as never)).status]).toEqual([name, 403]);
  }
});
