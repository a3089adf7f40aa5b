import { describe, expect, test } from "@jest/globals";
import { smsSegments } from "./sms-segments.rules.ts";

describe("smsSegments", () => {
  test.each([
    ["an empty text", "", 1, "gsm_7"],
    ["160 characters", "a".repeat(160), 1, "gsm_7"],
    ["161 characters", "a".repeat(161), 2, "gsm_7"],
    ["306 characters", "a".repeat(306), 2, "gsm_7"],
    ["307 characters", "a".repeat(307), 3, "gsm_7"],
    ["80 characters of the extension, which take two places", "€".repeat(80), 1, "gsm_7"],
    ["81 characters of the extension", "€".repeat(81), 2, "gsm_7"],
    ["accents of the alphabet", "é".repeat(160), 1, "gsm_7"],
    ["another accent", `í${"a".repeat(69)}`, 1, "ucs_2"],
    ["another accent and 70 characters", `í${"a".repeat(70)}`, 2, "ucs_2"],
    ["emoji, which take two places", "🔑".repeat(35), 1, "ucs_2"],
    ["36 emoji", "🔑".repeat(36), 2, "ucs_2"],
  ] as const)("of %s are counted", (_, text, segments, encoding) => {
    expect(smsSegments(text)).toEqual({ segments, encoding });
  });
});
