import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../../test/support/tenancy.ts";
import { anAgreement } from "../management-fees.fixtures.ts";

async function anOfficeWithProperty() {
  const office = await anOffice();
  return { office, propertyId: (await aTenancy(office)).propertyId };
}

describe("createManagementFeeAgreement", () => {
  test("agrees on rent, and on account 5040, unless told otherwise", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const agreement = await anAgreement(office, propertyId);
    const { categories } = await office.call("listCategories");
    expect(agreement).toMatchObject({
      propertyId,
      effectiveFrom: "2026-01-01",
      effectiveTo: null,
      percentBps: 1_000,
      flatCents: null,
      waiveWhenVacant: false,
      includedChargeTypes: ["rent"],
      managerKeepsChargeTypes: [],
      leasingFee: null,
      categoryId: categories.find(({ code }) => code === "5040")!.id,
      deletedAt: null,
    });
    expect((await office.call("getManagementFeeAgreement", { params: { id: agreement.id } })).agreement).toEqual(agreement);
    const { agreements } = await office.call("listManagementFeeAgreements", { query: { propertyId, effectiveOn: "2026-01-01" } });
    expect(agreements).toEqual([agreement]);
    expect((await office.call("listManagementFeeAgreements", { query: { effectiveOn: "2025-12-31" } })).agreements).toEqual([]);
  });

  test("is refused while another agreement of the property applies, and accepted from the day after its end", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const first = await anAgreement(office, propertyId);
    const attempt = (terms: object) =>
      office.attempt("createManagementFeeAgreement", {
        body: { propertyId, effectiveFrom: "2026-06-01", feeType: "flat_per_month", flatCents: 5_000, ...terms },
      });
    expect(await attempt({})).toMatchObject({ status: 409, body: { code: "duplicate" } });
    expect(await attempt({ effectiveFrom: "2025-01-01", effectiveTo: "2026-01-01" })).toMatchObject({ status: 409 });
    expect((await attempt({ effectiveFrom: "2025-01-01", effectiveTo: "2025-12-31" })).status).toBe(200);
    await office.call("updateManagementFeeAgreement", { params: { id: first.id }, body: { effectiveTo: "2026-05-31" } });
    expect((await attempt({})).status).toBe(200);
    const { status } = await office.attempt("updateManagementFeeAgreement", { params: { id: first.id }, body: { effectiveTo: null } });
    expect(status).toBe(409);
  });

  test("names terms that do not fit each other, an account that takes no expenses, and an unknown property", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const { categories } = await office.call("listCategories");
    const refusal = async (terms: object) => {
      const { status, body } = await office.attempt("createManagementFeeAgreement", {
        body: { propertyId, effectiveFrom: "2026-01-01", feeType: "percent_of_collected", percentBps: 1_000, ...terms },
      });
      return [status, body.errors?.map(({ path, code }) => [path, code])];
    };
    expect(await refusal({ percentBps: undefined, minimumCents: 2, maximumCents: 1 })).toEqual([
      400,
      [
        ["percentBps", "required"],
        ["maximumCents", "min"],
      ],
    ]);
    expect(await refusal({ leasingFee: { type: "flat", bps: 100 } })).toEqual([
      400,
      [
        ["leasingFee.cents", "required"],
        ["leasingFee.bps", "not_allowed"],
      ],
    ]);
    expect(await refusal({ categoryId: categories.find(({ code }) => code === "4000")!.id })).toEqual([400, [["categoryId", "not_allowed"]]]);
    expect(await refusal({ propertyId: "01974b2e-7c1a-7e3f-9b5d-000000000000" })).toEqual([400, [["propertyId", "not_found"]]]);
  });

  test("leaves one of several agreements that are created at once", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        office.attempt("createManagementFeeAgreement", { body: { propertyId, effectiveFrom: "2026-01-01", feeType: "flat_per_month", flatCents: 1 } }),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)]);
  });
});

describe("an agreement", () => {
  test("keeps the terms that a change does not send, and checks all of them together", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const { id } = await anAgreement(office, propertyId, { minimumCents: 5_000 });
    const change = (body: object) => office.attempt("updateManagementFeeAgreement", { params: { id }, body });
    expect(await change({ maximumCents: 4_999 })).toMatchObject({ status: 400 });
    expect(await change({ feeType: "flat_per_month" })).toMatchObject({ status: 400 });
    expect((await change({ feeType: "flat_per_month", percentBps: null, flatCents: 6_000 })).body.agreement).toMatchObject({
      feeType: "flat_per_month",
      percentBps: null,
      flatCents: 6_000,
      minimumCents: 5_000,
    });
  });

  test("is listed only on request after its deletion, and makes room for another one", async () => {
    const { office, propertyId } = await anOfficeWithProperty();
    const { id } = await anAgreement(office, propertyId);
    expect((await office.call("deleteManagementFeeAgreement", { params: { id } })).agreement.deletedAt).not.toBeNull();
    expect((await office.attempt("deleteManagementFeeAgreement", { params: { id } })).status).toBe(404);
    expect((await office.attempt("getManagementFeeAgreement", { params: { id } })).status).toBe(404);
    expect((await office.call("listManagementFeeAgreements")).agreements).toEqual([]);
    expect((await office.call("listManagementFeeAgreements", { query: { includeDeleted: "true" } })).agreements).toHaveLength(1);
    await anAgreement(office, propertyId);
  });
});
