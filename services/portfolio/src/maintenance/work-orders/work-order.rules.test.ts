import { describe, expect, test } from "@jest/globals";
import { changedFields, transitionTimestamps, locationMismatches, snapshot, unfinishedStatuses, workOrderStateMachine } from "./work-order.rules.ts";

const statuses = ["open", "in_progress", "completed", "cancelled"] as const;
const allowed = [
  ["open", "in_progress"],
  ["in_progress", "completed"],
  ["open", "cancelled"],
  ["in_progress", "cancelled"],
];

describe("the status of a work order", () => {
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))("moves from %s to %s only if the table says so", (from, to) => {
    expect(workOrderStateMachine.allows(from, to)).toBe(allowed.some(([a, b]) => a === from && b === to));
  });

  test("is unfinished as long as it can move", () => {
    expect(statuses.filter((status) => workOrderStateMachine.table[status].length > 0)).toEqual(unfinishedStatuses);
  });
});

describe("the moments of a work order", () => {
  const [earlier, later] = [new Date("2026-05-01T08:00:00Z"), new Date("2026-05-01T09:00:00Z")];

  test("are set by the moves", () => {
    expect(transitionTimestamps("in_progress", null, later)).toEqual({ startedAt: later });
    expect(transitionTimestamps("completed", earlier, later)).toEqual({ completedAt: later });
    expect(transitionTimestamps("cancelled", earlier, later)).toEqual({ cancelledAt: later });
  });

  test("never let work be completed before it was started", () => {
    expect(transitionTimestamps("completed", later, earlier)).toEqual({ completedAt: earlier, startedAt: earlier });
  });
});

describe("the place of a work order", () => {
  const place = { propertyId: "elm", unitId: "1A" };
  const fits = { unit: { propertyId: "elm" }, lease: { propertyId: "elm", unitId: "1A" }, isUnderLease: true };
  const paths = (...given: Parameters<typeof locationMismatches>) => locationMismatches(...given).map(({ path }) => path);

  test("holds together, or says what does not", () => {
    expect(paths(place, fits)).toEqual([]);
    expect(paths({ ...place, unitId: null }, { ...fits, unit: null })).toEqual([]);
    expect(paths(place, { ...fits, unit: { propertyId: "oak" } })).toEqual(["unitId"]);
    expect(paths(place, { ...fits, lease: { propertyId: "oak", unitId: "1A" } })).toEqual(["leaseId"]);
    expect(paths(place, { ...fits, lease: { propertyId: "elm", unitId: "1B" } })).toEqual(["leaseId"]);
    expect(paths(place, { unit: { propertyId: "oak" }, lease: { propertyId: "oak", unitId: "1A" }, isUnderLease: false })).toEqual([
      "unitId",
      "leaseId",
      "tenantId",
    ]);
  });
});

describe("the history of a work order", () => {
  const said = (changes: object = {}) => snapshot({ ...({ title: "Tap", status: "open", estimateCents: 5 } as Parameters<typeof snapshot>[0]), ...changes });

  test("keeps what became different, and nothing else", () => {
    expect(changedFields(said(), said())).toEqual([]);
    expect(changedFields(said(), said({ title: "Sink", estimateCents: null, dueOn: "2026-05-01" }))).toEqual([
      { field: "title", from: "Tap", to: "Sink" },
      { field: "dueOn", from: null, to: "2026-05-01" },
      { field: "estimateCents", from: "5", to: null },
    ]);
  });

  test("takes the same moment for the same", () => {
    const at = (text: string) => said({ scheduledStart: new Date(text) });
    expect(changedFields(at("2026-05-01T08:00:00Z"), at("2026-05-01T08:00:00.000Z"))).toEqual([]);
    expect(changedFields(at("2026-05-01T08:00:00Z"), at("2026-05-01T08:00:01Z"))).toEqual([
      { field: "scheduledStart", from: "2026-05-01T08:00:00.000Z", to: "2026-05-01T08:00:01.000Z" },
    ]);
  });
});
