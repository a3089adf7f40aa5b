/** Security deposits locked for a change, and the bank accounts in which their money is. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict, notFound } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { lockMoneyAccount, type LockedAccount } from "../bank-accounts/bank-account-references.ts";
import type { Beneficiary } from "../bank-accounts/sub-ledgers.queries.ts";
import { readLowestBalances, requireTrustFunds } from "../bank-accounts/trust-funds.ts";
import { attachDepositCharges } from "./attach-deposit-charges.ts";
import { SecurityDeposit } from "./security-deposit.entity.ts";

/**
 * Locks the leases of the tenancy of a security deposit, so that operations on the tenancy's deposits follow each other, and then the
 * deposit. Attaches deposit charges of the tenancy that belong to none yet. Throws 404 for an unknown deposit.
 */
export async function lockSecurityDeposit(tx: OrgTx, id: string): Promise<SecurityDeposit> {
  const [deposit] = await lockDeposits(tx, [id]);
  return deposit!;
}

/** Locks a security deposit like `lockSecurityDeposit`, and the one on the other side of a transfer, so that opposite transfers cannot deadlock. */
export async function lockBothDeposits(tx: OrgTx, id: string, otherId: string): Promise<[SecurityDeposit, SecurityDeposit]> {
  return (await lockDeposits(tx, [id, otherId])) as [SecurityDeposit, SecurityDeposit];
}

async function lockDeposits(tx: OrgTx, ids: readonly string[]): Promise<SecurityDeposit[]> {
  const leases = await tx.all(sql<{
    id: string;
  }>`select d.lease_id as id from security_deposit d where d.organization_id = ${tx.organizationId} and d.id = any(${[...ids]}::uuid[])
    union select l.id from security_deposit d join lease_copy l on l.organization_id = d.organization_id and l.tenancy_id = d.tenancy_id
      where d.organization_id = ${tx.organizationId} and d.id = any(${[...ids]}::uuid[])`);
  if (leases.length === 0) throw notFound("Security deposit");
  const leaseIds = leases.map((lease) => lease.id);
  await lockLeases(tx, leaseIds);
  await attachDepositCharges(tx, leaseIds);
  const deposits: SecurityDeposit[] = [];
  for (const id of ids) deposits.push(await tx.getForUpdate(SecurityDeposit, id, "Security deposit"));
  return deposits;
}

/** Place of the money of a deposit: a locked bank account, an account of the chart, or neither while the organization has no bank accounts. */
export interface DepositPlace {
  accountId: string | null;
  bankAccountId: string | null;
  account: LockedAccount | null;
}

/** Returns the beneficiary of the money of a security deposit. */
export const beneficiaryOf = ({ propertyId, tenantId }: Pick<SecurityDeposit, "propertyId" | "tenantId">): Beneficiary => ({
  kind: "deposit",
  propertyId,
  tenantId,
});

/**
 * Locks the bank account that holds an amount of a deposit on a day: the requested one, that of the deposit, or the first one that holds
 * enough of it. Throws a 409 when no bank account holds money of the deposit, since that money is undeposited.
 */
export async function lockPlace(
  tx: OrgTx,
  chart: Chart,
  deposit: SecurityDeposit,
  { requestedId, amountCents, date }: { requestedId: string | undefined; amountCents: number; date: string },
): Promise<DepositPlace> {
  const id = requestedId ?? deposit.bankAccountId ?? (await findPlace(tx, chart, deposit, amountCents, date));
  return id ? lockMoneyAccount(tx, chart, id, "bankAccountId") : { accountId: null, bankAccountId: null, account: null };
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

/** Throws a 409 when posted entries have taken more of the deposit's money than its place holds on a day or later. */
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
