/** In-memory model of a ledger, with which random histories are compared. */
export interface ModelCharge {
  id: string;
  leaseId: string;
  isDeposit: boolean;
  /** Tells whether the charge is the refund of a returned payment, which cannot be voided or credited. */
  isRefund: boolean;
  dueDate: string;
  amountCents: number;
  allocatedCents: number;
  /** Credits, reversed ones included. */
  credits: ModelCredit[];
  isVoided: boolean;
  /** Day of the latest release of an allocation to the charge or reversal of a credit, and the amount that can be settled before it. */
  reopened?: Reopening;
}

export interface ModelCredit {
  id: string;
  amountCents: number;
  creditedOn: string;
  isReversed: boolean;
}

export interface ModelRefund {
  id: string;
  /** Requested day, before which the refund cannot be voided. Undefined for a refund made now, after all random dates. */
  requestedOn: string | undefined;
  amountCents: number;
  /** Code of the bank account. */
  bank: string;
  refundedOn: string;
}

/** Day since which an amount is open as a whole, and the part that can be used before. */
interface Reopening {
  on: string;
  openBeforeCents: number;
}

interface ModelAllocation {
  chargeId: string;
  amountCents: number;
}

/** Amount with the day on which it settled its charge. */
interface SettledAmount {
  amountCents: number;
  settledOn: string;
}

/** Allocation with the day on which it settles its charge. */
export interface AppliedModelAllocation extends ModelAllocation {
  settledOn: string;
  /** Allocated with the receipt to a charge that is settled later, so that the money was at the property of the charge since the receipt. */
  isPostponed: boolean;
}

export interface ModelPayment {
  id: string;
  /** Leases whose charges the payment can settle. */
  leaseIds: string[];
  /** Tells whether the payment names its lease. */
  namesLease: boolean;
  amountCents: number;
  unallocatedCents: number;
  receivedOn: string;
  /** Day of the entry of the receipt: the first open day, when the day of the receipt was in a closed period. */
  postedOn: string;
  isReversed: boolean;
  /** Refunds that are not voided. */
  refunds: ModelRefund[];
  /** Day of the latest void of a refund. */
  refundVoidedOn?: string;
  allocations: AppliedModelAllocation[];
  /** Numbers of the journal entries of the payment. */
  entryNumbers: Set<number>;
  /** Day of the latest removal of an allocation, and the credit that can be used before it. */
  reopened?: Reopening;
}

/** Deposit of payments at a bank. */
export interface ModelBankDeposit {
  id: string;
  /** Code of the bank account. */
  bank: string;
  paymentIds: string[];
  isVoided: boolean;
}

export interface ModelEntry {
  id: string;
  date: string;
  isBalanced: boolean;
  status: "draft" | "posted" | "reversed";
}

/** Sums account balances by code. */
export function sumBalances(balances: readonly Record<string, number>[]): Record<string, number> {
  const codes = [...new Set(balances.flatMap((each) => Object.keys(each)))];
  return Object.fromEntries(codes.map((code) => [code, balances.reduce((sum, each) => sum + (each[code] ?? 0), 0)]));
}

/** Returns the later of two dates. */
export const laterDate = (a: string, b: string): string => (a > b ? a : b);

const sumCents = (amounts: readonly { amountCents: number }[]) => amounts.reduce((total, { amountCents }) => total + amountCents, 0);

/** Records that amounts of a charge or payment are released and open again. `unusedCents` is the amount that is open before the release. */
function reopen(owner: { reopened?: Reopening }, unusedCents: number, released: readonly SettledAmount[], releasedOn: string): void {
  const { reopened } = owner;
  const neverInEffect = released.filter(({ settledOn }) => settledOn >= releasedOn);
  const restoredCents = sumCents(neverInEffect.filter(({ settledOn }) => reopened && settledOn < reopened.on));
  const unusedBeforeCents = unusedCents + sumCents(neverInEffect);
  const openBeforeCents = Math.min((reopened?.openBeforeCents ?? unusedBeforeCents) + restoredCents, unusedBeforeCents);
  if (neverInEffect.length < released.length) owner.reopened = { on: [reopened?.on ?? "", releasedOn].toSorted().at(-1)!, openBeforeCents };
  else if (reopened && restoredCents > 0) reopened.openBeforeCents = openBeforeCents;
}

