/** Charges for the tests of rules. */
import type { AllocatableCharge } from "./payment.rules.ts";

let chargeNumber = 0;
/** Returns an open charge of 100 cents by default, with an id of its own. */
export const anOpenCharge = (overrides: Partial<AllocatableCharge> = {}): AllocatableCharge => {
  const balanceCents = overrides.balanceCents ?? 100;
  const id = `charge-${String(++chargeNumber).padStart(6, "0")}`;
  return {
    id,
    leaseId: "lease",
    tenantId: "tenant",
    propertyId: "property",
    unitId: "unit",
    isOfPayer: true,
    chargeType: "rent",
    categoryId: "4000",
    dueDate: "2026-01-01",
    reopenedOn: null,
    openBeforeReopeningCents: null,
    amountCents: balanceCents,
    allocatedCents: 0,
    creditedCents: 0,
    balanceCents,
    status: "pending",
    ...overrides,
  };
};
