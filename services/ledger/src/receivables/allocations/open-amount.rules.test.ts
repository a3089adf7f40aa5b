import { describe, expect, test } from "@jest/globals";
import { reopen, usableOn, type OpenAmount } from "./open-amount.rules.ts";

const always = (cents: number): OpenAmount => ({ cents, since: null, beforeCents: null });
const released = (amountCents: number, settledOn: string) => [{ amountCents, settledOn }];

describe("reopen", () => {
  test("opens the amount from the day of the release, and what was open before stays usable", () => {
    expect(reopen(always(30), released(70, "2026-01-05"), "2026-03-01")).toEqual({ cents: 100, since: "2026-03-01", beforeCents: 30 });
  });

  test("does not postpone an amount that is released on the day of its settlement or before", () => {
    for (const settledOn of ["2026-03-01", "2026-04-01"]) expect(reopen(always(30), released(70, settledOn), "2026-03-01")).toEqual(always(100));
  });

  test("keeps the later of two days, and gives back what was used before it", () => {
    const open = { cents: 50, since: "2026-03-01", beforeCents: 0 };
    expect(reopen(open, released(20, "2026-02-01"), "2026-02-01")).toEqual({ cents: 70, since: "2026-03-01", beforeCents: 20 });
    expect(reopen(open, released(20, "2026-02-01"), "2026-02-15")).toEqual({ cents: 70, since: "2026-03-01", beforeCents: 0 });
    expect(reopen(open, released(20, "2026-03-10"), "2026-04-01")).toEqual({ cents: 70, since: "2026-04-01", beforeCents: 0 });
  });
});

describe("usableOn", () => {
  test.each([
    ["the given day for an amount that was always open", always(100), 100, "2026-01-05"],
    ["the given day for what was open before", { cents: 100, since: "2026-03-01", beforeCents: 40 }, 40, "2026-01-05"],
    ["the day of the release for more than was open before", { cents: 100, since: "2026-03-01", beforeCents: 40 }, 41, "2026-03-01"],
  ])("is %s", (_, amount, amountCents, expected) => expect(usableOn(amount, amountCents, "2026-01-05")).toBe(expected));

  test("is the given day after the release", () => {
    expect(usableOn({ since: "2026-03-01", beforeCents: 0 }, 1, "2026-03-02")).toBe("2026-03-02");
  });
});
