import { describe, expect, test } from "@jest/globals";
import { normalizePhone } from "./phone.ts";

describe("normalizePhone", () => {
  test.each([
    ["(212) 555-0123", "+12125550123"],
    ["212.555.0123", "+12125550123"],
    ["1 212 555 0123", "+12125550123"],
    ["+44 20 7946 0123", "+442079460123"],
  ])("converts %s to %s", (phone, e164) => expect(normalizePhone("phone", phone)).toBe(e164));
  test.each([null, undefined])("returns %s unchanged", (phone) => expect(normalizePhone("phone", phone)).toBe(phone));
  test.each(["555-0123", "hello there", "44 20 7946 0123", "+1 212 555"])("refuses %s with an error at the field", (phone) => {
    const fieldError = expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "alternatePhone", code: "format" })] });
    expect(() => normalizePhone("alternatePhone", phone)).toThrow(fieldError);
  });
});
