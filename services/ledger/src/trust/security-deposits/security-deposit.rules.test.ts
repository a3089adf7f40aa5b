import { describe, expect, test } from "@jest/globals";
import { requireAtMost, requireHeldDeposit, requireOpenDeposit, trustCents } from "./security-deposit.rules.ts";

const transaction = (kind: string, amountCents: number, voidedAt: string | null = null) => ({ kind, amountCents, voidedAt }) as never;

describe("what can be done with a security deposit", () => {
  test.each([
    ["expected", true, false],
    ["held", true, true],
    ["disposition_due", true, true],
    ["disposed", false, false],
    ["refunded", false, false],
    ["forfeited", false, false],
    ["transferred", false, false],
  ] as const)("depends on its status: %s can be changed (%s) and used (%s)", (status, isOpen, isHeld) => {
    const isAccepted = (require: () => void) => {
      try {
        require();
        return true;
      } catch {
        return false;
      }
    };
    expect([isAccepted(() => requireOpenDeposit(status)), isAccepted(() => requireHeldDeposit(status))]).toEqual([isOpen, isHeld]);
  });

  test("never exceeds what is available", () => {
    expect(() => requireAtMost(100, 100, "amountCents", "Lower it.")).not.toThrow();
    expect(() => requireAtMost(101, 100, "amountCents", "Lower it.")).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "amountCents", code: "sum_exceeded" })] }),
    );
  });
});

describe("trustCents", () => {
  test("is all that the organization holds", () => {
    expect(trustCents({ holder: "organization", heldCents: 500, transactions: [transaction("transfer_in", 200)] } as never)).toBe(500);
  });

  test("leaves out what the owner has received and what was passed to the owner", () => {
    const transactions = [transaction("receipt", 200), transaction("owner_transfer", 100), transaction("receipt", 50, "2026-01-01T00:00:00.000Z")];
    expect(trustCents({ holder: "owner", heldCents: 500, transactions } as never)).toBe(200);
  });
});
