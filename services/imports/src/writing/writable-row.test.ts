import { expect, test } from "@jest/globals";
import { localDateOf } from "@freehold/kit/time/clock";
import { middayOf } from "./writable-row.ts";

test.each(["Pacific/Honolulu", "America/New_York", "UTC", "Asia/Kolkata", "Pacific/Guam", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago"])(
  "a date is imported as an instant of that date in %s",
  (timezone) => {
    for (const date of ["2026-01-31", "2026-03-08", "2026-09-27", "2026-11-01"]) expect(localDateOf(middayOf(date, timezone), timezone)).toBe(date);
  },
);
