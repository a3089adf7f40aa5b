import { describe, expect, test } from "@jest/globals";
import { nextDigestAt, quietUntil } from "./quiet-hours.rules.ts";

const timeZone = "America/New_York";
const night = { start: "22:00", end: "07:00", timeZone };
const until = (period: { start: string; end: string; timeZone: string }, instant: string) => quietUntil(period, new Date(instant))?.toISOString() ?? null;

describe("quietUntil", () => {
  test.each([
    ["before midnight", night, "2026-06-01T03:30:00Z", "2026-06-01T11:00:00.000Z"],
    ["after midnight", night, "2026-06-01T10:59:59.999Z", "2026-06-01T11:00:00.000Z"],
    ["at the start", night, "2026-06-01T02:00:00Z", "2026-06-01T11:00:00.000Z"],
    ["at the end", night, "2026-06-01T11:00:00Z", null],
    ["before the start", night, "2026-06-01T01:59:59.999Z", null],
    ["within a day", { start: "12:00", end: "14:00", timeZone }, "2026-06-01T17:00:00Z", "2026-06-01T18:00:00.000Z"],
    ["in another time zone", { ...night, timeZone: "Asia/Tokyo" }, "2026-06-01T14:00:00Z", "2026-06-01T22:00:00.000Z"],
    // On 8 March the clock goes from 2:00 to 3:00, on 1 November from 2:00 back to 1:00.
    ["in a night that is an hour shorter", night, "2026-03-08T04:00:00Z", "2026-03-08T11:00:00.000Z"],
    ["in a night that is an hour longer", night, "2026-11-01T04:00:00Z", "2026-11-01T12:00:00.000Z"],
    ["until a time that the day skips", { start: "22:00", end: "02:30", timeZone }, "2026-03-08T07:10:00Z", "2026-03-08T07:30:00.000Z"],
    ["after that time", { start: "22:00", end: "02:30", timeZone }, "2026-03-08T07:30:00Z", null],
    ["until the first of two equal times", { start: "22:00", end: "01:30", timeZone }, "2026-11-01T05:29:00Z", "2026-11-01T05:30:00.000Z"],
    ["between two equal times", { start: "22:00", end: "01:30", timeZone }, "2026-11-01T05:45:00Z", null],
  ])("%s", (_, period, instant, expected) => expect(until(period, instant)).toBe(expected));
});

describe("nextDigestAt", () => {
  test.each([
    ["before the hour", "2026-06-01T11:59:00Z", "2026-06-01T12:00:00.000Z"],
    ["at the hour", "2026-06-01T12:00:00Z", "2026-06-02T12:00:00.000Z"],
    ["before the clock changes", "2026-03-07T14:00:00Z", "2026-03-08T12:00:00.000Z"],
    ["before it changes back", "2026-10-31T14:00:00Z", "2026-11-01T13:00:00.000Z"],
  ])("%s", (_, instant, expected) => expect(nextDigestAt(new Date(instant), timeZone).toISOString()).toBe(expected));
});
