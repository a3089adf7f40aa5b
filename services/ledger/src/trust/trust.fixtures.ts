/** Helpers of the tests of trust accounts. */
import type { Office } from "../../../../test/support/office.ts";

type AccountType = "operating" | "security_deposit" | "reserve" | "business";

/** Creates a bank account and returns its id. */
export async function aBankAccount(
  office: Office,
  accountType: AccountType = "operating",
  terms: { name?: string; openingBalanceCents?: number } = {},
): Promise<string> {
  const body = { name: `${accountType} account`, institutionName: "First Bank", accountMask: "4321", accountType, openingDate: "2026-01-01", ...terms };
  return (await office.call("createBankAccount", { body })).bankAccount.id;
}

/** Returns the sub-ledgers of a bank account as `[kind, propertyId, tenantId, cents]`, those of the owners of a property as one. */
export async function subLedgersOf(office: Office, id: string, asOf = "2199-12-31") {
  const { subLedgers, totalCents, bookCents, differenceCents } = await office.call("listSubLedgers", { params: { id }, query: { asOf } });
  const groups = Map.groupBy(subLedgers, ({ kind, propertyId, tenantId }) => `${kind} ${propertyId} ${tenantId}`);
  const whole = [...groups.values()].map((rows) => ({ ...rows[0]!, balanceCents: rows.reduce((sum, { balanceCents }) => sum + balanceCents, 0) }));
  return {
    rows: whole.flatMap(({ kind, propertyId, tenantId, balanceCents }) => (balanceCents === 0 ? [] : [[kind, propertyId, tenantId, balanceCents]])),
    totals: [totalCents, bookCents, differenceCents],
  };
}

/** Returns the register of a bank account as `[date, source, cents, balance]`. */
export async function registerOf(office: Office, id: string) {
  const { transactions } = await office.call("listBankTransactions", { params: { id }, query: { pageSize: "100" } });
  return transactions.map(({ date, source, amountCents, balanceCents }) => [date, source, amountCents, balanceCents]);
}
