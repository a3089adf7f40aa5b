/** Helpers of the tests of owners. */
import { randomUUID } from "node:crypto";
import type { Office } from "../../../../test/support/office.ts";
import { aFundedProperty } from "../payables/payables.fixtures.ts";

/** Creates an owner and returns its id. */
export const anOwner = async (office: Office, fullName = "Olga Owner"): Promise<string> =>
  (await office.call("createOwner", { body: { fullName, email: `${randomUUID()}@example.com` } })).owner.id;

/** Creates a property with owners of given shares from a day on, whose rent was paid and deposited on January 6. */
export async function anOwnedProperty(
  office: Office,
  { rentCents, shares, effectiveDate = "2026-01-01" }: { rentCents: number; shares: Record<string, number>; effectiveDate?: string },
  bankAccountId?: string,
) {
  const property = await aFundedProperty(office, rentCents, bankAccountId);
  const body = { effectiveDate, shares: Object.entries(shares).map(([ownerId, shareBps]) => ({ ownerId, shareBps })) };
  await office.call("replaceOwnership", { params: { id: property.propertyId }, body });
  return property;
}

/** Returns the body of a contribution of January 8. */
export const aContribution = (propertyId: string, bankAccountId: string, amountCents: number, change: object = {}) => ({
  propertyId,
  bankAccountId,
  amountCents,
  receivedAt: "2026-01-08T17:00:00.000Z",
  paymentMethod: "check" as const,
  ...change,
});

/** Returns the ledger of an owner as `[date, code, cents, balance]`, with the balances before and after. */
export async function ownerLedgerOf(office: Office, id: string, query: Record<string, string> = {}) {
  const ledger = await office.call("listOwnerLedger", { params: { id }, query: { pageSize: "100", ...query } });
  const rows = ledger.entries.map(({ date, accountCode, debitCents, creditCents, balanceCents }) => [
    date,
    accountCode,
    creditCents - debitCents,
    balanceCents,
  ]);
  return { rows, opening: ledger.openingBalanceCents, closing: ledger.closingBalanceCents };
}
