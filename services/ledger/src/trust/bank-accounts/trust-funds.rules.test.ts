import { describe, expect, test } from "@jest/globals";
import { beneficiaryAt, largestShortage, lowestBalances, openingFlows, unassignedOpening, type Flow } from "./trust-funds.rules.ts";

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

describe("the opening balance of a trust account", () => {
  const [manager, opening] = [beneficiaryAt(null), unassignedOpening];
  const moved = (day: string, openedCents: number, unassignedCents = 0) => ({ day, openedCents, unassignedCents });
  const rest = (movements: Parameters<typeof openingFlows>[0], date: string, ...flows: Flow[]) =>
    lowestBalances(
      [...flows, ...openingFlows(movements, date)].toSorted((one, other) => one.day.localeCompare(other.day)),
      [manager, opening],
    ).map(({ balanceCents }) => balanceCents);
  const held = (day: string, cents: number): Flow => ({ ...manager, day, cents });

  test("is not the manager's until it is assigned, and not more is unassigned than was opened", () => {
    const movements = [moved("2026-01-01", 1_000), moved("2026-01-05", 0, -400), moved("2026-01-09", 0, 700)];
    expect(rest(movements, "2026-01-01", held("2026-01-01", 1_050), held("2026-01-05", -400))).toEqual([-350, 650]);
    expect(rest(movements.slice(0, 2), "2026-01-05", held("2026-01-05", 650))).toEqual([50, 650]);
  });
  test("is less by what the manager lacks", () => {
    expect(rest([moved("2026-01-01", 1_000)], "2026-01-01", held("2026-01-01", 900))).toEqual([-100, 900]);
  });
});

describe("what an account lacks of its tenants' money", () => {
  const deposit = (propertyId: string, cents: number, day = "2026-01-01"): Flow => ({ kind: "deposit", propertyId, tenantId: "t", day, cents });
  const manager = (cents: number): Flow => ({ kind: "manager", propertyId: null, tenantId: null, day: "2026-01-01", cents });
  test("is what one tenant lacks, however much others have", () => {
    expect(largestShortage([deposit("p", -400), deposit("q", 1_000)])).toEqual({ cents: 400, propertyIds: ["p"] });
    expect(largestShortage([deposit("p", 400), deposit("q", 1_000)])).toEqual({ cents: 0, propertyIds: [] });
  });
  test("is also what a tenant lacks whose payment names no property", () => {
    const prepaid: Flow = { kind: "prepaid", propertyId: null, tenantId: "t", day: "2026-01-01", cents: -400 };
    expect(largestShortage([prepaid, deposit("q", 1_000)])).toEqual({ cents: 400, propertyIds: [] });
  });
  test("is covered by the owners of the same property and by the management company alone", () => {
    expect(largestShortage([deposit("p", -400), flow(owner, "2026-01-01", 300)]).cents).toBe(100);
    expect(largestShortage([deposit("q", -400), flow(owner, "2026-01-01", 1_000)]).cents).toBe(400);
    expect(largestShortage([deposit("q", -400), manager(500)]).cents).toBe(0);
  });
  test("is also what the account as a whole lacks", () => {
    expect(largestShortage([deposit("q", 400), flow(owner, "2026-01-01", -1_000)])).toEqual({ cents: 600, propertyIds: ["p"] });
  });
  test("is that of the worst day", () => {
    expect(largestShortage([deposit("p", 400), deposit("p", -1_000, "2026-01-02"), deposit("p", 600, "2026-01-03")]).cents).toBe(600);
  });
});
