import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { aVendor } from "../payables.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let categoryId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  const { categories } = await office.call("listCategories");
  categoryId = categories.find(({ accountType }) => accountType === "income")!.id;
});

const aWorkOrder = async (change: object = {}) =>
  (await office.call("createWorkOrder", { body: { propertyId: tenancy.propertyId, title: "The door is broken", ...change } })).workOrder;
const anOrderOfLease = (change: object = {}) => aWorkOrder({ unitId: tenancy.unitId, leaseId: tenancy.leaseId, ...change });
const bill = { amountCents: 12_000, incurredOn: "2026-01-10", category: "maintenance" as const, invoiceNumber: "7" };
const record = (id: string, change: object = {}) => office.attempt("createWorkOrderExpense", { params: { id }, body: { ...bill, ...change } });
const charge = (id: string, change: object = {}, headers = {}) =>
  office.attempt("chargeWorkOrderTenant", { params: { id }, body: { amountCents: 12_000, categoryId, dueDate: todayInOffice(), ...change }, headers });
const cancel = (id: string) => office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });

describe("createWorkOrderExpense", () => {
  test("records an expense at the property and unit of the work order, of its vendor, and the work order names it", async () => {
    const vendorId = await aVendor(office);
    const { id } = await anOrderOfLease({ vendorId });
    const { body } = await record(id);
    expect(body.expense).toMatchObject({
      propertyId: tenancy.propertyId,
      unitId: tenancy.unitId,
      workOrderId: id,
      vendorId,
      amountCents: 12_000,
      status: "active",
    });
    expect(body.possibleDuplicates).toEqual([]);
    const { workOrder } = await office.call("getWorkOrder", { params: { id } });
    expect([workOrder.expenseIds, workOrder.actualCents]).toEqual([[body.expense.id], 0]);
    expect((await record(id)).body.possibleDuplicates).toEqual([body.expense.id]);
    const other = await aVendor(office);
    expect((await record(id, { vendorId: other })).body.expense.vendorId).toBe(other);
    expect((await record(id, { vendorId: null })).body.expense.vendorId).toBeNull();
  });

  test("accepts the property, unit and ID of the work order and no others, and refuses a cancelled work order", async () => {
    const [{ id }, other] = [await aWorkOrder(), await anOrderOfLease()];
    const { propertyId, unitId } = tenancy;
    const mismatches = async (workOrderId: string, change: object) => {
      const { status, body } = await record(workOrderId, change);
      return [status, body.errors?.map(({ path, code }) => `${path} ${code}`)];
    };
    expect((await record(id, { propertyId, unitId: null, workOrderId: id })).body.expense).toMatchObject({ propertyId, unitId: null, workOrderId: id });
    expect((await record(other.id, { propertyId, unitId })).body.expense).toMatchObject({ propertyId, unitId, workOrderId: other.id });
    const foreign = await aTenancy(office);
    const members = ["propertyId mismatch", "unitId mismatch", "workOrderId mismatch"];
    expect(await mismatches(id, { propertyId: foreign.propertyId, unitId, workOrderId: other.id })).toEqual([400, members]);
    expect(await mismatches(other.id, { unitId: null })).toEqual([400, ["unitId mismatch"]]);
    expect(await mismatches(id, { propertyId: randomUUID(), unitId: null })).toEqual([400, ["propertyId not_found"]]);
    await cancel(id);
    const refused = await record(id);
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_transition"]);
  });
});

describe("chargeWorkOrderTenant", () => {
  test("charges the lease of the work order, which the charge names", async () => {
    const workOrder = await anOrderOfLease({ chargeableTo: "tenant" });
    const { body } = await charge(workOrder.id);
    expect(body.charge).toMatchObject({
      leaseId: tenancy.leaseId,
      tenantId: tenancy.tenantId,
      workOrderId: workOrder.id,
      chargeType: "damage",
      categoryId,
      name: "The door is broken",
      memo: `Work order #${workOrder.number}`,
      balanceCents: 12_000,
    });
    const { charges } = await office.call("listCharges", { query: { workOrderId: workOrder.id } });
    expect(charges).toEqual([body.charge]);
    expect((await charge(workOrder.id, { name: "Door", memo: "Half of it" })).body.charge).toMatchObject({ name: "Door", memo: "Half of it" });
  });

  test("charges once for a repeated request", async () => {
    const { id } = await anOrderOfLease();
    const headers = { "Idempotency-Key": "door" };
    const [first, second] = [await charge(id, {}, headers), await charge(id, {}, headers)];
    expect(second.body.charge.id).toBe(first.body.charge.id);
    expect((await office.call("listCharges", { query: { workOrderId: id } })).total).toBe(1);
  });

  test("refuses an account that is not of income, naming it, before anything else", async () => {
    const { categories } = await office.call("listCategories");
    const { status, body } = await charge((await aWorkOrder()).id, { categoryId: categories.find(({ accountType }) => accountType === "expense")!.id });
    expect([status, body.errors]).toMatchObject([400, [{ path: "categoryId", code: "not_allowed" }]]);
  });

  test("refuses a work order without a lease, one that the owner bears, and a cancelled one", async () => {
    const [withoutLease, ofOwner, cancelled] = [await aWorkOrder(), await anOrderOfLease({ chargeableTo: "owner" }), await anOrderOfLease()];
    await cancel(cancelled.id);
    const refusals = [await charge(withoutLease.id), await charge(ofOwner.id), await charge(cancelled.id)];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, "invalid_transition"]));
    expect(refusals.map(({ body }) => body.message)).toEqual([
      expect.stringContaining("leaseId"),
      expect.stringContaining("chargeable to the owner"),
      expect.stringContaining("cancelled"),
    ]);
  });
});

test("staff can neither record expenses of work orders nor charge tenants, and work orders of other organizations return 404", async () => {
  const { id } = await anOrderOfLease();
  const staff = await office.colleague("staff");
  const body = { amountCents: 100, categoryId, dueDate: todayInOffice() };
  expect((await staff.attempt("chargeWorkOrderTenant", { params: { id }, body })).status).toBe(403);
  expect((await staff.attempt("createWorkOrderExpense", { params: { id }, body: bill })).status).toBe(403);
  const other = await anOffice();
  expect((await other.attempt("createWorkOrderExpense", { params: { id }, body: bill })).status).toBe(404);
});