/** Returns the cents by which live credits reduce a charge. */
export const creditedCents = ({ credits }: ModelCharge): number => sumCents(credits.filter(({ isReversed }) => !isReversed));

export const openCents = (charge: ModelCharge): number => (charge.isVoided ? 0 : charge.amountCents - charge.allocatedCents - creditedCents(charge));

/** Returns the first day, not before `date`, on which an amount of a charge or payment can be used. */
const usableOn = ({ reopened }: { reopened?: Reopening }, amountCents: number, date: string): string =>
  reopened && date < reopened.on && amountCents > reopened.openBeforeCents ? reopened.on : date;

/** Subtracts an amount that is used before a charge or payment was reopened. */
function use({ reopened }: { reopened?: Reopening }, amountCents: number, date: string): void {
  if (reopened && date < reopened.on) reopened.openBeforeCents -= amountCents;
}

/** Returns the status of a payment: one whose whole amount was paid back is refunded. */
export const statusOf = ({ isReversed, amountCents, refunds }: ModelPayment): "received" | "refunded" | "reversed" =>
  isReversed ? "reversed" : sumCents(refunds) === amountCents ? "refunded" : "received";

export const refundedCents = ({ refunds }: ModelPayment): number => sumCents(refunds);

/** Ledger of one household. */
export class LedgerModel {
  readonly charges = new Map<string, ModelCharge>();
  readonly payments = new Map<string, ModelPayment>();
  readonly entries = new Map<string, ModelEntry>();
  readonly bankDeposits = new Map<string, ModelBankDeposit>();
  /** Expected number of journal entries, without those of bank deposits, which depend on the properties and days of the money. */
  entryCount = 0;
  #bankFeesCents = 0;
  /** Returns the first day that is not in a closed accounting period, to which earlier postings move. */
  readonly #firstOpenDay: () => string;

