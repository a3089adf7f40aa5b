import { expect, test } from "@jest/globals";
import { ApiError } from "@freehold/kit/errors";
import { refusalErrors } from "./refusals.ts";

const refused = (path: string, message: string) =>
  refusalErrors(new ApiError(400, message, { errors: [{ path, code: "max", message }] } as never), { effectiveDate: "rent" });

test.each([
  ["effectiveDate", "effectiveDate can be at most 2026-12-31.", "rent", "rent can be at most 2026-12-31."],
  ["body.endDate", "body.endDate cannot be before 2026-01-01.", "end_date", "end_date cannot be before 2026-01-01."],
  ["marketRentCents", "marketRentCents must be an integer.", "market_rent", "market_rent must be an integer."],
  ["occupants.0.moveInDate", "moveInDate is after the moveOutDate of this person.", "move_in_date", "move_in_date is after the moveOutDate of this person."],
  ["row", "The iPhone of the macOS user.", "row", "The iPhone of the macOS user."],
])("the error of %s names the column of the row", (path, message, field, expected) => {
  expect(refused(path, message)).toEqual([{ path: field, code: "max", message: expected }]);
});

test("an error without members of a body is that of the row", () => {
  const error = new ApiError(409, "Send a later startDate.", {} as never);
  expect(refusalErrors(error)).toEqual([{ path: "row", code: "not_allowed", message: "Send a later start_date." }]);
});
