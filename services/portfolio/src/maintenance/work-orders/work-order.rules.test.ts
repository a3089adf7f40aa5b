import { describe, expect, test } from "@jest/globals";
import { changedFields, transitionTimestamps, locationMismatches, snapshot, workOrderStateMachine } from "./work-order.rules.ts";

const statuses = ["open", "in_progress", "completed", "cancelled"] as const;
const allowedTransitions: readonly (readonly [from: string, to: string])[] = [
  ["open", "in_progress"],
  ["in_progress", "completed"],
  ["open", "cancelled"],
  ["in_progress", "cancelled"],
];

describe("the status of a work order", () => {
  const isAllowed = (from: string, to: string) => allowedTransitions.some((transition) => transition[0] === from && transition[1] === to);
  const transitions = statuses.flatMap((from) => statuses.map((to) => ({ from, to, verb: isAllowed(from, to) ? "can" : "cannot" })));
  test.each(transitions)("$verb change from $from to $to", ({ from, to, verb }) => {
    expect(workOrderStateMachine.allows(from, to)).toBe(verb === "can");
  });

  test("is unfinished if it has a transition to another status", () => {
    expect(workOrderStateMachine.unfinished).toEqual(["open", "in_progress"]);
  });
});

describe("transitionTimestamps", () => {
  const [earlier, later] = [new Date("2026-05-01T08:00:00Z"), new Date("2026-05-01T09:00:00Z")];

  test("returns the timestamp of the transition", () => {
    expect(transitionTimestamps("in_progress", null, later)).toEqual({ startedAt: later });
    expect(transitionTimestamps("completed", earlier, later)).toEqual({ completedAt: later });
    expect(transitionTimestamps("cancelled", earlier, later)).toEqual({ cancelledAt: later });
  });

  test("sets startedAt to the time of completion when the recorded start is later than the completion", () => {
    expect(transitionTimestamps("completed", later, earlier)).toEqual({ completedAt: earlier, startedAt: earlier });
  });
});

describe("locationMismatches", () => {
  const location = { propertyId: "elm", unitId: "1A" };
  const matching = { unit: { propertyId: "elm" }, lease: { propertyId: "elm", unitId: "1A" }, isTenantOnLease: true };
  const mismatchPaths = (...args: Parameters<typeof locationMismatches>) => locationMismatches(...args).map(({ path }) => path);

  test("reports each reference that does not match", () => {
    expect(mismatchPaths(location, matching)).toEqual([]);
    expect(mismatchPaths({ ...location, unitId: null }, { ...matching, unit: null })).toEqual([]);
    expect(mismatchPaths(location, { ...matching, unit: { propertyId: "oak" } })).toEqual(["unitId"]);
    expect(mismatchPaths(location, { ...matching, lease: { propertyId: "oak", unitId: "1A" } })).toEqual(["leaseId"]);
    expect(mismatchPaths(location, { ...matching, lease: { propertyId: "elm", unitId: "1B" } })).toEqual(["leaseId"]);
    expect(mismatchPaths(location, { unit: { propertyId: "oak" }, lease: { propertyId: "oak", unitId: "1A" }, isTenantOnLease: false })).toEqual([
      "unitId",
      "leaseId",
      "tenantId",
    ]);
  });
});

describe("changedFields", () => {
  const snapshotWith = (changes: object = {}) =>
    snapshot({ ...({ title: "Tap", status: "open", estimateCents: 5 } as Parameters<typeof snapshot>[0]), ...changes });

  test("returns only the fields that differ", () => {
    expect(changedFields(snapshotWith(), snapshotWith())).toEqual([]);
    expect(changedFields(snapshotWith(), snapshotWith({ title: "Sink", estimateCents: null, dueOn: "2026-05-01" }))).toEqual([
      { field: "title", from: "Tap", to: "Sink" },
      { field: "dueOn", from: null, to: "2026-05-01" },
      { field: "estimateCents", from: "5", to: null },
    ]);
  });

  test("compares times by value", () => {
    const scheduledAt = (text: string) => snapshotWith({ scheduledStart: new Date(text) });
    expect(changedFields(scheduledAt("2026-05-01T08:00:00Z"), scheduledAt("2026-05-01T08:00:00.000Z"))).toEqual([]);
    expect(changedFields(scheduledAt("2026-05-01T08:00:00Z"), scheduledAt("2026-05-01T08:00:01Z"))).toEqual([
      { field: "scheduledStart", from: "2026-05-01T08:00:00.000Z", to: "2026-05-01T08:00:01.000Z" },
    ]);
  });
});
