/** Helpers of the tests of owners. */
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { paidRent } from "../payables/management-fees/management-fees.fixtures.ts";
import { aBillPayment, aFundedProperty } from "../payables/payables.fixtures.ts";

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

/** Creates an owner who is paid by check and returns its id. */
export async function aPayee(office: Office, fullName: string): Promise<string> {
  const id = await anOwner(office, fullName);
  await office.call("updateOwner", { params: { id }, body: { payoutMethod: "check" } });
  return id;
}

/** An office with a property of Ann and, unless she owns it alone, Ben, whose rent was paid and deposited in January. */
export async function aPayingOffice({ annBps = 5_000, rentCents = 100_000 } = {}) {
  const office = await anOffice();
  const [ann, ben] = [await aPayee(office, "Ann"), await aPayee(office, "Ben")];
  const shares = annBps === 10_000 ? { [ann]: 10_000 } : { [ann]: annBps, [ben]: 10_000 - annBps };
  return { office, ann, ben, ...(await anOwnedProperty(office, { rentCents, shares })) };
}

/**
 * A property that Ann sold to Cat on February 1. Its rent of January was paid out to Ann and bounced on February 20, when the account held nothing but the
 * rent of February, which Cat has earned. Returns the response of the reversal as well.
 */
export async function aReturnedRent() {
  const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000 });
  const cat = await aPayee(office, "Cat");
  const shares = [{ ownerId: cat, shareBps: 10_000 }];
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
  const payouts = await draftPayouts(office);
  await approvePayouts(office, payouts);
  await payPayout(office, payouts[0]!);
  const [january] = (await office.call("listPayments", {})).payments;
  const february = await paidRent(office, tenancy, "2026-02-10", 100_000);
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-11", paymentIds: [february.id] } });
  const body = { reason: "nsf" as const, reversedAt: "2026-02-20T17:00:00.000Z" };
  const reversal = await office.call("reversePayment", { params: { id: january!.id }, body });
  return { office, ann, cat, propertyId, bankAccountId, reversal };
}

type PayoutRequest = { periodEnd?: string; ownerIds?: string[]; propertyIds?: string[]; bankAccountId?: string };

/** Drafts the payouts of January. */
export const draftPayouts = async (office: Office, request: PayoutRequest = {}) =>
  (await office.call("runOwnerPayables", { body: { periodEnd: "2026-01-31", ...request } })).ownerPayables;

/** Approves payouts. */
export async function approvePayouts(office: Office, payables: readonly { id: string }[]): Promise<void> {
  for (const { id } of payables) await office.call("approveOwnerPayable", { params: { id } });
}

/** Pays an approved payout on February 3. */
export const payPayout = (office: Office, { id }: { id: string }) =>
  office.attempt("payOwnerPayable", { params: { id }, body: { paidAt: "2026-02-03T17:00:00.000Z" } });

/** Returns what would be paid to each owner at the end of January. */
export async function payoutsOf(office: Office, request: PayoutRequest = {}): Promise<Record<string, number>> {
  const { preview } = await office.call("previewOwnerPayables", { body: { periodEnd: "2026-01-31", ...request } });
  return Object.fromEntries(preview.lines.map(({ ownerId, amountCents }) => [ownerId, amountCents]));
}

/** Pays an expense from a bank account, on January 20 by default. */
export const payBill = (office: Office, bankAccountId: string, expenseId: string, amountCents: number, paidAt = "2026-01-20T17:00:00.000Z") =>
  office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, amountCents, [{ expenseId, amountCents }], { paidAt }) });

/** Returns the body of a contribution of January 8. */
export const aContribution = (propertyId: string, bankAccountId: string, amountCents: number, change: object = {}) => ({
  propertyId,
  bankAccountId,
  amountCents,
  receivedAt: "2026-01-08T17:00:00.000Z",
  paymentMethod: "check" as const,
  ...change,
});

/** Records a contribution of January 8. */
export const contribute = (office: Office, id: string, ...terms: Parameters<typeof aContribution>) =>
  office.attempt("createOwnerContribution", { params: { id }, body: aContribution(...terms) });

/** Returns the money of the owners of properties in a bank account by the id of the owner, `null` for that of no owner. */
export async function ownMoneyIn(office: Office, id: string, asOf = "2199-12-31"): Promise<Record<string, number>> {
  const { subLedgers } = await office.call("listSubLedgers", { params: { id }, query: { asOf } });
  return Object.fromEntries(subLedgers.flatMap(({ kind, ownerId, balanceCents }) => (kind === "owner" ? [[String(ownerId), balanceCents]] : [])));
}

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
