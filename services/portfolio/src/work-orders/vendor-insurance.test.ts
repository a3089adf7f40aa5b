import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/office.ts";
import { aVendor, aWorkOrder, anInspection, inDays } from "../../test/places.ts";

let strict: Office;
let lax: Office;
beforeAll(async () => {
  [strict, lax] = await Promise.all([anOffice(), anOffice()]);
  await strict.call("updateOrganization", { body: { policies: { vendorInsurance: "block" } } });
  await lax.call("updateOrganization", { body: { policies: { vendorInsurance: "warn" } } });
});

const insured = (kind: "liability" | "auto", expiresOn: string) => ({ kind, expiresOn, provider: "Mutual", policyNumber: "P-1" });
const lapsed = [insured("liability", inDays(-1)), insured("auto", inDays(300))];
const assign = async (office: Office, vendorId: string) =>
  office.attempt("assignWorkOrder", { params: { id: (await aWorkOrder(office)).id }, body: { vendorId } });

describe("with the policy to block vendors whose liability insurance ran out", () => {
  test("such a vendor gets no work, whichever way", async () => {
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
    ["holds until the end of today", [insured("liability", inDays(0))]],
    ["was renewed", [...lapsed, insured("liability", inDays(200))]],
    ["is not kept here", [insured("auto", inDays(-1))]],
  ])("a vendor whose liability insurance %s gets work", async (_, insurances) => {
    const vendor = await aVendor(strict, { insurances });
    expect((await assign(strict, vendor.id)).status).toBe(200);
  });

  test("a work order that nobody has is not there first", async () => {
    const vendor = await aVendor(strict, { insurances: lapsed });
    const answer = await strict.attempt("assignWorkOrder", { params: { id: vendor.id }, body: { vendorId: vendor.id } });
    expect(answer.status).toBe(404);
  });
});

test("without that policy a vendor is given work all the same", async () => {
  const vendor = await aVendor(lax, { insurances: lapsed });
  expect((await assign(lax, vendor.id)).status).toBe(200);
});
