/** Helpers of the tests of security deposits. */
import type { SecurityDeposit } from "@freehold/contract/trust/security-deposit.schema";
import { expect } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../trust.fixtures.ts";

/** A lease with a security deposit of 1,500.00 that was received and deposited in an escrow account on January 7. */
export interface DepositOffice {
  office: Office;
  tenancy: Tenancy;
  escrow: string;
  id: string;
}

/** Creates an office with a received security deposit of 1,500.00. */
export async function aDepositOffice(): Promise<DepositOffice> {
  const office = await anOffice();
  const [tenancy, escrow] = [await aTenancy(office), await aBankAccount(office, "security_deposit")];
  const id = await aReceivedDeposit(office, tenancy, escrow);
  return { office, tenancy, escrow, id };
}

/** Creates a security deposit of 1,500.00 that was received and deposited on January 7, and returns its id. */
export async function aReceivedDeposit(office: Office, { leaseId }: Pick<Tenancy, "leaseId">, bankAccountId: string): Promise<string> {
  const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId, requiredCents: 150_000, chargeTenant: false } });
  await office.call("recordSecurityDepositReceipt", { params: { id: securityDeposit.id }, body: aReceipt(150_000, bankAccountId) });
  return securityDeposit.id;
}

/** Returns the body of a receipt of January 7. */
export const aReceipt = (amountCents: number, bankAccountId?: string) => ({
  amountCents,
  paymentMethod: "check" as const,
  receivedAt: "2026-01-07T17:00:00.000Z",
  ...(bankAccountId && { bankAccountId }),
});

/** Disposition letter of March 3. */
export const aLetter = { sentAt: "2026-03-03T17:00:00.000Z", method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };

/** Returns the body of a refund of March 5. */
export const aRefund = (amountCents: number, bankAccountId: string) => ({
  amountCents,
  method: "check" as const,
  bankAccountId,
  paidAt: "2026-03-05T17:00:00.000Z",
});

/** Returns a security deposit. */
export const depositOf = async ({ office, id }: DepositOffice): Promise<SecurityDeposit> =>
  (await office.call("getSecurityDeposit", { params: { id } })).securityDeposit;

/** Returns the balances other than zero after all entries by account code, and the sub-ledgers of the escrow account. */
export async function booksOf({ office, escrow }: DepositOffice) {
  const balances = Object.fromEntries(Object.entries(await closingBalances(office)).filter(([, cents]) => cents !== 0));
  const { rows, totals } = await subLedgersOf(office, escrow);
  return { balances, subLedgers: rows.map(([kind, , , cents]) => [kind, cents]), totals };
}

/** Asserts that the ledger of an office has no violation of an invariant. */
export const expectNoViolations = async (office: Office): Promise<void> => expect(await withOwnerConnection(office, findViolations)).toEqual([]);
