/** Rules of the journal entries that settle charges: their dates, lines and dimensions. */
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, DEPOSITS_DUE, DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { credit, debit, reverseLines, type Dimensions, type EntryLine } from "../../journal/journal.rules.ts";
import { usableOn, type OpenAmount } from "../allocations/open-amount.rules.ts";
import type { Payment } from "./payment.entity.ts";
import type { AllocatableCharge, AppliedAllocation } from "./payment.rules.ts";

/**
 * Dimensions of the money of a payment: the payment and its tenant and, if the payment names a lease, the property and unit of the
 * lease, and the lease or renewal that holds the credit of the payment.
 */
export type PayerDimensions = Required<Pick<Dimensions, "paymentId" | "tenantId" | "leaseId" | "propertyId" | "unitId">> & Pick<Dimensions, "description">;

/** Returns the dimensions of the money of a payment. */
export const payerDimensions = ({ id, tenantId, leaseId, creditLeaseId, propertyId, unitId }: Payment): PayerDimensions => ({
  paymentId: id,
  tenantId,
  leaseId: creditLeaseId ?? leaseId ?? null,
  propertyId: propertyId ?? null,
  unitId: unitId ?? null,
});

/** Returns the dimensions of the payer's money at a property. Only money at the payer's own property keeps the unit. */
export const dimensionsAt = (payer: PayerDimensions, propertyId: string | null): PayerDimensions =>
  propertyId === payer.propertyId ? payer : { ...payer, propertyId, unitId: null };

/**
 * Returns the day on which an allocation settles a charge: the day of the receipt of the money or the due date, whichever is
 * later. If the amount was not open on every day from that day on, the allocation settles the charge on the day on which the
 * charge was reopened, so that the settled amount never exceeds the charge.
 */
export function settlementDate(
  { charge: { dueDate, reopenedOn, openBeforeReopeningCents }, amountCents }: Pick<AppliedAllocation, "charge" | "amountCents">,
  receivedOn: string,
): string {
  return usableOn({ since: reopenedOn, beforeCents: openBeforeReopeningCents }, amountCents, maxDate(receivedOn, dueDate));
}

/** Allocations by settlement date, and the unused rest of the credit that was available before the day of a release. */
export interface SettlementGroups<A> {
  groups: [date: string, allocations: A[]][];
  creditBeforeReleaseCents: number | null;
}

/**
 * Groups the allocations of a payment by settlement date, in ascending order. Credit from a release settles charges from the day
 * of the release, `since`; only the amount that was available before that day, `beforeCents`, settles charges earlier.
 */
export function groupBySettlementDate<A extends AppliedAllocation>(
  allocations: readonly A[],
  receivedOn: string,
  { since, beforeCents }: Omit<OpenAmount, "cents"> = { since: null, beforeCents: null },
): SettlementGroups<A> {
  let creditBeforeReleaseCents = beforeCents;
  const groups = Map.groupBy(allocations, (allocation) => {
    const { amountCents } = allocation;
    const date = usableOn({ since, beforeCents: creditBeforeReleaseCents }, amountCents, settlementDate(allocation, receivedOn));
    if (since !== null && date < since) creditBeforeReleaseCents = (creditBeforeReleaseCents ?? 0) - amountCents;
    return date;
  });
  return { groups: [...groups].sort(([a], [b]) => (a < b ? -1 : 1)), creditBeforeReleaseCents };
}

/** Amount of a charge that an entry settles. */
export interface SettledAmount {
  charge: Pick<AllocatableCharge, "id" | "leaseId" | "tenantId" | "propertyId" | "unitId" | "categoryId" | "depositLeaseId">;
  amountCents: number;
}

/** Parts of a payment: amounts that settle their charges on the day of the receipt, amounts that settle them later, and the unallocated rest. */
export interface PaymentParts {
  settled: readonly SettledAmount[];
  postponed: readonly SettledAmount[];
  unallocatedCents: number;
}

/**
 * Returns the lines of a payment's entry. The money is debited to undeposited funds, split by the properties whose charges it
 * settles, so that the entry balances in each property. Postponed settlements are prepaid rent at the property of their charge,
 * and the unallocated rest is prepaid rent at the payer's property.
 */
export function paymentLines(payer: PayerDimensions, { settled, postponed, unallocatedCents }: PaymentParts, chart: Chart): EntryLine[] {
  const unallocated = unallocatedCents > 0 ? [{ propertyId: payer.propertyId, amountCents: unallocatedCents }] : [];
  const prepaid = [...postponed.map(amountAtProperty), ...unallocated];
  return [
    ...linesByProperty(payer, [...settled.map(amountAtProperty), ...prepaid], (cents, dimensions) => [
      debit(chart.accountId(UNDEPOSITED_FUNDS), cents, dimensions),
    ]),
    ...settlementLines(payer, settled, chart),
    ...linesByProperty(payer, prepaid, (cents, dimensions) => [credit(chart.accountId(PREPAID_RENT), cents, dimensions)]),
  ];
}

/** Returns the lines of the entry that settles charges with money that was prepaid at the property of each charge. */
export const postponedSettlementLines = (payer: PayerDimensions, allocations: readonly SettledAmount[], chart: Chart): EntryLine[] => [
  ...linesByProperty(payer, allocations.map(amountAtProperty), (cents, dimensions) => [debit(chart.accountId(PREPAID_RENT), cents, dimensions)]),
  ...settlementLines(payer, allocations, chart),
];

