/** Rules of transfers between bank accounts: whose money may be moved where, and the lines of the entry. */
import type { BankTransfer } from "@freehold/contract/trust/transfers";
import { stateMachine } from "@freehold/kit/state-machine";
import { conflict, invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT } from "../../chart/chart.ts";
import { credit, debit, type EntryLine } from "../../journal/journal.rules.ts";
import type { Beneficiary } from "../bank-accounts/sub-ledgers.queries.ts";
import type { LockedAccount } from "../bank-accounts/bank-account-references.ts";

export type Allocation = BankTransfer["allocations"][number];

export const transferStateMachine = stateMachine("transfer", { posted: ["voided"], voided: [] });

/**
 * Throws a 409 for money of others that would reach a business account, and a 400 for deposits and prepaid rent from one, which holds
 * the company's own money.
 */
export function requireSeparateMoney(from: LockedAccount, to: LockedAccount, allocations: readonly Allocation[]): void {
  if (to.accountType === "business" && from.accountType !== "business" && allocations.length > 0) {
    const message = `${to.name} is a business account, and money of owners and tenants must not reach it. Leave allocations out to transfer money of the management company.`;
    throw conflict(message, "would_overdraw_ledger");
  }
  const index = allocations.findIndex(({ kind }) => kind !== "owner");
  if (index === -1 || (from.accountType !== "business" && to.accountType !== "business")) return;
  const message = "A business account holds no deposits and no prepaid rent. Set kind to owner, or name trust accounts.";
  throw invalid([{ path: `allocations.${index}.kind`, code: "not_allowed", message }]);
}

/** Returns the beneficiaries whose money a transfer moves. */
export const beneficiariesOf = (allocations: readonly Allocation[]): Beneficiary[] =>
  allocations.length === 0
    ? [{ kind: "manager", propertyId: null, tenantId: null }]
    : allocations.map(({ kind, propertyId, tenantId }) => ({ kind, propertyId, tenantId }));

/**
 * Returns the lines of a transfer: the money of each part leaves one account and reaches the other. The liability for a deposit or for
 * prepaid rent moves with its money.
 */
export function transferLines(chart: Chart, from: LockedAccount, to: LockedAccount, amountCents: number, allocations: readonly Allocation[]): EntryLine[] {
  if (allocations.length === 0) return moneyLines(from, to, amountCents, {});
  return allocations.flatMap((allocation) => {
    const { kind, ownerId, propertyId, tenantId, leaseId } = allocation;
    const dimensions = { ownerId, propertyId, tenantId, leaseId };
    const money = moneyLines(from, to, allocation.amountCents, dimensions);
    if (kind === "owner") return money;
    const liability = chart.accountId(kind === "deposit" ? DEPOSITS_HELD : PREPAID_RENT);
    return [
      ...money,
      debit(liability, allocation.amountCents, { ...dimensions, bankAccountId: from.id }),
      credit(liability, allocation.amountCents, { ...dimensions, bankAccountId: to.id }),
    ];
  });
}

const moneyLines = (
  from: LockedAccount,
  to: LockedAccount,
  amountCents: number,
  dimensions: Partial<Omit<Allocation, "kind" | "amountCents">>,
): EntryLine[] => [
  debit(to.categoryId, amountCents, { ...dimensions, bankAccountId: to.id }),
  credit(from.categoryId, amountCents, { ...dimensions, bankAccountId: from.id }),
];
