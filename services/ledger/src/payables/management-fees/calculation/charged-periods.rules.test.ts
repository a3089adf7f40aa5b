import { describe, expect, test } from "@jest/globals";
import { requireUncharged } from "./charged-periods.rules.ts";

const january = { periodStart: "2026-01-01", periodEnd: "2026-01-31" };
const charged = (propertyId: string, period: object = {}) => ({ propertyId, ...january, ...period });
const duplicate = expect.objectContaining({ status: 409, code: "duplicate" });

describe("requireUncharged", () => {
  test("leaves out properties that were charged, unless they are requested", () => {
    expect(requireUncharged(["a", "b"], [charged("a")], january, false)).toEqual(["b"]);
    expect(requireUncharged(["a", "b"], [], january, true)).toEqual(["a", "b"]);
    expect(() => requireUncharged(["a", "b"], [charged("a")], january, true)).toThrow(duplicate);
  });

  test("refuses a period that was charged in part, and a run that has nothing left to charge", () => {
    expect(() => requireUncharged(["a", "b"], [charged("a", { periodEnd: "2026-01-15" })], january, false)).toThrow(duplicate);
    expect(() => requireUncharged(["a"], [charged("a")], january, false)).toThrow(duplicate);
    expect(requireUncharged([], [], january, false)).toEqual([]);
  });
});
