/** Rules of the leases that hold the credit of a payment: the lease of the payment, and each renewal from the day on which it takes over. */
import type { Chart } from "../../chart/categories.ts";
import type { EntryLine } from "../../journal/journal.rules.ts";
import type { Payment } from "../payments/payment.entity.ts";
import { creditTransferLines, dimensionsAt, payerDimensions, type PayerDimensions } from "../payments/settlement.rules.ts";

/** Day before all entries. */
export const FIRST_DAY = "0001-01-01";

/** Lease that holds the credit of a payment from a day on; null for credit of a payment without a lease. */
export interface CreditHolder {
  leaseId: string | null;
  since: string;
}

/** Credit that entries of a day add to a lease at a property; negative for credit that they use. */
export interface CreditMove {
  leaseId: string | null;
  propertyId: string | null;
  movedOn: string;
  cents: number;
}

/** Lines about one payment that move money to a renewal on a day. */
export interface TransferPart {
  paymentId: string;
  date: string;
  lines: EntryLine[];
}

/** Credit at a property that moves from one lease to another on a day. */
export interface CreditTransfer {
  propertyId: string | null;
  movedOn: string;
  fromLeaseId: string | null;
  toLeaseId: string | null;
  cents: number;
}

/** Returns the lease that holds the credit on a day. The holders are in the order of their days. */
export const holderOn = (holders: readonly CreditHolder[], day: string): string | null => holders.findLast(({ since }) => since <= day)!.leaseId;

/** Returns the dimensions of the money of a payment on a day. */
export const payerDimensionsOn = (payment: Payment, holders: readonly CreditHolder[], day: string): PayerDimensions => ({
  ...payerDimensions(payment),
  leaseId: holderOn(holders, day),
});

/**
 * Returns the transfers after which the holder of each day has all credit. A takeover thereby also moves credit of entries that are
 * posted later, but dated before it. Days before the first open day stay as they are.
 */
export function transfersToHolders(holders: readonly CreditHolder[], moves: readonly CreditMove[], firstOpenDay: string): CreditTransfer[] {
  const properties = [...Map.groupBy(moves, ({ propertyId }) => propertyId)];
  return properties.flatMap(([propertyId, groupMoves]) => {
    const days = [firstOpenDay, ...holders.map(({ since }) => since), ...groupMoves.map(({ movedOn }) => movedOn)].filter((day) => day >= firstOpenDay);
    const transfers: CreditTransfer[] = [];
    const balances = new Map<string | null, number>();
    const add = (leaseId: string | null, cents: number) => balances.set(leaseId, (balances.get(leaseId) ?? 0) + cents);
    let previousDay = "";
    for (const movedOn of [...new Set(days)].sort()) {
      for (const move of groupMoves) if (move.movedOn > previousDay && move.movedOn <= movedOn) add(move.leaseId, move.cents);
      const holderId = holderOn(holders, movedOn);
      for (const [leaseId, cents] of balances) {
        if (leaseId === holderId || cents === 0) continue;
        const [fromLeaseId, toLeaseId] = cents > 0 ? [leaseId, holderId] : [holderId, leaseId];
        transfers.push({ propertyId, movedOn, fromLeaseId, toLeaseId, cents: Math.abs(cents) });
        add(leaseId, -cents);
        add(holderId, cents);
      }
      previousDay = movedOn;
    }
    return transfers;
  });
}

/** Returns the lines that transfer credit of a payer between leases. */
export const transferPart = (payer: PayerDimensions, { propertyId, movedOn, fromLeaseId, toLeaseId, cents }: CreditTransfer, chart: Chart): TransferPart => ({
  paymentId: payer.paymentId!,
  date: movedOn,
  lines: creditTransferLines({ ...dimensionsAt(payer, propertyId), leaseId: fromLeaseId }, cents, toLeaseId, chart),
});