/**
 * Returns the lines of the entry that allocates credit of a payment: prepaid rent at the payer's property settles the charges.
 * Money that settles a charge of another property moves to that property.
 */
export function allocationLines(payer: PayerDimensions, allocations: readonly SettledAmount[], chart: Chart): EntryLine[] {
  const undepositedFunds = chart.accountId(UNDEPOSITED_FUNDS);
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const elsewhere = allocations.map(amountAtProperty).filter(({ propertyId }) => propertyId !== payer.propertyId);
  return [
    debit(chart.accountId(PREPAID_RENT), allocatedCents, payer),
    ...linesByProperty(payer, elsewhere, (cents, dimensions) => [credit(undepositedFunds, cents, payer), debit(undepositedFunds, cents, dimensions)]),
    ...settlementLines(payer, allocations, chart),
  ];
}

/** Returns the lines of the entry that releases an allocation: the charge is open again, and the allocated amount is credit at the payer's property. */
export const releaseLines = (payer: PayerDimensions, allocation: SettledAmount, chart: Chart): EntryLine[] =>
  reverseLines(allocationLines(payer, [allocation], chart));

/** Returns the lines of the entry that reverses a postponed settlement: the settled amount is again prepaid rent at the property of the charge. */
export const postponedReleaseLines = (payer: PayerDimensions, allocation: SettledAmount, chart: Chart): EntryLine[] =>
  reverseLines(postponedSettlementLines(payer, [allocation], chart));

/** Returns the lines that move prepaid rent, with its money, from the property of a charge to the payer's property. */
export function prepaidTransferLines(payer: PayerDimensions, { charge: { propertyId }, amountCents }: SettledAmount, chart: Chart): EntryLine[] {
  const atCharge = dimensionsAt(payer, propertyId);
  const [prepaidRent, undepositedFunds] = [chart.accountId(PREPAID_RENT), chart.accountId(UNDEPOSITED_FUNDS)];
  return [
    debit(prepaidRent, amountCents, atCharge),
    credit(prepaidRent, amountCents, payer),
    debit(undepositedFunds, amountCents, payer),
    credit(undepositedFunds, amountCents, atCharge),
  ];
}

/** Returns the lines that move credit of a payer to another lease, at the payer's property. */
export function creditTransferLines(payer: PayerDimensions, amountCents: number, leaseId: string | null, chart: Chart): EntryLine[] {
  const from = { ...payer, description: "Credit taken over by the renewal" };
  return [debit(chart.accountId(PREPAID_RENT), amountCents, from), credit(chart.accountId(PREPAID_RENT), amountCents, { ...from, leaseId })];
}

/** Returns the lines that move the paid part of a deposit to another lease, at the property of the charge. */
export function depositTransferLines({ charge, amountCents }: SettledAmount, paymentId: string, leaseId: string, chart: Chart): EntryLine[] {
  const { id: chargeId, tenantId, propertyId, unitId } = charge;
  const from = { leaseId: charge.depositLeaseId ?? charge.leaseId, tenantId, propertyId, unitId, chargeId, paymentId };
  const held = { ...from, description: "Deposit taken over by the renewal" };
  return [debit(chart.accountId(DEPOSITS_HELD), amountCents, held), credit(chart.accountId(DEPOSITS_HELD), amountCents, { ...held, leaseId })];
}

interface PropertyAmount {
  propertyId: string | null;
  amountCents: number;
}

const amountAtProperty = ({ charge: { propertyId }, amountCents }: SettledAmount): PropertyAmount => ({ propertyId, amountCents });

/** Returns the lines for the total amount of each property, with the payer's dimensions at the property. */
const linesByProperty = (
  payer: PayerDimensions,
  amounts: readonly PropertyAmount[],
  linesOf: (cents: number, dimensions: PayerDimensions) => EntryLine[],
): EntryLine[] =>
  [...Map.groupBy(amounts, ({ propertyId }) => propertyId)].flatMap(([propertyId, group]) => {
    const cents = group.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return linesOf(cents, dimensionsAt(payer, propertyId));
  });

/**
 * Returns the lines that settle charges, with the payment and the dimensions of each charge, not those of the payer: credits to
 * accounts receivable, which on the cash basis are credits to the category of the charge. The paid part of a deposit also moves
 * from deposits due to deposits held, for the lease that holds it.
 */
function settlementLines({ paymentId, description = null }: PayerDimensions, allocations: readonly SettledAmount[], chart: Chart): EntryLine[] {
  return allocations.flatMap(({ charge, amountCents }) => {
    const { leaseId, tenantId, propertyId, unitId } = charge;
    const dimensions = { leaseId, tenantId, propertyId, unitId, chargeId: charge.id, paymentId, description };
    const receivable = credit(chart.accountId(ACCOUNTS_RECEIVABLE), amountCents, dimensions, charge.categoryId);
    if (charge.categoryId !== chart.accountId(DEPOSITS_DUE)) return [receivable];
    const held = { ...dimensions, leaseId: charge.depositLeaseId ?? leaseId };
    return [receivable, debit(chart.accountId(DEPOSITS_DUE), amountCents, dimensions), credit(chart.accountId(DEPOSITS_HELD), amountCents, held)];
  });
}
