import { describe, expect, test } from "@jest/globals";
import { paymentStatuses } from "@freehold/contract/ledger/payments";
import fc from "fast-check";
import { allocateOldestFirst, applyAllocations, paymentStateMachine, remainingCents, type AllocatableCharge } from "./payment.rules.ts";
import { anOpenCharge } from "./payment.fixtures.ts";

const allowedTransitions = new Set(["pending received", "pending failed", "received reversed", "received refunded", "refunded reversed", "refunded received"]);
const payer = { leaseId: "lease", tenantId: "tenant" };

const validationError = (path: string, code: string) => expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path, code })] });

describe("paymentStateMachine", () => {
  const verb = (from: string, to: string) => (allowedTransitions.has(`${from} ${to}`) ? "allows" : "refuses");
  const transitions = paymentStatuses.flatMap((from) => paymentStatuses.map((to) => ({ verb: verb(from, to), from, to })));
  test.each(transitions)("$verb a change from $from to $to", ({ verb, from, to }) => {
    if (verb === "allows") expect(paymentStateMachine.transition(from, to)).toBe(to);
    else expect(() => paymentStateMachine.transition(from, to)).toThrow(expect.objectContaining({ status: 409, code: "invalid_transition" }));
  });
});

describe("remainingCents", () => {
  test("returns the amount less the allocations", () => {
    expect(remainingCents(100, [])).toBe(100);
    expect(
      remainingCents(100, [
        { chargeId: "a", amountCents: 60 },
        { chargeId: "b", amountCents: 40 },
      ]),
    ).toBe(0);
  });
  test("refuses one cent more than the amount", () => {
    expect(() => remainingCents(100, [{ chargeId: "a", amountCents: 101 }])).toThrow(validationError("allocations", "sum_exceeded"));
  });
});

describe("allocateOldestFirst", () => {
  const typeOrder = ["rent", "fee", "deposit"];
  const received = (amountCents: number) => ({ amountCents, receivedOn: "2026-01-05" });
  const allocate = (charges: AllocatableCharge[], availableCents: number, order = typeOrder) =>
    allocateOldestFirst(charges, received(availableCents), order).map(({ chargeId, amountCents }) => [chargeId, amountCents]);

  test("allocates by due date, then by type order, unlisted types last but before deposits that end the order", () => {
    const [pet, deposit, fee, rent, older] = [
      anOpenCharge({ chargeType: "pet" }),
      anOpenCharge({ chargeType: "deposit" }),
      anOpenCharge({ chargeType: "fee" }),
      anOpenCharge({ chargeType: "rent" }),
      anOpenCharge({ chargeType: "pet", dueDate: "2025-12-31" }),
    ];
    const allocated = (order: string[]) => allocate([pet, deposit, fee, rent, older], 1_000, order).map(([id]) => id);
    expect(allocated(typeOrder)).toEqual([older.id, rent.id, fee.id, pet.id, deposit.id]);
    expect(allocated(["rent", "deposit", "fee"])).toEqual([older.id, rent.id, deposit.id, fee.id, pet.id]);
    expect(allocated(["deposit"])[1]).toBe(deposit.id);
  });

  test("stops when the amount is used up, and skips charges without a balance", () => {
    const [first, settled, second, third] = [anOpenCharge(), anOpenCharge({ balanceCents: 0 }), anOpenCharge(), anOpenCharge()];
    expect(allocate([first, settled, second, third], 130)).toEqual([
      [first.id, 100],
      [second.id, 30],
    ]);
    expect(allocate([first], 0)).toEqual([]);
  });

  const arbitraryCharges = fc.array(
    fc
      .record({ balanceCents: fc.nat(500), dueDate: fc.integer({ min: 1, max: 28 }), chargeType: fc.constantFrom("rent", "fee", "deposit", "pet") })
      .map(({ dueDate, ...charge }) => anOpenCharge({ ...charge, dueDate: `2026-01-${String(dueDate).padStart(2, "0")}` })),
    { maxLength: 12 },
  );

  test("allocates as much as possible, at most each balance and the amount", () => {
    fc.assert(
      fc.property(arbitraryCharges, fc.nat(3_000), (charges, availableCents) => {
        const allocations = allocateOldestFirst(charges, received(availableCents), typeOrder);
        for (const { chargeId, amountCents } of allocations) {
          expect(amountCents).toBeGreaterThan(0);
          expect(amountCents).toBeLessThanOrEqual(charges.find(({ id }) => id === chargeId)!.balanceCents);
        }
        const totalBalanceCents = charges.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
        expect(availableCents - remainingCents(availableCents, allocations)).toBe(Math.min(totalBalanceCents, availableCents));
        expect(new Set(allocations.map(({ chargeId }) => chargeId)).size).toBe(allocations.length);
      }),
    );
  });

  test("allocates nothing to a charge while an older one is open", () => {
    fc.assert(
      fc.property(arbitraryCharges, fc.nat(3_000), (charges, availableCents) => {
        const allocated = new Map(
          allocateOldestFirst(charges, received(availableCents), typeOrder).map(({ chargeId, amountCents }) => [chargeId, amountCents]),
        );
        const openDueDates = charges.filter(({ id, balanceCents }) => (allocated.get(id) ?? 0) < balanceCents).map(({ dueDate }) => dueDate);
        for (const { id, dueDate } of charges) if (allocated.has(id)) expect(openDueDates.every((openDueDate) => openDueDate >= dueDate)).toBe(true);
      }),
    );
  });

  test("is independent of the order of the charges", () => {
    fc.assert(
      fc.property(arbitraryCharges, fc.nat(3_000), (charges, availableCents) => {
        expect(allocateOldestFirst([...charges].reverse(), received(availableCents), typeOrder)).toEqual(
          allocateOldestFirst(charges, received(availableCents), typeOrder),
        );
      }),
    );
  });
});

describe("applyAllocations", () => {
  const apply = (charge: AllocatableCharge, amountCents = 1) => applyAllocations([{ chargeId: charge.id, amountCents }], [charge], payer);

  test("returns the amounts of each charge after its allocation", () => {
    expect(apply(anOpenCharge(), 60)).toMatchObject([{ amountCents: 60, chargeAfter: { allocatedCents: 60, balanceCents: 40, status: "partially_paid" } }]);
  });
  test("names the invalid allocation", () => {
    expect(() => applyAllocations([{ chargeId: "unknown", amountCents: 1 }], [], payer)).toThrow(validationError("allocations.0.chargeId", "not_found"));
    expect(() => apply(anOpenCharge({ isOfPayer: false }))).toThrow(validationError("allocations.0.chargeId", "mismatch"));
    expect(() => apply(anOpenCharge(), 101)).toThrow(validationError("allocations.0.amountCents", "sum_exceeded"));
  });
});
