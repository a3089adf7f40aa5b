import { describe, expect, test } from "@jest/globals";
import { lowestBalances, type Flow } from "./trust-funds.rules.ts";

const owner = { kind: "owner", propertyId: "p", tenantId: null } as const;
const prepaid = { kind: "prepaid", propertyId: "p", tenantId: "t" } as const;
const flow = (beneficiary: typeof owner | typeof prepaid, day: string, cents: number): Flow => ({ ...beneficiary, day, cents });
const lowest = (...flows: Flow[]) => lowestBalances(flows, [owner])[0]!.balanceCents;

describe("the lowest balance of a beneficiary", () => {
  test("is that of the worst day, also when the money comes back later", () => {
    expect(lowest(flow(owner, "2026-01-01", 1_000), flow(owner, "2026-01-10", -1_500), flow(owner, "2026-02-01", 1_000))).toBe(-500);
  });
  test("is read at the end of each day, whatever the order within it", () => {
    expect(lowest(flow(owner, "2026-01-01", -500), flow(owner, "2026-01-01", 1_000))).toBe(500);
  });
  test("of the owners is less by what tenants of the property lack", () => {
    expect(lowest(flow(owner, "2026-01-01", 1_000), flow(prepaid, "2026-01-02", -400))).toBe(600);
    expect(lowest(flow(owner, "2026-01-01", 1_000), flow(prepaid, "2026-01-02", 400))).toBe(1_000);
  });
  test("is nothing without a flow", () => {
    expect(lowest()).toBe(0);
  });
});
