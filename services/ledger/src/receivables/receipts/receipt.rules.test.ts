import { expect, test } from "@jest/globals";
import { receiptNumber } from "./receipt.rules.ts";

test("the number of a receipt contains the day and the end of the payment's id", () => {
  expect(receiptNumber("2026-01-05", "01974b2e-7c1a-7e3f-9b5d-2a6c8e0f4d13")).toBe("R-20260105-8E0F4D13");
});
