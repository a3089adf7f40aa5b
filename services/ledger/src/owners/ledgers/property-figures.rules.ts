/** Rules of what can be paid to the owners of a property. */

/** Money of a property in the trust accounts, and what of it cannot be paid to its owners, in cents. */
export interface PropertyFigures {
  cashCents: number;
  securityDepositsCents: number;
  prepaidRentCents: number;
  unpaidExpensesCents: number;
  /** Pending payments, and what withdrawals of later days take. */
  pendingCents: number;
  heldEstimatesCents: number;
  /** Fees of all days that no run has charged yet. */
  managementFeesCents: number;
  reserveCents: number;
  additionalReserveCents: number;
}

/** Returns the money of a property that belongs to its owners and is needed for nothing else: cash less all other figures. Negative when money is missing. */
export const availableCents = (figures: PropertyFigures): number =>
  figures.cashCents -
  figures.securityDepositsCents -
  figures.prepaidRentCents -
  figures.unpaidExpensesCents -
  figures.pendingCents -
  figures.heldEstimatesCents -
  figures.managementFeesCents -
  figures.reserveCents -
  figures.additionalReserveCents;

type OwnerFigures = PropertyFigures & { availableToPayCents: number };

/** Returns the sum of each figure over the properties of an owner. */
export function sumFigures(properties: readonly OwnerFigures[]): OwnerFigures {
  const sum = (figure: keyof OwnerFigures) => properties.reduce((total, property) => total + property[figure], 0);
  return {
    cashCents: sum("cashCents"),
    securityDepositsCents: sum("securityDepositsCents"),
    prepaidRentCents: sum("prepaidRentCents"),
    unpaidExpensesCents: sum("unpaidExpensesCents"),
    pendingCents: sum("pendingCents"),
    heldEstimatesCents: sum("heldEstimatesCents"),
    managementFeesCents: sum("managementFeesCents"),
    reserveCents: sum("reserveCents"),
    additionalReserveCents: sum("additionalReserveCents"),
    availableToPayCents: sum("availableToPayCents"),
  };
}
