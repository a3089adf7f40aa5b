/** Bank accounts in which the money of security deposits is. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { conflict, invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { BANK_ACCOUNTS_BY_TYPE } from "../../chart/chart.ts";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { checkMoneyAccount, lockMoneyAccount, type LockedAccount } from "../bank-accounts/bank-account-references.ts";
import { propertyLabel, readPropertyNames } from "../bank-accounts/holder-names.ts";
import type { Beneficiary } from "../bank-accounts/sub-ledgers.queries.ts";
import { readLowestBalances, refuseOrWarn, requireTrustFunds } from "../bank-accounts/trust-funds.ts";
import type { SecurityDeposit } from "./security-deposit.entity.ts";

/** Place of the money of a deposit: a locked bank account, an account of the chart, or neither while the organization has no bank accounts. */
export interface DepositPlace {
  accountId: string | null;
  bankAccountId: string | null;
  account: LockedAccount | null;
}

/**
 * Throws a 400 for a business account, which holds no money of tenants, whether the bank account itself is named or the account of the chart
 * that stands for it.
 */
export function requireTrustAccount(chart: Chart, { account, accountId }: DepositPlace): void {
  const businessId = chart.accountId(BANK_ACCOUNTS_BY_TYPE.business);
  if (account ? account.accountType !== "business" : accountId !== businessId) return;
  const message = `${(account ?? chart.findAccount(businessId)!).name} is a business account, and deposits of tenants are trust money. Name a trust account.`;
  throw invalid([{ path: "bankAccountId", code: "not_allowed", message }]);
}

/** Throws a 400 for a requested account that is unknown or is no trust account, before other records are locked: bank accounts are locked after them. */
export async function checkTrustAccount(tx: OrgTx, chart: Chart, requestedId: string | undefined): Promise<void> {
  if (requestedId) requireTrustAccount(chart, await checkMoneyAccount(tx, chart, requestedId, "bankAccountId"));
}

/** Returns the beneficiary of the money of a security deposit. */
export const beneficiaryOf = ({ propertyId, tenantId }: Pick<SecurityDeposit, "propertyId" | "tenantId">): Beneficiary => ({
  kind: "deposit",
  propertyId,
  tenantId,
});

/**
 * Locks the bank account that holds an amount of a deposit on a day: the requested one, that of the deposit, or the first one that holds
 * enough of it. Throws a 400 for a business account, and a 409 when no bank account holds money of the deposit, since that money is
 * undeposited.
 */
export async function lockPlace(
  tx: OrgTx,
  chart: Chart,
  deposit: SecurityDeposit,
  { requestedId, amountCents, date }: { requestedId: string | undefined; amountCents: number; date: string },
): Promise<DepositPlace> {
  const id = requestedId ?? deposit.bankAccountId ?? (await findPlace(tx, chart, deposit, amountCents, date));
  if (!id) return { accountId: null, bankAccountId: null, account: null };
  const place = await lockMoneyAccount(tx, chart, id, "bankAccountId");
  requireTrustAccount(chart, place);
  if (!place.account) await requireUnassignedFunds(tx, chart, deposit, { accountId: place.accountId, amountCents, date });
  return place;
}

/**
 * Throws a 409, or under the policy `warn` adds a warning, when the lines of an account of the chart that name no bank account hold less than an
 * amount at the property of a deposit on a day or later. Withdrawals from these lines follow each other until the commit.
 */
async function requireUnassignedFunds(
  tx: OrgTx,
  chart: Chart,
  { propertyId }: SecurityDeposit,
  { accountId, amountCents, date }: { accountId: string; amountCents: number; date: string },
): Promise<void> {
  const settings = await getLedgerSettings(tx);
  if (settings.policies.trustOverdraft === "off") return;
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 2))`);
  const row = await tx.first(sql<{ cents: number }>`select ${clampSumToSafeInteger(sql`min(balance)`)} as cents from (
    select sum(sum(cents)) over (order by day) as balance from (
      select greatest(entry_date, ${date}::date) as day, debit_cents - credit_cents as cents from journal_line
      where organization_id = ${tx.organizationId} and account_id = ${accountId} and bank_account_id is null and property_id = ${propertyId}) line
    group by day) held`);
  if (row!.cents >= amountCents) return;
  const { code, name } = chart.findAccount(accountId)!;
  const label = propertyLabel(propertyId, (await readPropertyNames(tx, [propertyId])).get(propertyId));
  const message = `The account ${code} ${name} holds ${row!.cents} cents of ${label} and no bank account is posted to it. Name the bank account that holds the deposit.`;
  await refuseOrWarn(tx, settings, message);
}

async function findPlace(tx: OrgTx, chart: Chart, deposit: SecurityDeposit, amountCents: number, date: string): Promise<string | null> {
  const accounts = await tx.all(sql<LockedAccount>`select id, name, category_id, account_type, owner_id, is_active from bank_account
    where organization_id = ${tx.organizationId} and account_type <> 'business' and is_active order by account_type = 'security_deposit' desc, id`);
  if (accounts.length === 0) return null;
  const held: { id: string; balanceCents: number }[] = [];
  for (const account of accounts) {
    const [{ balanceCents } = { balanceCents: 0 }] = await readLowestBalances(tx, chart, account, [beneficiaryOf(deposit)], date);
    if (balanceCents >= amountCents) return account.id;
    if (balanceCents > 0) held.push({ id: account.id, balanceCents });
  }
  const most = held.toSorted((one, other) => other.balanceCents - one.balanceCents)[0];
  if (most) return most.id;
  throw conflict(
    "No bank account holds money of the deposit on that day. Deposit its payments at a bank first, or choose a later day.",
    "insufficient_trust_funds",
  );
}

/** Throws a 409 or adds a warning when posted entries have taken more of the deposit's money than its place holds on a day or later. */
export const requireDepositFunds = async (
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  deposit: SecurityDeposit,
  { account }: DepositPlace,
  date: string,
): Promise<void> => {
  if (account) await requireTrustFunds(tx, settings, chart, account, [beneficiaryOf(deposit)], date);
};
