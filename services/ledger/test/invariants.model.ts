/** The books as a bookkeeper with pencil and paper would keep them: what a random history must agree with. */
export interface ModelCharge {
  id: string;
  leaseId: string;
  isDeposit: boolean;
  amountCents: number;
  allocatedCents: number;
  isVoided: boolean;
}

export interface ModelPayment {
  id: string;
  leaseId: string;
  amountCents: number;
  restCents: number;
  isReversed: boolean;
  applied: { chargeId: string; amountCents: number; later?: true }[];
}

export interface ModelEntry {
  id: string;
  isBalanced: boolean;
  status: "draft" | "posted" | "reversed";
}

/** The same accounts of several books together. */
export function sumOf(all: readonly Record<string, number>[], begun: Record<string, number>): Record<string, number> {
  const codes = [...new Set([begun, ...all].flatMap((each) => Object.keys(each)))];
  return Object.fromEntries(codes.map((code) => [code, all.reduce((sum, each) => sum + (each[code] ?? 0), begun[code] ?? 0)]));
}

export const openCents = ({ amountCents, allocatedCents, isVoided }: ModelCharge): number => (isVoided ? 0 : amountCents - allocatedCents);

/** The books of one lease. */
export class Books {
  readonly charges = new Map<string, ModelCharge>();
  readonly payments = new Map<string, ModelPayment>();
  readonly entries = new Map<string, ModelEntry>();
  /** How many entries the journal should hold. */
  written = 0;

  charge(charge: Pick<ModelCharge, "id" | "leaseId" | "isDeposit" | "amountCents">): void {
    this.charges.set(charge.id, { ...charge, allocatedCents: 0, isVoided: false });
    this.written++;
  }
  pay(payment: Pick<ModelPayment, "id" | "leaseId" | "amountCents">, applied: ModelPayment["applied"]): void {
    this.payments.set(payment.id, { ...payment, restCents: payment.amountCents, isReversed: false, applied: [] });
    this.written++;
    for (const each of applied) this.#apply(payment.id, each);
  }
  allocate(paymentId: string, chargeId: string, amountCents: number): void {
    this.#apply(paymentId, { chargeId, amountCents, later: true });
    this.written++;
  }
  void(id: string): void {
    this.charges.get(id)!.isVoided = true;
    this.written++;
  }
  reverse(id: string): void {
    const payment = this.payments.get(id)!;
    for (const { chargeId, amountCents } of payment.applied) this.charges.get(chargeId)!.allocatedCents -= amountCents;
    this.written += 1 + payment.applied.filter(({ later }) => later).length;
    Object.assign(payment, { isReversed: true, restCents: 0, applied: [] });
  }
  #apply(paymentId: string, application: ModelPayment["applied"][number]): void {
    const payment = this.payments.get(paymentId)!;
    payment.applied.push(application);
    payment.restCents -= application.amountCents;
    this.charges.get(application.chargeId)!.allocatedCents += application.amountCents;
  }

  /** Whether so much of a payment may go to a charge. */
  allows(paymentLease: string, restCents: number, allocations: readonly { chargeId: string; amountCents: number }[]): boolean {
    const total = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return (
      total <= restCents &&
      allocations.every(({ chargeId, amountCents }) => {
        const charge = this.charges.get(chargeId);
        return charge !== undefined && !charge.isVoided && charge.leaseId === paymentLease && amountCents <= openCents(charge);
      })
    );
  }

  /** What the accounts of tenants' money should stand at. */
  accounts(): Record<string, number> {
    const sum = <T>(all: Iterable<T>, pick: (one: T) => number) => [...all].reduce((total, one) => total + pick(one), 0);
    const deposits = [...this.charges.values()].filter(({ isDeposit }) => isDeposit);
    return {
      "1050": sum(this.payments.values(), ({ amountCents, isReversed }) => (isReversed ? 0 : amountCents)),
      "1100": sum(this.charges.values(), openCents),
      "2100": 0 - sum(deposits, ({ allocatedCents }) => allocatedCents),
      "2110": 0 - sum(deposits, openCents),
      "2150": 0 - sum(this.payments.values(), ({ restCents }) => restCents),
      "5010": [...this.entries.values()].filter(({ status }) => status === "posted").length,
    };
  }
}
