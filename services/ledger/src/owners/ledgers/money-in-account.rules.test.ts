import { describe, expect, test } from "@jest/globals";
import { divideAmongOwners, type OwnMoney } from "./money-in-account.rules.ts";

/** Returns the money of an owner, by default all of it in the account. */
function own(ownerId: string, balanceCents: number, change: Partial<OwnMoney> = {}): OwnMoney {
  const { elsewhereCents = 0 } = change;
  return { ownerId, balanceCents, elsewhereCents, hereCents: balanceCents - elsewhereCents, transferredCents: 0, ...change };
}

/** Returns what transfers without an owner have moved to the account. */
const moved = (transferredCents: number): OwnMoney => ({ ...own("", 0, { transferredCents }), ownerId: null });

describe("divideAmongOwners", () => {
  test.each([
    ["of their ledgers", 1_000, [own("ann", 600), own("ben", 400)], { ann: 600, ben: 400 }],
    ["of nobody", 0, [own("ann", 0), own("ben", 0)], {}],
    ["without the money elsewhere", 500, [own("ann", 600, { elsewhereCents: 500 }), own("ben", 400)], { ann: 100, ben: 400 }],
    ["that was transferred for an owner", 900, [own("ann", 600, { elsewhereCents: 100 }), own("ben", 400)], { ann: 500, ben: 400 }],
    ["that the company has transferred for an owner", 300, [own("ann", 0, { transferredCents: 300 }), own("ben", 0)], { ann: 300 }],
    ["that a transfer without an owner has reduced", 800, [own("ann", 600), own("ben", 400)], { ann: 480, ben: 320 }],
    [
      "that a transfer without an owner has moved here",
      250,
      [own("ann", 600, { elsewhereCents: 600 }), own("ben", 400, { elsewhereCents: 400 }), moved(200)],
      { ann: 120, ben: 80, null: 50 },
    ],
    ["that was moved away, and of an advance", 870, [own("ann", 600), own("ben", 400), moved(-200)], { ann: 480, ben: 320, null: 70 }],
    ["that was moved here and spent for one", 0, [own("ann", 0, { elsewhereCents: 1_000 }), own("ben", 500, { elsewhereCents: 500 }), moved(1_000)], {}],
    ["that belongs to no owner", 1_250, [own("ann", 600), own("ben", 400)], { ann: 600, ben: 400, null: 250 }],
    ["when one owes it", 0, [own("ann", -1_000), own("ben", 1_000)], { ann: -1_000, ben: 1_000 }],
    ["when one owes it, and money of no owner covers it", 1_100, [own("ann", -1_000), own("ben", 1_000)], { ben: 1_000, null: 100 }],
    ["when one owes it, and money is missing", -500, [own("ann", -1_000), own("ben", 1_000)], { ann: -1_000, ben: 500 }],
    ["when more is missing than they have", -200, [own("ann", 600), own("ben", 400)], { null: -200 }],
    ["when cents of the parts are missing", 0, [own("ann", -2), own("ben", 2)], {}],
    ["when more cents are missing", 0, [own("ann", -3), own("ben", 3)], { ann: -3, ben: 3 }],
    ["of one who has spent it here, and has money elsewhere", 0, [own("ann", 0, { elsewhereCents: 500 }), own("ben", 500)], { ann: -500, ben: 500 }],
    [
      "that an entry without money has moved",
      50,
      [own("ann", 425, { elsewhereCents: 500, hereCents: 25 }), own("ben", 625, { elsewhereCents: 500 })],
      { ben: 50 },
    ],
  ])("divides money %s", (_, cents, owners, parts) => {
    const divided = divideAmongOwners(cents, owners);
    expect(Object.fromEntries(divided.map((part) => [String(part.ownerId), part.cents]))).toEqual(parts);
    expect(divided.reduce((sum, part) => sum + part.cents, 0)).toBe(cents);
  });
});