  constructor(firstOpenDay: () => string) {
    this.#firstOpenDay = firstOpenDay;
  }
  /** Tells whether a date is not in a closed accounting period. */
  isOpen = (date: string): boolean => date >= this.#firstOpenDay();
  /** Returns the day on which a posting of a date is made. */
  postingDate = (date: string): string => laterDate(date, this.#firstOpenDay());

  charge(charge: Pick<ModelCharge, "id" | "leaseId" | "isDeposit" | "dueDate" | "amountCents">, isRefund = false): void {
    this.charges.set(charge.id, { ...charge, isRefund, allocatedCents: 0, credits: [], isVoided: false });
    this.entryCount++;
  }
  pay(payment: Pick<ModelPayment, "id" | "leaseIds" | "namesLease" | "amountCents" | "receivedOn">, allocations: readonly ModelAllocation[]): void {
    this.payments.set(payment.id, {
      ...payment,
      postedOn: this.postingDate(payment.receivedOn),
      unallocatedCents: payment.amountCents,
      isReversed: false,
      refunds: [],
      allocations: [],
      entryNumbers: new Set([0]),
    });
    this.entryCount++;
    this.#apply(payment.id, allocations, true);
  }
  allocate(paymentId: string, allocations: readonly ModelAllocation[]): void {
    this.#apply(paymentId, allocations, false);
  }
  /** Moves the due date of a charge, whose entry is reversed and posted anew. */
  moveDueDate(charge: ModelCharge, dueDate: string): void {
    if (charge.dueDate !== dueDate) this.entryCount += 2;
    charge.dueDate = dueDate;
  }
  void(chargeId: string): void {
    this.charges.get(chargeId)!.isVoided = true;
    this.entryCount++;
  }
  /** Credits a charge on a day, or on the day of its reopening for an amount that was not open before. */
  credit(chargeId: string, credit: Pick<ModelCredit, "id" | "amountCents">, requestedOn: string): ModelCredit {
    const charge = this.charges.get(chargeId)!;
    const creditedOn = this.postingDate(usableOn(charge, credit.amountCents, requestedOn));
    use(charge, credit.amountCents, creditedOn);
    const given = { ...credit, creditedOn, isReversed: false };
    charge.credits.push(given);
    this.entryCount++;
    return given;
  }
  reverseCredit(chargeId: string, credit: ModelCredit, today: string): void {
    const charge = this.charges.get(chargeId)!;
    reopen(charge, openCents(charge), [{ amountCents: credit.amountCents, settledOn: credit.creditedOn }], today);
    credit.isReversed = true;
    this.entryCount++;
  }
  /** Reverses a payment and returns the day of its reversal. */
  reverse(paymentId: string, requestedOn: string): string {
    const reversedOn = this.postingDate(requestedOn);
    const payment = this.payments.get(paymentId)!;
    for (const [chargeId, released] of Map.groupBy(payment.allocations, (allocation) => allocation.chargeId)) this.#release(chargeId, released, reversedOn);
    this.entryCount += payment.entryNumbers.size;
    Object.assign(payment, { isReversed: true, unallocatedCents: 0, allocations: [] });
    return reversedOn;
  }
  /** Posts the fee that a bank takes for a returned payment, which the organization owes. */
  payBankFee(amountCents: number): void {
    this.#bankFeesCents += amountCents;
    this.entryCount++;
  }
  deposit(deposit: Pick<ModelBankDeposit, "id" | "bank" | "paymentIds">): void {
    this.bankDeposits.set(deposit.id, { ...deposit, isVoided: false });
  }
  /** Tells whether a payment can be deposited on the day of its receipt. */
  isDepositable = (payment: ModelPayment): boolean => !payment.isReversed && this.#bankOf(payment) === "1050";

  /** Returns the code of the account that holds the money of a payment. */
  #bankOf({ id }: ModelPayment): string {
    return [...this.bankDeposits.values()].find(({ isVoided, paymentIds }) => !isVoided && paymentIds.includes(id))?.bank ?? "1050";
  }
  /** Returns the day of a refund, by default the first with the amount available; undefined when it is not available on the requested day. */
  refundDate(payment: ModelPayment, amountCents: number, requestedOn: string | undefined, today: string): string | undefined {
    const date = laterDate(requestedOn ?? today, payment.postedOn);
    const usableDate = usableOn(payment, amountCents, date);
    const isTooEarly = requestedOn !== undefined && (requestedOn < payment.receivedOn || usableDate !== date);
    return isTooEarly ? undefined : this.postingDate(usableDate);
  }
  refund(paymentId: string, refund: ModelRefund): void {
    const payment = this.payments.get(paymentId)!;
    use(payment, refund.amountCents, refund.refundedOn);
    payment.unallocatedCents -= refund.amountCents;
    payment.refunds.push(refund);
    this.entryCount++;
  }
  voidRefund(paymentId: string, refund: ModelRefund, requestedOn: string): void {
    const payment = this.payments.get(paymentId)!;
    const voidedOn = this.postingDate(laterDate(requestedOn, refund.refundedOn));
    reopen(payment, payment.unallocatedCents, [{ amountCents: refund.amountCents, settledOn: refund.refundedOn }], voidedOn);
    payment.unallocatedCents += refund.amountCents;
    payment.refunds.splice(payment.refunds.indexOf(refund), 1);
    payment.refundVoidedOn = laterDate(voidedOn, payment.refundVoidedOn ?? voidedOn);
    this.entryCount++;
  }
  /** Returns the charges for the refunds of a reversed payment: an amount for each due date. */
  returnedRefunds({ refunds }: ModelPayment, reversedOn: string): [dueDate: string, amountCents: number][] {
    const byDay = Map.groupBy(refunds, ({ refundedOn }) => laterDate(refundedOn, reversedOn));
    return [...byDay].map(([day, group]): [string, number] => [day, sumCents(group)]).toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
  /** Counts the entries that move the returned refunds of a payment without a lease to the lease that is charged: one for each day and bank. */
  moveReturnedRefunds({ refunds, namesLease }: ModelPayment, reversedOn: string): void {
    if (!namesLease) this.entryCount += new Set(refunds.map(({ refundedOn, bank }) => `${laterDate(refundedOn, reversedOn)} ${bank}`)).size;
  }
  removeAllocation(paymentId: string, allocation: AppliedModelAllocation, today: string): void {
    const payment = this.payments.get(paymentId)!;
    this.#release(allocation.chargeId, [allocation], today);
    const isHeldAtCharge = allocation.isPostponed && !payment.namesLease;
    const usedOn = isHeldAtCharge ? payment.postedOn : allocation.settledOn;
    reopen(payment, payment.unallocatedCents, [{ ...allocation, settledOn: usedOn }], today);
    payment.unallocatedCents += allocation.amountCents;
    payment.allocations.splice(payment.allocations.indexOf(allocation), 1);
    payment.entryNumbers.add(this.entryCount++);
    // Two entries: the money returns to the payer today, and the charge is open again on its later settlement date.
    if (isHeldAtCharge && allocation.settledOn > today) payment.entryNumbers.add(this.entryCount++);
  }
  #release(chargeId: string, released: readonly AppliedModelAllocation[], releasedOn: string): void {
    const charge = this.charges.get(chargeId)!;
    reopen(charge, openCents(charge), released, releasedOn);
    charge.allocatedCents -= sumCents(released);
  }
  /** Applies allocations. Each settlement date has a journal entry, unless it is part of the entry of the receipt. */
  #apply(paymentId: string, allocations: readonly ModelAllocation[], isReceipt: boolean): void {
    const payment = this.payments.get(paymentId)!;
    const receivedOn = isReceipt ? payment.receivedOn : payment.postedOn;
    const entryNumbers = new Map<string, number>();
    for (const { chargeId, amountCents } of allocations) {
      const charge = this.charges.get(chargeId)!;
      const date = this.#settlementDate(charge, payment, amountCents, receivedOn);
      const isPostponed = isReceipt && date !== receivedOn;
      if (!entryNumbers.has(date)) entryNumbers.set(date, isReceipt && !isPostponed ? 0 : this.entryCount++);
      payment.entryNumbers.add(entryNumbers.get(date)!);
      payment.allocations.push({ chargeId, amountCents, settledOn: this.postingDate(date), isPostponed });
      payment.unallocatedCents -= amountCents;
      charge.allocatedCents += amountCents;
    }
  }

  /** Returns the settlement date of an amount, and subtracts the amount from that usable before the charge was reopened or the credit released. */
  #settlementDate(charge: ModelCharge, payment: ModelPayment, amountCents: number, receivedOn: string): string {
    const date = usableOn(payment, amountCents, usableOn(charge, amountCents, laterDate(receivedOn, charge.dueDate)));
    for (const owner of [charge, payment]) use(owner, amountCents, date);
    return date;
  }

  /** Returns the open amount of the charges on leases. */
  openCentsOf = (leaseIds: readonly string[]): number =>
    [...this.charges.values()].reduce((sum, charge) => sum + (leaseIds.includes(charge.leaseId) ? openCents(charge) : 0), 0);

  /** Tells whether an amount of a payment for the leases can be allocated as given. */
  canAllocate(leaseIds: readonly string[], availableCents: number, allocations: readonly { chargeId: string; amountCents: number }[]): boolean {
    const total = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return (
      total <= availableCents &&
      allocations.every(({ chargeId, amountCents }) => {
        const charge = this.charges.get(chargeId);
        return charge !== undefined && !charge.isVoided && leaseIds.includes(charge.leaseId) && amountCents <= openCents(charge);
      })
    );
  }

  /** Returns the allocations, each as text with the day on which it settles its charge. */
  settlements(): string[] {
    const all = [...this.payments.values()].flatMap(({ id, allocations }) => allocations.map((allocation) => ({ id, ...allocation })));
    return all.map(({ id, chargeId, amountCents, settledOn }) => `${id} ${chargeId} ${amountCents} ${settledOn}`).sort();
  }

  /** Returns the expected balances of the accounts by code. */
  balances(): Record<string, number> {
    const sum = <T>(items: Iterable<T>, centsOf: (item: T) => number) => [...items].reduce((total, item) => total + centsOf(item), 0);
    const posted = [...this.entries.values()].filter(({ status }) => status === "posted");
    const deposits = [...this.charges.values()].filter(({ isDeposit }) => isDeposit);
    const payments = [...this.payments.values()];
    const records = {
      "1000": 0 - posted.length,
      "1100": sum(this.charges.values(), openCents),
      "2100": 0 - sum(deposits, ({ allocatedCents }) => allocatedCents),
      "2110": 0 - sum(deposits, openCents),
      "2150": 0 - sum(payments, ({ unallocatedCents }) => unallocatedCents),
      "2000": 0 - this.#bankFeesCents,
      "5010": posted.length,
      "5050": this.#bankFeesCents,
    };
    const received = payments.map((payment) => ({ [this.#bankOf(payment)]: payment.isReversed ? 0 : payment.amountCents }));
    const refunded = payments.flatMap(({ refunds }) => refunds.map(({ bank, amountCents }) => ({ [bank]: -amountCents })));
    return sumBalances([records, ...received, ...refunded]);
  }
}
