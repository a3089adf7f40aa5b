import { describe, expect, test } from "@jest/globals";
import { divideAmongOwners } from "./money-in-account.rules.ts";
import { followMovements, type OwnMovement } from "./own-movements.rules.ts";

/** Returns money of an owner that has moved in a place, by default the account. */
const own = (ownerId: string, cents: number, place: string | null = "here", segment = 0): OwnMovement => ({
  segment,
  day: null,
  ownerId,
  place,
  cents,
  moves: null,
});

/** Returns a transfer that names no owner, the first by default. */
const moved = (moves: Record<string, number>, segment = 1): OwnMovement => ({ ...own("", 0, null, segment), ownerId: null, moves });

describe("divideAmongOwners", () => {
  test.each([
    ["of their ledgers", 1_000, [own("ann", 600), own("ben", 400)], { ann: 600, ben: 400 }],
    ["of nobody", 0, [own("ann", 0), own("ben", 0)], {}],
    ["without the money elsewhere", 500, [own("ann", 100), own("ann", 500, "other"), own("ben", 400)], { ann: 100, ben: 400 }],
    ["that the company has transferred for an owner", 300, [own("ann", 300)], { ann: 300 }],
    ["that a transfer without an owner has reduced", 800, [own("ann", 600), own("ben", 400), moved({ here: -200, other: 200 })], { ann: 480, ben: 320 }],
    [
      "that a transfer without an owner has moved here",
      250,
      [own("ann", 600, "other"), own("ben", 400, "other"), moved({ here: 200, other: -200 })],
      { ann: 120, ben: 80, null: 50 },
    ],
    ["that was moved away, and of an advance", 870, [own("ann", 600), own("ben", 400), moved({ here: -200, other: 200 })], { ann: 480, ben: 320, null: 70 }],
    [
      "that was moved here for what one lacks here",
      0,
      [own("ann", -100), own("ann", 200, "other"), own("ben", 200, "other"), moved({ here: 100, other: -100 })],
      {},
    ],
    [
      "that was moved here before the other owner had any there",
      100,
      [own("ann", 200, "other"), moved({ here: 100, other: -100 }), own("ben", 200, "other", 1)],
      { ann: 100 },
    ],
    ["that belongs to no owner", 1_250, [own("ann", 600), own("ben", 400)], { ann: 600, ben: 400, null: 250 }],
    ["that was received in no trust account before", 1_250, [own("ann", 600), own("ben", 400), own("ben", 200, null)], { ann: 600, ben: 600, null: 50 }],
    ["when one owes it", 0, [own("ann", -1_000), own("ben", 1_000)], { ann: -1_000, ben: 1_000 }],
    ["when one owes it, and money of no owner covers it", 1_100, [own("ann", -1_000), own("ben", 1_000)], { ben: 1_000, null: 100 }],
    ["when one owes it, and money is missing", -500, [own("ann", -1_000), own("ben", 1_000)], { ann: -1_000, ben: 500 }],
    ["when more is missing than they have", -200, [own("ann", 600), own("ben", 400)], { null: -200 }],
    ["when cents of the parts are missing", 0, [own("ann", -2), own("ben", 2)], {}],
    ["when more cents are missing", 0, [own("ann", -3), own("ben", 3)], { ann: -3, ben: 3 }],
    ["of one who has spent it here, and has money elsewhere", 0, [own("ann", -500), own("ann", 500, "other"), own("ben", 500)], { ann: -500, ben: 500 }],
    [
      "that an entry without money has taken from one for the other",
      100,
      [own("ann", 100), own("ann", 50, "other"), own("ann", -75, null), own("ben", 75, null)],
      { ann: 50, ben: 50 },
    ],
  ])("divides money %s", (_, cents, movements, parts) => {
    const divided = divideAmongOwners(cents, followMovements(movements));
    expect(Object.fromEntries(divided.map((part) => [String(part.ownerId), part.cents]))).toEqual(parts);
    expect(divided.reduce((sum, part) => sum + part.cents, 0)).toBe(cents);
  });
});
