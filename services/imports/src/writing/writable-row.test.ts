import { describe, expect, test } from "@jest/globals";
import { localDateOf } from "@freehold/kit/time/clock";
import { middayOf, receiptTimeOf } from "./writable-row.ts";

test.each(["Pacific/Honolulu", "America/New_York", "UTC", "Asia/Kolkata", "Pacific/Guam", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago"])(
  "a date is imported as an instant of that date in %s",
  (timezone) => {
    for (const date of ["2026-01-31", "2026-03-08", "2026-09-27", "2026-11-01"]) expect(localDateOf(middayOf(date, timezone), timezone)).toBe(date);
  },
);

describe("a receipt on the day of the import", () => {
  const importAt = (startedAt: string) => ({ startedAt, importDate: "2026-06-30", timezone: "America/New_York" });

  test("is not later than the import", () => {
    expect(receiptTimeOf("2026-06-30", importAt("2026-06-30T13:00:00.000Z"))).toBe("2026-06-30T04:00:00.000Z");
    expect(receiptTimeOf("2026-06-30", importAt("2026-06-30T18:00:00.000Z"))).toBe("2026-06-30T17:00:00.000Z");
  });

  test("does not affect receipts on other days", () => {
    expect(receiptTimeOf("2026-06-29", importAt("2026-06-30T13:00:00.000Z"))).toBe("2026-06-29T17:00:00.000Z");
  });
});
