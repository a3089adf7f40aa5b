/** Money that a beneficiary has in a trust account, which no withdrawal may exceed on any day. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "./bank-account-references.ts";
import { selectFlows, type Beneficiary } from "./sub-ledgers.queries.ts";
import { beneficiaryAt, lowestBalances, type Flow } from "./trust-funds.rules.ts";

/** Returns the lowest balance of each beneficiary in a locked account on the given day and on all later days. */
export async function readLowestBalances(
  tx: OrgTx,
  chart: Chart,
  account: LockedAccount,
  beneficiaries: readonly Beneficiary[],
  date: string,
): Promise<(Beneficiary & { balanceCents: number })[]> {
  const properties = [...new Set(beneficiaries.map(({ propertyId }) => propertyId))];
  const flows = await tx.all(sql<Flow>`select kind, property_id, tenant_id, greatest(day, ${date}::date) as day, sum(cents)::bigint as cents
    from (${selectFlows(tx, chart, account, properties)}) flow group by 1, 2, 3, 4 order by day`);
  return lowestBalances(flows, beneficiaries);
}

/** Returns the opening balance of a trust account, which belongs to owners and tenants although it names none of them. */
export async function readOpeningCents(tx: OrgTx, { id, categoryId }: LockedAccount): Promise<number> {
  const row = await tx.first(sql<{ cents: number }>`select coalesce(sum(l.debit_cents - l.credit_cents), 0)::bigint as cents
    from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
    where e.organization_id = ${tx.organizationId} and e.source_type = 'bank_account' and e.source_id = ${id} and l.account_id = ${categoryId}`);
  return row!.cents;
}

const whose: Record<Beneficiary["kind"], string> = {
  owner: "the owners of the property",
  deposit: "the tenant's deposit",
  prepaid: "the tenant's prepaid rent",
  manager: "the management company",
};

/**
 * Throws a 409 when a posted withdrawal from a locked trust account has taken more than its beneficiaries have in the account on the
 * given or a later day, and the policy `trustOverdraft` is `block`. A business account holds no money of others.
 */
export async function requireTrustFunds(
  tx: OrgTx,
  { policies }: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  beneficiaries: readonly Beneficiary[],
  date: string,
): Promise<void> {
  if (policies.trustOverdraft !== "block" || account.accountType === "business" || beneficiaries.length === 0) return;
  const shortfall = (await readLowestBalances(tx, chart, account, beneficiaries, date)).find(({ balanceCents }) => balanceCents < 0);
  if (!shortfall) return;
  const message = `The bank account ${account.name} would lack ${-shortfall.balanceCents} cents of ${whose[shortfall.kind]}. Deposit or transfer money for the same beneficiary first, or lower the amount.`;
  throw conflict(message, "insufficient_trust_funds");
}

/** Locks the bank accounts whose money posted entries have moved. Throws a 409 for an archived one. */
export async function lockAccountsOfEntries(tx: OrgTx, entryIds: readonly string[]): Promise<LockedAccount[]> {
  const rows = await tx.all(sql<{ id: string }>`select distinct l.bank_account_id as id from journal_line l
    where l.organization_id = ${tx.organizationId} and l.entry_id = any(${[...entryIds]}::uuid[]) and l.bank_account_id is not null`);
  const accounts = [
    ...(
      await lockBankAccounts(
        tx,
        rows.map(({ id }) => id),
      )
    ).values(),
  ];
  for (const account of accounts) requireActive(account);
  return accounts;
}

/**
 * Throws a 409 when posted entries have taken more from locked trust accounts than the properties of their lines, or without one the
 * management company, have there.
 */
export async function requireFundsOfEntries(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  entryIds: readonly string[],
): Promise<void> {
  if (settings.policies.trustOverdraft !== "block") return;
  for (const account of accounts) {
    const lines = await tx.all(sql<{ propertyId: string | null; date: string }>`select property_id, min(entry_date) as date from journal_line
      where organization_id = ${tx.organizationId} and entry_id = any(${[...entryIds]}::uuid[]) and bank_account_id = ${account.id} and account_id = ${account.categoryId}
      group by property_id having sum(credit_cents) > sum(debit_cents)`);
    for (const [date, withdrawals] of Map.groupBy(lines, (line) => line.date)) {
      const beneficiaries = withdrawals.map(({ propertyId }) => beneficiaryAt(propertyId));
      await requireTrustFunds(tx, settings, chart, account, beneficiaries, date);
    }
  }
}
