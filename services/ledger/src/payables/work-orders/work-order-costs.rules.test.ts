import { describe, expect, test } from "@jest/globals";
import type { ProjectedLease } from "../../projections/projections.ts";
import { requireChargeableLease } from "./work-order-costs.rules.ts";

const lease: ProjectedLease = {
  id: "l",
  propertyId: "p",
  unitId: "u",
  tenantId: "t",
  payerIds: ["t"],
  status: "active",
  startDate: "2026-01-01",
  endDate: null,
  lateFeeTerms: null,
  isTenantDeleted: false,
};

describe("requireChargeableLease", () => {
  test.each([
    ["open", undefined],
    ["in_progress", "tenant"],
    ["completed", "tenant"],
  ])("returns the lease of a work order that is %s and chargeable to %s", (status, chargeableTo) => {
    expect(requireChargeableLease({ status, chargeableTo }, lease)).toBe(lease);
  });

  test.each([
    ["a cancelled work order", { status: "cancelled", chargeableTo: undefined }, lease, "cancelled"],
    ["a work order that the owner bears", { status: "open", chargeableTo: "owner" }, lease, "chargeable to the owner"],
    ["a work order that the company bears", { status: "open", chargeableTo: "organization" }, lease, "chargeable to the organization"],
    ["a work order without a lease", { status: "open", chargeableTo: undefined }, undefined, "leaseId"],
    ["a lease whose tenant was deleted", { status: "open", chargeableTo: undefined }, { ...lease, isTenantDeleted: true }, "deleted"],
  ])("refuses %s with a 409", (_, workOrder, ofWorkOrder, text) => {
    const refusal = expect.objectContaining({ status: 409, code: "invalid_transition", message: expect.stringContaining(text) });
    expect(() => requireChargeableLease(workOrder, ofWorkOrder)).toThrow(refusal);
  });
});
