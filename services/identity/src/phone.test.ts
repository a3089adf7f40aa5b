import { describe, expect, test } from "@jest/globals";
import { e164 } from "./phone.ts";

describe("e164", () => {
  test.each([
    ["(212) 555-0123", "+12125550123"],
    ["212.555.0123", "+12125550123"],
    ["1 212 555 0123", "+12125550123"],
    ["+44 20 7946 0123", "+442079460123"],
  ])("%s is %s", (phone, normal) => expect(e164(phone)).toBe(normal));
  test.each(["555-0123", "hello there", "44 20 7946 0123", "+1 212 555"])("refuses %s, naming the field", (phone) => {
    expect(() => e164(phone, "phone")).toThrow(expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "phone", code: "format" })] }));
  });
});
