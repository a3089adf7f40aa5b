import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aVendor, aWorkOrder, anInspection, inDays } from "../../../test/fixtures.ts";

let strict: Office;
let lax: Office;
beforeAll(async () => {
  [strict, lax] = await Promise.all([anOffice(), anOffice()]);
  await strict.call("updateOrganization", { body: { policies: { vendorInsurance: "block" } } });
  await lax.call("updateOrganization", { body: { policies: { vendorInsurance: "warn" } } });
});

const insurance = (kind: "liability" | "auto", expiresOn: string) => ({ kind, expiresOn, provider: "Mutual", policyNumber: "P-1" });
const lapsed = [insurance("liability", inDays(-1)), insurance("auto", inDays(300))];
const assign = async (office: Office, vendorId: string) =>
  office.attempt("assignWorkOrder", { params: { id: (await aWorkOrder(office)).id }, body: { vendorId } });

describe("with the policy block", () => {
  test("a vendor with expired liability insurance cannot be assigned by any operation", async () => {
    const vendor = await aVendor(strict, { insurances: lapsed });
    const workOrder = await aWorkOrder(strict);
    const inspection = await anInspection(strict);
    const itemId = inspection.areas[0]!.items[0]!.id;
    const body = { vendorId: vendor.id };
    const refused = [
      await assign(strict, vendor.id),
      await strict.attempt("updateWorkOrder", { params: { id: workOrder.id }, body }),
      await strict.attempt("createWorkOrder", { body: { ...body, propertyId: workOrder.propertyId, title: "The tap drips" } }),
      await strict.attempt("createInspectionItemWorkOrder", { params: { id: inspection.id, itemId }, body }),
    ];
    for (const { status, body: answer } of refused) {
      expect([status, answer.code, answer.errors]).toMatchObject([409, "invalid_transition", [{ path: "vendorId", code: "not_allowed" }]]);
      expect(answer.message).toContain(inDays(-1));
    }
  });

  test.each([
    ["is valid until today", [insurance("liability", inDays(0))]],
    ["was renewed", [...lapsed, insurance("liability", inDays(200))]],
    ["is not recorded", [insurance("auto", inDays(-1))]],
  ])("a vendor whose liability insurance %s can be assigned", async (_, insurances) => {
    const vendor = await aVendor(strict, { insurances });
    expect((await assign(strict, vendor.id)).status).toBe(200);
  });

  test("an unknown work order answers 404 before the insurance check", async () => {
    const vendor = await aVendor(strict, { insurances: lapsed });
    const answer = await strict.attempt("assignWorkOrder", { params: { id: vendor.id }, body: { vendorId: vendor.id } });
    expect(answer.status).toBe(404);
  });
});

describe("with the policy warn", () => {
  const historyOf = async (id: string) => (await lax.call("getWorkOrder", { params: { id } })).history.filter(({ field }) => field === "vendorInsurance");

  test("a vendor with expired insurance is assigned, and the history records the warning", async () => {
    const vendor = await aVendor(lax, { insurances: lapsed });
    const [assigned, updated] = await Promise.all([aWorkOrder(lax), aWorkOrder(lax)]);
    const inspection = await anInspection(lax);
    const itemId = inspection.areas[0]!.items[0]!.id;
    const body = { vendorId: vendor.id };
    const answers = [
      await lax.call("assignWorkOrder", { params: { id: assigned.id }, body }),
      await lax.call("updateWorkOrder", { params: { id: updated.id }, body }),
      await lax.call("createWorkOrder", { body: { ...body, propertyId: assigned.propertyId, title: "The tap drips" } }),
      await lax.call("createInspectionItemWorkOrder", { params: { id: inspection.id, itemId }, body }),
    ];
    for (const { workOrder } of answers) {
      expect(workOrder.vendorId).toBe(vendor.id);
      expect(await historyOf(workOrder.id)).toMatchObject([
        { from: null, to: `The liability insurance of ${vendor.name} expired on ${inDays(-1)}.`, actorUserId: lax.userId },
      ]);
    }
  });

  test("the warning is recorded once per assignment, and not for valid insurance", async () => {
    const [vendor, insuredOne] = await Promise.all([aVendor(lax, { insurances: lapsed }), aVendor(lax, { insurances: [insurance("liability", inDays(0))] })]);
    const { id } = await aWorkOrder(lax);
    const give = (vendorId: string | null) => lax.call("assignWorkOrder", { params: { id }, body: { vendorId } });
    const warningCounts = [];
    for (const to of [vendor.id, vendor.id, insuredOne.id, null, vendor.id]) {
      await give(to);
      warningCounts.push((await historyOf(id)).length);
    }
    expect(warningCounts).toEqual([1, 1, 1, 1, 2]);
  });
});

test("without a policy a vendor is assigned without a warning", async () => {
  const none = await anOffice();
  const vendor = await aVendor(none, { insurances: lapsed });
  const { body } = await assign(none, vendor.id);
  expect(body.workOrder.vendorId).toBe(vendor.id);
  const { history } = await none.call("getWorkOrder", { params: { id: body.workOrder.id } });
  expect(history.map(({ field }) => field)).not.toContain("vendorInsurance");
});
