import { describe, expect, test } from "@jest/globals";
import { ownerParts, uncoveredByOwner, unpaidByOwner, sharesOn, shareTerms, splitByShare } from "./ownership.rules.ts";

const share = (ownerId: string, shareBps: number) => ({ ownerId, shareBps });
const bps = (...shares: number[]) => shares.map((shareBps) => ({ shareBps }));

describe("splitByShare", () => {
  test.each([
    [100, bps(10_000), [100]],
    [101, bps(6_000, 4_000), [61, 40]],
    [-101, bps(6_000, 4_000), [-61, -40]],
    [100, bps(3_333, 3_333, 3_334), [33, 33, 34]],
    [1, bps(5_000, 5_000), [1, 0]],
    [0, bps(5_000, 5_000), [0, 0]],
    [9_007_199_254_740_991, bps(3_333, 6_667), [3_002_099_511_605_172, 6_005_099_743_135_819]],
  ])("of %i cents by %j is %j", (cents, shares, parts) => {
    expect(splitByShare(cents, shares)).toEqual(parts);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(cents);
  });
});

const sold = {
  propertyId: "elm",
  ownerships: [
    { effectiveDate: "2026-01-01", shares: [share("ann", 6_000), share("ben", 4_000)] },
    { effectiveDate: "2026-07-01", shares: [share("ben", 4_000), share("cat", 6_000)] },
  ],
};

describe("shareTerms", () => {
  test("end on the day before the next ownership, and the first one has no beginning", () => {
    const termsOf = (owner: string) => shareTerms(sold).filter(({ ownerId }) => ownerId === owner);
    expect(termsOf("ann")).toEqual([
      { propertyId: "elm", ownerId: "ann", firstDay: "-infinity", lastDay: "2026-06-30", shareBps: 6_000, otherBps: [4_000], takesRemainder: true },
    ]);
    expect(termsOf("ben").map(({ firstDay, lastDay }) => [firstDay, lastDay])).toEqual([
      ["-infinity", "2026-06-30"],
      ["2026-07-01", "infinity"],
    ]);
    expect(termsOf("dan")).toEqual([]);
  });

  test("give the cents left over to the first of equal shares", () => {
    const equal = { propertyId: "elm", ownerships: [{ shares: [share("ann", 5_000), share("ben", 5_000)] }] };
    expect(shareTerms(equal).map(({ takesRemainder }) => takesRemainder)).toEqual([true, false]);
  });
});

describe("sharesOn", () => {
  test.each([
    ["2025-12-31", ["ann", "ben"]],
    ["2026-06-30", ["ann", "ben"]],
    ["2026-07-01", ["ben", "cat"]],
  ])("%s are those of %j", (day, owners) => expect(sharesOn(sold, day).map(({ ownerId }) => ownerId)).toEqual(owners));

  test("are none for a property without owners", () => expect(sharesOn({ ownerships: [] }, "2026-01-01")).toEqual([]));
});

describe("ownerParts", () => {
  const shares = [share("ann", 6_000), share("ben", 4_000)];
  const partsOf = (available: number, balances: Record<string, number>) => Object.fromEntries(ownerParts(available, new Map(Object.entries(balances)), shares));
  test.each([
    ["all money is available", 1_001, { ann: 601, ben: 400 }, { ann: 601, ben: 400 }],
    ["300 are held back", 701, { ann: 601, ben: 400 }, { ann: 421, ben: 280 }],
    ["a former owner was not paid", 1_000, { ann: 0, ben: 400, cat: 600 }, { ann: 0, ben: 400, cat: 600 }],
    ["one contributed alone", 1_100, { ann: 601, ben: 499 }, { ann: 601, ben: 499 }],
    ["one owes money", 300, { ann: -100, ben: 400 }, { ann: 0, ben: 300 }],
    ["the company has advanced money", 1_500, { ann: 601, ben: 400 }, { ann: 601, ben: 400 }],
    ["the ledger has no entries", 100, {}, { ann: 0, ben: 0 }],
    ["nothing is available", 0, { ann: 601, ben: 400 }, { ann: 0, ben: 0 }],
    ["money is missing", -5, { ann: 601, ben: 400, cat: 10 }, { ann: 0, ben: 0, cat: 0 }],
  ])("when %s", (_, available, balances, parts) => expect(partsOf(available, balances)).toEqual(parts));
});

describe("unpaidByOwner", () => {
  test("divides expenses by the shares on their day, and charges those of one owner to that owner", () => {
    const expense = (ownedOn: string, cents: number, ownerId: string | null = null) => ({ id: ownedOn, ownedOn, cents, ownerId });
    const burden = unpaidByOwner(sold, [expense("2026-06-30", 100), expense("2026-07-01", 10), expense("2026-07-02", 7, "ben")]);
    expect(Object.fromEntries(burden)).toEqual({ ann: 60, ben: 40 + 4 + 7, cat: 6 });
  });
});

describe("uncoveredByOwner", () => {
  test("is what an owner bears beyond the own ledger, of which a negative one covers nothing", () => {
    const balances = new Map([
      ["ann", 1_000],
      ["ben", 100],
      ["cat", -50],
    ]);
    const burden = new Map([
      ["ann", 400],
      ["ben", 300],
      ["cat", 20],
      ["dan", 7],
    ]);
    expect(Object.fromEntries(uncoveredByOwner(balances, burden))).toEqual({ ann: 0, ben: 200, cat: 20, dan: 7 });
  });
});
