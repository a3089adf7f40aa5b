/** In-memory model of a ledger, with which random histories are compared. */
export interface ModelCharge {
  id: string;
  leaseId: string;
  isDeposit: boolean;
  dueDate: string;
  amountCents: number;
  allocatedCents: number;
  isVoided: boolean;
  /** Day of the latest reversal of a payment that had settled the charge, and the amount that can be settled before it. */
  reopened?: { on: string; openBeforeCents: number };
}

interface ModelAllocation {
  chargeId: string;
  amountCents: number;
}

/** Allocation with its date, and the number of its journal entry, which is 0 for the entry of the receipt. */
interface AppliedModelAllocation extends ModelAllocation {
  settledOn: string;
  entryNumber: number;
}

export interface ModelPayment {
  id: string;
  leaseId: string;
  amountCents: number;
  unallocatedCents: number;
  receivedOn: string;
  isReversed: boolean;
  allocations: AppliedModelAllocation[];
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

  charge(charge: Pick<ModelCharge, "id" | "leaseId" | "isDeposit" | "dueDate" | "amountCents">): void {
    this.charges.set(charge.id, { ...charge, allocatedCents: 0, isVoided: false });
    this.entryCount++;
  }
  pay(payment: Pick<ModelPayment, "id" | "leaseId" | "amountCents" | "receivedOn">, allocations: readonly ModelAllocation[]): void {
    this.payments.set(payment.id, { ...payment, unallocatedCents: payment.amountCents, isReversed: false, allocations: [] });
    this.entryCount++;
    this.#apply(payment.id, allocations, (settledOn) => settledOn === payment.receivedOn);
  }
  allocate(paymentId: string, chargeId: string, amountCents: number): void {
    this.#apply(paymentId, [{ chargeId, amountCents }], () => false);
  }
  void(chargeId: string): void {
    this.charges.get(chargeId)!.isVoided = true;
    this.entryCount++;
  }
  reverse(paymentId: string, reversedOn: string): void {
    const payment = this.payments.get(paymentId)!;
    for (const [chargeId, released] of Map.groupBy(payment.allocations, (allocation) => allocation.chargeId)) {
      const charge = this.charges.get(chargeId)!;
      const sum = (allocations: readonly AppliedModelAllocation[]) => allocations.reduce((total, { amountCents }) => total + amountCents, 0);
      const withoutEffect = released.filter(({ settledOn }) => settledOn >= reversedOn);
      const restoredCents = sum(withoutEffect.filter(({ settledOn }) => charge.reopened && settledOn < charge.reopened.on));
      const balanceBeforeCents = openCents(charge) + sum(withoutEffect);
      const openBeforeCents = Math.min((charge.reopened?.openBeforeCents ?? balanceBeforeCents) + restoredCents, balanceBeforeCents);
      if (withoutEffect.length < released.length) charge.reopened = { on: [charge.reopened?.on ?? "", reversedOn].toSorted().at(-1)!, openBeforeCents };
      else if (charge.reopened && restoredCents > 0) charge.reopened.openBeforeCents = openBeforeCents;
      charge.allocatedCents -= sum(released);
    }
    this.entryCount += new Set([0, ...payment.allocations.map(({ entryNumber }) => entryNumber)]).size;
    Object.assign(payment, { isReversed: true, unallocatedCents: 0, allocations: [] });
  }
  /** Applies allocations. Each settlement date has a journal entry, unless it is part of the entry of the receipt. */
  #apply(paymentId: string, allocations: readonly ModelAllocation[], isInReceipt: (settledOn: string) => boolean): void {
    const payment = this.payments.get(paymentId)!;
    const entryNumbers = new Map<string, number>();
    for (const { chargeId, amountCents } of allocations) {
      const charge = this.charges.get(chargeId)!;
      const settledOn = this.#settlementDate(charge, amountCents, payment.receivedOn);
      if (!entryNumbers.has(settledOn)) entryNumbers.set(settledOn, isInReceipt(settledOn) ? 0 : this.entryCount++);
      payment.allocations.push({ chargeId, amountCents, settledOn, entryNumber: entryNumbers.get(settledOn)! });
      payment.unallocatedCents -= amountCents;
      charge.allocatedCents += amountCents;
    }
  }

  /** Returns the date of a settlement, and subtracts it from the amount that can be settled before the charge was reopened. */
  #settlementDate({ dueDate, reopened }: ModelCharge, amountCents: number, receivedOn: string): string {
    const date = receivedOn > dueDate ? receivedOn : dueDate;
    if (!reopened || date >= reopened.on) return date;
    if (amountCents > reopened.openBeforeCents) return reopened.on;
    reopened.openBeforeCents -= amountCents;
    return date;
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
