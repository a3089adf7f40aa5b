/** Money that a beneficiary has in a trust account, which no withdrawal may exceed on any day. */
import { allWithCustomPlan, type StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "./bank-account-references.ts";
import { describeHolders, propertyLabel, readPropertyNames } from "./holder-names.ts";
import { selectAssignments, selectOpeningMovements } from "./opening-balance.queries.ts";
import { selectFlows } from "./sub-ledgers.queries.ts";
import { beneficiaryAt, isTenantMoney, largestShortage, lowestBalances, openingFlows, unassignedOpening, type Flow, type Holder } from "./trust-funds.rules.ts";

/** Largest number of properties that a sentence names. */
const MAX_NAMED_PROPERTIES = 3;

/** Largest number of properties whose flows are read with the generic plan; more use a custom plan. */
export const MAX_PROPERTIES_FOR_GENERIC_PLAN = 20;

/**
 * Returns the lowest balance of each holder in an account, which callers that withdraw have locked, on the given day and on all later days. Money without a property is that
 * of the manager, apart from the opening balance of a trust account until it is assigned.
 */
export async function readLowestBalances<H extends Holder>(
  tx: StatementRunner,
  chart: Chart,
  account: Pick<LockedAccount, "id" | "categoryId" | "accountType">,
  holders: readonly H[],
  date: string,
): Promise<(H & { balanceCents: number })[]> {
  const properties = [...new Set(holders.map(({ propertyId }) => propertyId))];
  const query = sql<Flow>`select kind, property_id, tenant_id, day, sum(cents)::bigint as cents
    from (${selectFlows(tx, chart, account, properties, { from: date })}) flow group by 1, 2, 3, 4`;
  const flows = properties.length > MAX_PROPERTIES_FOR_GENERIC_PLAN ? await allWithCustomPlan(tx, query, { allowsNestedLoops: false }) : await tx.all(query);
  const isOpening = properties.includes(null) && account.accountType !== "business";
  const opening = isOpening ? openingFlows(await tx.all(selectOpeningMovements(tx, account)), date) : [];
  return lowestBalances(
    [...flows, ...opening].toSorted((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day))),
    holders,
  );
}

const OPENING = " An opening balance belongs to owners and tenants: assign it to their properties with a journal entry.";

/**
 * Refuses an operation that would use money of others. Throws a 409 under the policy `trustOverdraft` `block`; otherwise adds its sentence to
 * the warnings of the response and requests the check of the diagnostics. Callers skip the check under `off`.
 */
export async function refuseOrWarn(tx: OrgTx, { policies }: LedgerSettings, message: string): Promise<void> {
  if (policies.trustOverdraft === "block") throw conflict(message, "insufficient_trust_funds");
  if (tx.warnings.includes(message)) return;
  tx.warnings.push(message);
  await scheduleNow(tx, "raiseDiagnostics");
}

/**
 * Throws a 409, or under the policy `warn` adds a warning for each holder, when a posted withdrawal from a locked trust account has taken more than
 * its holders have in the account on the given or a later day. A business account holds no money of others.
 */
export async function requireTrustFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  holders: readonly Holder[],
  date: string,
): Promise<void> {
  if (settings.policies.trustOverdraft === "off" || account.accountType === "business" || holders.length === 0) return;
  const shortfalls = (await readLowestBalances(tx, chart, account, holders, date)).filter(({ balanceCents }) => balanceCents < 0);
  if (shortfalls.length === 0 && holders.some(isTenantMoney)) await requireNoShortage(tx, settings, chart, account, date);
  if (shortfalls.length === 0) return;
  const descriptions = await describeHolders(tx, shortfalls);
  for (const [index, { kind, balanceCents }] of shortfalls.entries()) {
    const message = `The bank account ${account.name} would lack ${-balanceCents} cents of ${descriptions[index]}. Deposit or transfer money for the same beneficiary first, or lower the amount.${kind === "manager" ? OPENING : ""}`;
    await refuseOrWarn(tx, settings, message);
  }
}

/**
 * Throws a 409 or adds a warning when an account lacks money of tenants on a day or later, for example because a deposit was returned by the bank after it was
 * refunded: a withdrawal of one tenant, who has money on paper, would be paid by the others.
 */
async function requireNoShortage(tx: OrgTx, settings: LedgerSettings, chart: Chart, account: LockedAccount, date: string): Promise<void> {
  const flows = await tx.all(sql<Flow>`select kind, property_id, tenant_id, day, sum(cents)::bigint as cents
    from (${selectFlows(tx, chart, account, undefined, { from: date })}) flow group by 1, 2, 3, 4 order by day`);
  const { cents, propertyIds } = largestShortage(flows);
  if (cents === 0) return;
  const names = await readPropertyNames(tx, propertyIds);
  const places = propertyIds.map((id) => propertyLabel(id, names.get(id)));
  const place = places.length > 0 ? ` at ${places.slice(0, MAX_NAMED_PROPERTIES).join(", ")}${places.length > MAX_NAMED_PROPERTIES ? " and others" : ""}` : "";
  const message = `The bank account ${account.name} lacks ${cents} cents of its tenants' money${place}, so other tenants would pay for the withdrawal. See its sub-ledgers, and transfer the missing money to the property first.`;
  await refuseOrWarn(tx, settings, message);
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
 * Throws a 409 or adds a warning when posted entries have taken more from locked trust accounts than the properties of their lines, or without one the
 * management company, have there. Entries that assign the opening balance to properties take it.
 */
export async function requireFundsOfEntries(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  entryIds: readonly string[],
): Promise<void> {
  if (settings.policies.trustOverdraft === "off") return;
  for (const account of accounts) {
    const lines = await tx.all(sql<Withdrawal>`select property_id, min(entry_date) as date, sum(credit_cents - debit_cents)::bigint as cents from journal_line
      where organization_id = ${tx.organizationId} and entry_id = any(${[...entryIds]}::uuid[]) and bank_account_id = ${account.id} and account_id = ${account.categoryId}
      group by property_id having sum(credit_cents) > sum(debit_cents)`);
    for (const [date, withdrawals] of Map.groupBy(lines, (line) => line.date)) {
      const holders = await Promise.all(withdrawals.map((withdrawal) => holderOf(tx, account, withdrawal, entryIds)));
      await requireTrustFunds(tx, settings, chart, account, holders, date);
    }
  }
}

interface Withdrawal {
  propertyId: string | null;
  date: string;
  cents: number;
}

/** Returns whose money entries have taken from an account: without a property, that of the manager or, assigned to properties, the opening balance. */
async function holderOf(tx: OrgTx, account: LockedAccount, { propertyId, cents }: Withdrawal, entryIds: readonly string[]): Promise<Holder> {
  if (propertyId !== null) return beneficiaryAt(propertyId);
  const assignments = await tx.all(selectAssignments(tx, account, entryIds));
  return assignments.reduce((rest, assignment) => rest + assignment.cents, cents) <= 0 ? unassignedOpening : beneficiaryAt(null);
}
