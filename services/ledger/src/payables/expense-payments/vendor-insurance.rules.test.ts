import { describe, expect, test } from "@jest/globals";
import { requireInsuredVendors, checkInsurances, type PaidVendor } from "./vendor-insurance.rules.ts";

const paid = (path: string, name: string, insuredUntil?: string): PaidVendor => ({ path, vendor: { name, insuredUntil } });
const lapsed = [paid("vendorId", "Vera", "2026-01-31"), paid("allocations.1.expenseId", "Vic", "2026-01-01")];

describe("checkInsurances", () => {
  test("warns of each vendor whose insurance has expired, with the policy warn", () => {
    expect(requireInsuredVendors(checkInsurances("warn", [...lapsed, lapsed[0]!], "2026-02-01"))).toEqual([
      "The liability insurance of Vera expired on 2026-01-31.",
      "The liability insurance of Vic expired on 2026-01-01.",
    ]);
  });

  test("refuses the payment and names the members, with the policy block", () => {
    const errors = [
      { path: "vendorId", code: "not_allowed" },
      { path: "allocations.1.expenseId", code: "not_allowed" },
    ].map((error) => expect.objectContaining(error));
    const refusal = expect.objectContaining({ status: 409, code: "invalid_transition", message: expect.stringContaining("expired on 2026-01-31"), errors });
    expect(() => requireInsuredVendors(checkInsurances("block", lapsed, "2026-02-01"))).toThrow(refusal);
  });

  test.each([
    ["with the policy off", "off", lapsed, "2026-02-01"],
    ["for an insurance that is valid on the day", "block", lapsed.slice(0, 1), "2026-01-31"],
    ["for a vendor without a recorded insurance", "block", [paid("vendorId", "Nina")], "2026-02-01"],
  ] as const)("does nothing %s", (_, policy, vendors, day) => {
    expect(checkInsurances(policy, vendors, day)).toEqual({ warnings: [] });
  });
});
