import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aVendor, aWorkOrder, anInspection, inDays } from "../../../test/fixtures.ts";

let blockingOffice: Office;
let warningOffice: Office;
beforeAll(async () => {
  [blockingOffice, warningOffice] = await Promise.all([anOffice(), anOffice()]);
  await blockingOffice.call("updateOrganization", { body: { policies: { vendorInsurance: "block" } } });
  await warningOffice.call("updateOrganization", { body: { policies: { vendorInsurance: "warn" } } });
});

const insurance = (kind: "liability" | "auto", expiresOn: string) => ({ kind, expiresOn, provider: "Mutual", policyNumber: "P-1" });
const expiredOn = inDays(-1);
const expired = [insurance("liability", expiredOn), insurance("auto", inDays(300))];
const assign = async (office: Office, vendorId: string) =>
  office.attempt("assignWorkOrder", { params: { id: (await aWorkOrder(office)).id }, body: { vendorId } });

describe("with the policy block", () => {
  test("a vendor with expired liability insurance cannot be assigned by any operation", async () => {
    const vendor = await aVendor(blockingOffice, { insurances: expired });
    const workOrder = await aWorkOrder(blockingOffice);
    const inspection = await anInspection(blockingOffice);
    const itemId = inspection.areas[0]!.items[0]!.id;
    const body = { vendorId: vendor.id };
    const responses = [
      await assign(blockingOffice, vendor.id),
      await blockingOffice.attempt("updateWorkOrder", { params: { id: workOrder.id }, body }),
      await blockingOffice.attempt("createWorkOrder", { body: { ...body, propertyId: workOrder.propertyId, title: "The tap drips" } }),
      await blockingOffice.attempt("createInspectionItemWorkOrder", { params: { id: inspection.id, itemId }, body }),
    ];
    for (const { status, body: rejection } of responses) {
      expect([status, rejection.code, rejection.errors]).toMatchObject([409, "invalid_transition", [{ path: "vendorId", code: "not_allowed" }]]);
      expect(rejection.message).toContain(expiredOn);
    }
  });

  test.each([
    ["is valid until today", () => [insurance("liability", inDays(0))]],
    ["was renewed", () => [...expired, insurance("liability", inDays(200))]],
    ["is not recorded", () => [insurance("auto", inDays(-1))]],
  ])("a vendor whose liability insurance %s can be assigned", async (_, insurances) => {
    const vendor = await aVendor(blockingOffice, { insurances: insurances() });
    expect((await assign(blockingOffice, vendor.id)).status).toBe(200);
  });

  test("a work order can be changed after the insurance of its vendor has expired or its vendor is inactive, also when the vendor is sent again", async () => {
    const vendor = await aVendor(blockingOffice, { insurances: [insurance("liability", inDays(0))] });
    const { id } = await aWorkOrder(blockingOffice);
    const params = { id };
    await blockingOffice.call("assignWorkOrder", { params, body: { vendorId: vendor.id } });
    await blockingOffice.call("updateVendor", { params: { id: vendor.id }, body: { insurances: expired, isActive: false } });
    const update = await blockingOffice.attempt("updateWorkOrder", { params, body: { vendorId: vendor.id, title: "The tap drips again" } });
    const assignment = await blockingOffice.attempt("assignWorkOrder", { params, body: { vendorId: vendor.id } });
    expect([update.status, assignment.status]).toEqual([200, 200]);
  });

  test("an unknown work order returns 404 even for a vendor with expired insurance", async () => {
    const vendor = await aVendor(blockingOffice, { insurances: expired });
    const response = await blockingOffice.attempt("assignWorkOrder", { params: { id: vendor.id }, body: { vendorId: vendor.id } });
    expect(response.status).toBe(404);
  });
});

describe("with the policy warn", () => {
  const historyOf = async (id: string) =>
    (await warningOffice.call("getWorkOrder", { params: { id } })).history.filter(({ field }) => field === "vendorInsurance");

  test("a vendor with expired insurance is assigned, and the history records the warning", async () => {
    const vendor = await aVendor(warningOffice, { insurances: expired });
    const [assigned, updated] = await Promise.all([aWorkOrder(warningOffice), aWorkOrder(warningOffice)]);
    const inspection = await anInspection(warningOffice);
    const itemId = inspection.areas[0]!.items[0]!.id;
    const body = { vendorId: vendor.id };
    const responses = [
      await warningOffice.call("assignWorkOrder", { params: { id: assigned.id }, body }),
      await warningOffice.call("updateWorkOrder", { params: { id: updated.id }, body }),
      await warningOffice.call("createWorkOrder", { body: { ...body, propertyId: assigned.propertyId, title: "The tap drips" } }),
      await warningOffice.call("createInspectionItemWorkOrder", { params: { id: inspection.id, itemId }, body }),
    ];
    for (const { workOrder } of responses) {
      expect(workOrder.vendorId).toBe(vendor.id);
      expect(await historyOf(workOrder.id)).toMatchObject([
        { from: null, to: `The liability insurance of ${vendor.name} expired on ${expiredOn}.`, actorUserId: warningOffice.userId },
      ]);
    }
  });

  test("the warning is recorded once per assignment, and not for valid insurance", async () => {
    const [vendor, insuredVendor] = await Promise.all([
      aVendor(warningOffice, { insurances: expired }),
      aVendor(warningOffice, { insurances: [insurance("liability", inDays(300))] }),
    ]);
    const { id } = await aWorkOrder(warningOffice);
    const assignTo = (vendorId: string | null) => warningOffice.call("assignWorkOrder", { params: { id }, body: { vendorId } });
    const warningCounts = [];
    for (const vendorId of [vendor.id, vendor.id, insuredVendor.id, null, vendor.id]) {
      await assignTo(vendorId);
      warningCounts.push((await historyOf(id)).length);
    }
    expect(warningCounts).toEqual([1, 1, 1, 1, 2]);
  });
});

test("without a policy a vendor with expired insurance is assigned without a warning", async () => {
  const officeWithoutPolicy = await anOffice();
  const vendor = await aVendor(officeWithoutPolicy, { insurances: expired });
  const { body } = await assign(officeWithoutPolicy, vendor.id);
  expect(body.workOrder.vendorId).toBe(vendor.id);
  const { history } = await officeWithoutPolicy.call("getWorkOrder", { params: { id: body.workOrder.id } });
  expect(history.map(({ field }) => field)).not.toContain("vendorInsurance");
});
