import { describe, expect, test } from "@jest/globals";
import { lineCents } from "@freehold/domain/line-items";
import { estimateStateMachine, estimateStatusOn } from "./estimate.rules.ts";

describe("a line of an estimate", () => {
  test.each([
    [1, 999, 999],
    [0.5, 999, 500],
    [2.25, 1_001, 2_252],
    [0.01, 49, 0],
    [0.01, 50, 1],
    [10_000, 1_000_000_000, 10_000_000_000_000],
    [1, -500, -500],
  ])("of %d times %d cents costs %d, rounded half up", (quantity, unitPriceCents, amountCents) => {
    expect(lineCents({ quantity, unitPriceCents: unitPriceCents as Parameters<typeof lineCents>[0]["unitPriceCents"] })).toBe(amountCents);
  });
});

describe("an estimate", () => {
  test("expires after validUntil, unless approved or rejected", () => {
    expect(estimateStatusOn({ status: "submitted", validUntil: "2026-05-01" }, "2026-05-01")).toBe("submitted");
    expect(estimateStatusOn({ status: "submitted", validUntil: "2026-05-01" }, "2026-05-02")).toBe("expired");
    expect(estimateStatusOn({ status: "approved", validUntil: "2026-05-01" }, "2026-05-02")).toBe("approved");
    expect(estimateStatusOn({ status: "rejected", validUntil: "2026-05-01" }, "2026-05-02")).toBe("rejected");
    expect(estimateStatusOn({ status: "submitted", validUntil: null }, "2026-05-02")).toBe("submitted");
  });

  test("is approved or rejected once", () => {
    const statuses = ["submitted", "approved", "rejected", "expired"] as const;
    const transitions = statuses.flatMap((from) => statuses.filter((to) => estimateStateMachine.allows(from, to)).map((to) => `${from} ${to}`));
    expect(transitions).toEqual(["submitted approved", "submitted rejected"]);
  });
});
