/** In-memory model of a ledger, with which random histories are compared. */
export interface ModelCharge {
  id: string;
  leaseId: string;
  isDeposit: boolean;
  amountCents: number;
  allocatedCents: number;
  isVoided: boolean;
}

interface ModelAllocation {
  chargeId: string;
  amountCents: number;
  /** Set for an allocation after the payment was recorded, which has a journal entry of its own. */
  hasOwnEntry?: true;
}

export interface ModelPayment {
  id: string;
  leaseId: string;
  amountCents: number;
  unallocatedCents: number;
  isReversed: boolean;
  allocations: ModelAllocation[];
}

export interface ModelEntry {
  id: string;
  isBalanced: boolean;
  status: "draft" | "posted" | "reversed";
}

/** Sums account balances by code. */
export function sumBalances(balances: readonly Record<string, number>[]): Record<string, number> {
  const codes = [...new Set(balances.flatMap((each) => Object.keys(each)))];
  return Object.fromEntries(codes.map((code) => [code, balances.reduce((sum, each) => sum + (each[code] ?? 0), 0)]));
}

export const openCents = ({ amountCents, allocatedCents, isVoided }: ModelCharge): number => (isVoided ? 0 : amountCents - allocatedCents);

/** Ledger of one lease. */
export class LedgerModel {
  readonly charges = new Map<string, ModelCharge>();
  readonly payments = new Map<string, ModelPayment>();
  readonly entries = new Map<string, ModelEntry>();
  /** Expected number of journal entries. */
  entryCount = 0;

  charge(charge: Pick<ModelCharge, "id" | "leaseId" | "isDeposit" | "amountCents">): void {
    this.charges.set(charge.id, { ...charge, allocatedCents: 0, isVoided: false });
    this.entryCount++;
  }
  pay(payment: Pick<ModelPayment, "id" | "leaseId" | "amountCents">, allocations: readonly ModelAllocation[]): void {
    this.payments.set(payment.id, { ...payment, unallocatedCents: payment.amountCents, isReversed: false, allocations: [] });
    this.entryCount++;
    for (const allocation of allocations) this.#apply(payment.id, allocation);
  }
  allocate(paymentId: string, chargeId: string, amountCents: number): void {
    this.#apply(paymentId, { chargeId, amountCents, hasOwnEntry: true });
    this.entryCount++;
  }
  void(chargeId: string): void {
    this.charges.get(chargeId)!.isVoided = true;
    this.entryCount++;
  }
  reverse(paymentId: string): void {
    const payment = this.payments.get(paymentId)!;
    for (const { chargeId, amountCents } of payment.allocations) this.charges.get(chargeId)!.allocatedCents -= amountCents;
    this.entryCount += 1 + payment.allocations.filter(({ hasOwnEntry }) => hasOwnEntry).length;
    Object.assign(payment, { isReversed: true, unallocatedCents: 0, allocations: [] });
  }
  #apply(paymentId: string, allocation: ModelAllocation): void {
    const payment = this.payments.get(paymentId)!;
    payment.allocations.push(allocation);
    payment.unallocatedCents -= allocation.amountCents;
    this.charges.get(allocation.chargeId)!.allocatedCents += allocation.amountCents;
  }

  /** Tells whether an amount of a payment of the lease can be allocated as given. */
  canAllocate(leaseId: string, availableCents: number, allocations: readonly { chargeId: string; amountCents: number }[]): boolean {
    const total = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return (
      total <= availableCents &&
      allocations.every(({ chargeId, amountCents }) => {
        const charge = this.charges.get(chargeId);
        return charge !== undefined && !charge.isVoided && charge.leaseId === leaseId && amountCents <= openCents(charge);
      })
    );
  }

  /** Returns the expected balances of the accounts by code. */
  balances(): Record<string, number> {
    const sum = <T>(items: Iterable<T>, centsOf: (item: T) => number) => [...items].reduce((total, item) => total + centsOf(item), 0);
    const deposits = [...this.charges.values()].filter(({ isDeposit }) => isDeposit);
    return {
      "1050": sum(this.payments.values(), ({ amountCents, isReversed }) => (isReversed ? 0 : amountCents)),
      "1100": sum(this.charges.values(), openCents),
      "2100": 0 - sum(deposits, ({ allocatedCents }) => allocatedCents),
      "2110": 0 - sum(deposits, openCents),
      "2150": 0 - sum(this.payments.values(), ({ unallocatedCents }) => unallocatedCents),
      "5010": [...this.entries.values()].filter(({ status }) => status === "posted").length,
    };
  }
}
