import { describe, expect, test } from "@jest/globals";
import { balanceOf, requireNoDifference, requireEndAfter, requireVarianceAcknowledged, threeWayProof, type ProofFigures } from "./reconciliation.rules.ts";

const figures = (change: object = {}) =>
  ({ openingBalanceCents: 100, statementEndingBalanceCents: 250, clearedDepositsCents: 200, clearedWithdrawalsCents: 50, ...change }) as Parameters<
    typeof balanceOf
  >[0];

describe("balanceOf", () => {
  test("adds cleared deposits to the opening balance, takes withdrawals off, and compares the statement", () => {
    expect(balanceOf(figures())).toEqual({ clearedBalanceCents: 250, differenceCents: 0 });
    expect(balanceOf(figures({ statementEndingBalanceCents: 249 }))).toEqual({ clearedBalanceCents: 250, differenceCents: -1 });
  });
});

describe("requireNoDifference", () => {
  test("accepts a difference of 0 only", () => {
    expect(() => requireNoDifference(figures())).not.toThrow();
    for (const statementEndingBalanceCents of [249, 251])
      expect(() => requireNoDifference(figures({ statementEndingBalanceCents }))).toThrow(
        expect.objectContaining({ status: 409, code: "reconciliation_out_of_balance" }),
      );
  });
});

describe("requireEndAfter", () => {
  test.each([
    ["2026-01-31", null, true],
    ["2026-02-01", "2026-01-31", true],
    ["2026-01-31", "2026-01-31", false],
    ["2026-01-30", "2026-01-31", false],
  ])("a statement until %s after one until %s: %s", (end, last, isAccepted) => {
    const require = () => requireEndAfter(end, last);
    if (isAccepted) expect(require).not.toThrow();
    else expect(require).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("threeWayProof", () => {
  const beneficiary = (balanceCents: number) =>
    ({ kind: "owner", id: null, propertyId: null, name: "Elm", balanceCents }) as ProofFigures["byBeneficiary"][number];
  const proof = (balances: number[], isBusiness = false, change: Partial<ProofFigures> = {}) =>
    threeWayProof(
      {
        statementEndingBalanceCents: 200,
        depositsInTransitCents: 80,
        outstandingChecksCents: 30,
        bookCents: 250,
        byBeneficiary: balances.map(beneficiary),
        ...change,
      },
      isBusiness,
    );

  test("adds deposits in transit to the statement and takes outstanding checks off", () => {
    expect(proof([200, 50])).toMatchObject({ adjustedBankCents: 250, bookCents: 250, liabilityCents: 250, isBalanced: true });
    expect(proof([250], false, { outstandingChecksCents: 31 })).toMatchObject({ adjustedBankCents: 249, isBalanced: false });
  });

  test("does not balance when money of one beneficiary was used for another, unless the account is the company's own", () => {
    expect(proof([260, -10])).toMatchObject({ liabilityCents: 260, isBalanced: false });
    expect(proof([260, -10], true)).toMatchObject({ liabilityCents: 250, isBalanced: true });
  });

  test("a variance must be acknowledged", () => {
    expect(() => requireVarianceAcknowledged(proof([250]), false)).not.toThrow();
    expect(() => requireVarianceAcknowledged(proof([260, -10]), true)).not.toThrow();
    expect(() => requireVarianceAcknowledged(proof([260, -10]), false)).toThrow(expect.objectContaining({ code: "reconciliation_out_of_balance" }));
  });
});
