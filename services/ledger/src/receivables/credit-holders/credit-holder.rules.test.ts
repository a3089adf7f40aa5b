import { describe, expect, test } from "@jest/globals";
import { FIRST_DAY, holderOn, transfersToHolders, type CreditMove } from "./credit-holder.rules.ts";

const holders = [
  { leaseId: "lease", since: FIRST_DAY },
  { leaseId: "first", since: "2026-06-01" },
  { leaseId: "second", since: "2026-09-01" },
];
const move = (leaseId: string, movedOn: string, cents: number): CreditMove => ({ leaseId, propertyId: "property", movedOn, cents });
/** Returns the transfers as text, for days from `firstOpenDay` on. */
const transfers = (moves: CreditMove[], firstOpenDay = FIRST_DAY) =>
  transfersToHolders(holders, moves, firstOpenDay).map(({ movedOn, fromLeaseId, toLeaseId, cents }) => `${movedOn} ${fromLeaseId} ${toLeaseId} ${cents}`);

describe("the holder of credit", () => {
  test("is the renewal from the day on which it takes over", () => {
    expect(["2026-05-31", "2026-06-01", "2026-09-01"].map((day) => holderOn(holders, day))).toEqual(["lease", "first", "second"]);
  });
});

describe("transfers to the holders of credit", () => {
  test("move credit on the day of each takeover", () => {
    expect(transfers([move("lease", "2026-01-05", 100)])).toEqual(["2026-06-01 lease first 100", "2026-09-01 first second 100"]);
  });

  test("move credit on its own day when the takeover is earlier", () => {
    expect(transfers([move("lease", "2026-07-01", 100)])).toEqual(["2026-07-01 lease first 100", "2026-09-01 first second 100"]);
  });

  test("move credit back that was used before the takeover", () => {
    const moved = [move("lease", "2026-01-05", 100), move("lease", "2026-06-01", -100), move("second", "2026-06-01", 100)];
    expect(transfers([...moved, move("lease", "2026-03-01", -40)])).toEqual([
      "2026-06-01 first lease 40",
      "2026-06-01 second first 100",
      "2026-09-01 first second 60",
    ]);
  });

  test("are none where the holder has the credit, and none for credit that is used up before", () => {
    expect(
      transfers([move("lease", "2026-01-05", 100), move("lease", "2026-05-31", -100), move("first", "2026-07-01", 5), move("first", "2026-08-31", -5)]),
    ).toEqual([]);
  });

  test("leave the days before the first open one as they are", () => {
    expect(transfers([move("lease", "2026-01-05", 100)], "2026-08-01")).toEqual(["2026-08-01 lease first 100", "2026-09-01 first second 100"]);
  });
});
