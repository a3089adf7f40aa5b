/** Rules of security deposits: what can be done in which status, and the lines of their journal entries. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import { conflict, invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, FORFEITED_DEPOSITS, OTHER_INCOME, RENT_INCOME, UTILITY_REIMBURSEMENT } from "../../chart/chart.ts";
import { credit, debit, type Dimensions, type EntryLine } from "../../journal/journal.rules.ts";

type Category = View["deductions"][number]["category"];
type Status = View["status"];

/** Code of the income account of each category of deductions. */
const incomeAccounts: Record<Category, string> = {
  rent: RENT_INCOME,
  damage: FORFEITED_DEPOSITS,
  cleaning: FORFEITED_DEPOSITS,
  utility: UTILITY_REIMBURSEMENT,
  fee: OTHER_INCOME,
  other: FORFEITED_DEPOSITS,
};

/** Dimensions of the money of a security deposit. */
export type DepositDimensions = Required<Pick<Dimensions, "leaseId" | "tenantId" | "propertyId" | "unitId" | "depositId">>;

/** Returns the dimensions of the money of a security deposit. */
export const depositDimensions = ({
  id,
  leaseId,
  tenantId,
  propertyId,
  unitId,
}: Pick<View, "id" | "leaseId" | "tenantId" | "propertyId" | "unitId">): DepositDimensions => ({ leaseId, tenantId, propertyId, unitId, depositId: id });

const done: Record<Status, string> = {
  expected: "Nothing of the deposit is held. Record a receipt first.",
  held: "",
  disposition_due: "",
  disposed: "The disposition of the deposit is finalized. Reopen it first.",
  refunded: "The deposit was refunded. Void the refund and reopen the disposition first.",
  forfeited: "The deposit is forfeited. Reopen its disposition first.",
  transferred: "The deposit was transferred. Void the transfer first.",
};

/** Throws a 409 unless the disposition of the deposit is open and the deposit was not transferred. */
export function requireOpenDeposit(status: Status): void {
  if (status !== "expected" && done[status]) throw conflict(done[status], "invalid_transition");
}

/** Throws a 409 unless the deposit is held and its disposition is open. */
export function requireHeldDeposit(status: Status): void {
  if (done[status]) throw conflict(done[status], "invalid_transition");
}

/** Returns the part of what is held of a deposit that the organization has in trust: all of it, unless the owner holds the deposit. */
export function trustCents({ holder, heldCents, transactions }: Pick<View, "holder" | "heldCents" | "transactions">): number {
  if (holder === "organization") return heldCents;
  const atOwner = transactions.filter(({ kind, voidedAt }) => !voidedAt && (kind === "receipt" || kind === "owner_transfer"));
  return atOwner.reduce((cents, { amountCents }) => cents - amountCents, heldCents as number);
}

/** Throws a 400 at the path when an amount exceeds what is available. */
export function requireAtMost(amountCents: number, availableCents: number, path: string, remedy: string): void {
  if (amountCents <= availableCents) return;
  throw invalid([{ path, code: "sum_exceeded", message: `Only ${Math.max(availableCents, 0)} cents of the deposit are available. ${remedy}` }]);
}

/** Returns the line that takes an amount out of the deposits held, in a bank account or in none. */
export const takenFromDeposit = (chart: Chart, dimensions: Dimensions, bankAccountId: string | null, amountCents: number): EntryLine =>
  debit(chart.accountId(DEPOSITS_HELD), amountCents, { ...dimensions, bankAccountId });

/** Returns the lines of deductions that become income of the property. */
export const incomeLines = (
  chart: Chart,
  deposit: DepositDimensions,
  bankAccountId: string | null,
  deductions: readonly { category: Category; description: string; amountCents: number }[],
): EntryLine[] =>
  deductions.flatMap(({ category, description, amountCents }) => [
    takenFromDeposit(chart, { ...deposit, description }, bankAccountId, amountCents),
    credit(chart.accountId(incomeAccounts[category]), amountCents, { ...deposit, description }),
  ]);

/** Money at a bank: the account of the chart, and the bank account. */
interface Bank {
  accountId: string;
  bankAccountId: string | null;
}

/** Returns the lines of a payment out of the deposit: a refund to the tenant, or money for an owner. */
export const paidOutLines = (
  chart: Chart,
  deposit: DepositDimensions,
  { accountId, bankAccountId }: Bank,
  amountCents: number,
  of: Dimensions,
): EntryLine[] => [
  takenFromDeposit(chart, { ...deposit, ...of }, bankAccountId, amountCents),
  credit(accountId, amountCents, { ...deposit, ...of, bankAccountId }),
];

/** Returns the lines that move a deposit to another one. The money stays in its account and moves to the property of the other deposit. */
export function leaseTransferLines(
  chart: Chart,
  from: DepositDimensions,
  to: DepositDimensions,
  { accountId, bankAccountId }: { accountId: string | null; bankAccountId: string | null },
  amountCents: number,
): EntryLine[] {
  const description = "Security deposit transferred";
  const liability = [
    takenFromDeposit(chart, { ...from, description }, bankAccountId, amountCents),
    credit(chart.accountId(DEPOSITS_HELD), amountCents, { ...to, description, bankAccountId }),
  ];
  if (from.propertyId === to.propertyId) return liability;
  if (!accountId)
    throw invalid([
      { path: "bankAccountId", code: "required", message: "The leases are of different properties. Name the bank account that holds the money." },
    ]);
  return [
    ...liability,
    credit(accountId, amountCents, { ...from, description, bankAccountId }),
    debit(accountId, amountCents, { ...to, description, bankAccountId }),
  ];
}
