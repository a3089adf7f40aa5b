import { describe, expect, test } from "@jest/globals";
import {
  accountingPeriodStateMachine,
  requireChecksPassed,
  requireEarlierPeriodsClosed,
  requireEnded,
  requireLaterPeriodsOpen,
  requireOpenDate,
} from "./accounting-period.rules.ts";

test.each([
  ["open", "soft_closed", true],
  ["open", "closed", true],
  ["soft_closed", "closed", true],
  ["soft_closed", "open", true],
  ["closed", "open", true],
  ["closed", "soft_closed", false],
  ["open", "open", false],
  ["soft_closed", "soft_closed", false],
  ["closed", "closed", false],
] as const)("the transition from %s to %s is allowed: %p", (from, to, isAllowed) => expect(accountingPeriodStateMachine.allows(from, to)).toBe(isAllowed));

describe("requireOpenDate", () => {
  test.each([
    [null, "1999-01-01"],
    ["2026-01-31", "2026-02-01"],
  ])("with periods closed through %s accepts %s", (softClosedThrough, date) => expect(() => requireOpenDate(softClosedThrough, date)).not.toThrow());

  test.each(["2026-02-28", "2026-02-01", "2019-12-31"])("refuses %s in a closed period and names the first open day", (date) =>
    expect(() => requireOpenDate("2026-02-28", date)).toThrow(
      `The accounting period of ${date} is closed. Use 2026-03-01, the first open day, or a later date, or reopen the period.`,
    ),
  );
});

test("requireEnded refuses a period on its last day", () => {
  expect(() => requireEnded("2026-01-31", "2026-01-31")).toThrow("Close it after that day.");
  expect(() => requireEnded("2026-01-31", "2026-02-01")).not.toThrow();
});

test("requireEarlierPeriodsClosed and requireLaterPeriodsOpen name the month that comes first", () => {
  expect(() => requireEarlierPeriodsClosed("2026-01-01")).toThrow("Close 2026-01 first.");
  expect(() => requireLaterPeriodsOpen("2026-03-01")).toThrow("Reopen 2026-03 first.");
  expect(() => [requireEarlierPeriodsClosed(null), requireLaterPeriodsOpen(null)]).not.toThrow();
});

test("requireChecksPassed throws with a field error for each failed check", () => {
  const passed = { key: "draft_entries", ok: true, detail: "No drafts." };
  const failed = { key: "unallocated_payments", ok: false, detail: "2 payments." };
  expect(() => requireChecksPassed([passed])).not.toThrow();
  expect(() => requireChecksPassed([passed, failed])).toThrow(
    expect.objectContaining({ status: 409, errors: [{ path: "unallocated_payments", code: "not_allowed", message: "2 payments." }] }),
  );
});
