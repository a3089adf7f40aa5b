/** Money that trust accounts lack after changes that are posted under every policy: the returns of payments, and the rebilling of leases. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { orUndefinedIfUnavailable } from "@freehold/kit/rpc/optional-calls";
import { today } from "@freehold/kit/time/clock";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { selectOwnMovements } from "../../owners/ledgers/money-in-account.queries.ts";
import { divideByOwner } from "../../owners/ledgers/money-in-account.rules.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { shareTerms, withSeveralOwners } from "../../owners/ownership.rules.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { BankAccount } from "../bank-accounts/bank-account.entity.ts";
import { describeHolders, propertyLabel } from "../bank-accounts/holder-names.ts";
import { selectFlows, type Beneficiary } from "../bank-accounts/sub-ledgers.queries.ts";
import { beneficiaryAt } from "../bank-accounts/trust-funds.rules.ts";

type Account = Pick<BankAccount, "id" | "name" | "categoryId" | "ownerId">;

/** Properties with several owners, and the names of the owners. */
export interface NamedOwners {
  shared: readonly OwnedProperty[];
  names: ReadonlyMap<string, string>;
}

const noOwners: NamedOwners = { shared: [], names: new Map() };

/** Returns the owners of the properties with several owners whose charges a payment at a bank has settled; none while portfolio is unavailable, since a return is posted in any case. */
export async function findOwnersOfPayment(db: OrgDb, clients: Clients, paymentId: string): Promise<NamedOwners> {
  const rows = await db.all(sql<{ propertyId: string }>`select distinct l.property_id from journal_line l where l.organization_id = ${db.organizationId}
    and l.property_id is not null and l.entry_id in (select e.id from journal_entry e where e.organization_id = ${db.organizationId} and e.source_type = 'payment' and e.source_id = ${paymentId})
    and exists (select from bank_deposit_payment m where m.organization_id = ${db.organizationId} and m.payment_id = ${paymentId})`);
  const propertyIds = rows.map(({ propertyId }) => propertyId);
  const shared = withSeveralOwners((await orUndefinedIfUnavailable(findOwnershipOf(db, clients, propertyIds))) ?? []);
  if (shared.length === 0) return noOwners;
  const ids = [...new Set(shared.flatMap(shareTerms).map(({ ownerId }) => ownerId))];
  const response = await orUndefinedIfUnavailable(clients.portfolio.getOwners(db, { ids }));
  return { shared, names: new Map((response?.owners ?? []).map(({ id, fullName }) => [id, fullName])) };
}

/**
 * Adds a warning for each beneficiary at some properties who lacks money today in a trust account to which payments were deposited or from which
 * they were refunded, and for each owner who owes money there although the property as a whole lacks none, and requests the check of the diagnostics.
 * Does nothing under the policy `off`, nor for payments that never reached a bank.
 */
export async function reportShortages(
  tx: OrgTx,
  { policies, timezone }: LedgerSettings,
  chart: Chart,
  paymentIds: readonly string[],
  propertyIds: readonly string[],
  owners = noOwners,
): Promise<void> {
  if (policies.trustOverdraft === "off" || paymentIds.length === 0) return;
  await tx.flush();
  const day = today(timezone);
  for (const account of await findAccounts(tx, paymentIds)) {
    const balances = await tx.all(sql<BeneficiaryBalance>`select kind, property_id, tenant_id, sum(cents)::bigint as balance_cents
      from (${selectFlows(tx, chart, account, [...new Set(propertyIds)], { from: day, to: day })}) flow group by 1, 2, 3 order by 1, 2, 3`);
    const shortages = balances.filter(({ balanceCents }) => balanceCents < 0);
    const descriptions = await describeHolders(tx, shortages);
    const lacks = (cents: number, whose: string) =>
      `The bank account ${account.name} lacks ${cents} cents of ${whose}, because the money of the payment was already used. Deposit the missing money in the account, or transfer it there.`;
    const warnings = shortages.map(({ balanceCents }, index) => lacks(-balanceCents, descriptions[index]!));
    warnings.push(...(await findDebts(tx, chart, account, balances, owners, day)));
    tx.warnings.push(...warnings);
    if (warnings.length > 0) await scheduleNow(tx, "raiseDiagnostics");
  }
}

type BeneficiaryBalance = Beneficiary & { balanceCents: number };

/** Returns a warning for each owner whose own ledger lacks money in an account, at properties whose owners together lack none: that of the other owners was used. */
async function findDebts(
  tx: OrgTx,
  chart: Chart,
  account: Account,
  balances: readonly BeneficiaryBalance[],
  { shared, names }: NamedOwners,
  day: string,
): Promise<string[]> {
  const isShort = ({ propertyId }: OwnedProperty) =>
    balances.some(({ kind, propertyId: id, balanceCents }) => kind === "owner" && id === propertyId && balanceCents < 0);
  const covered = account.ownerId ? [] : shared.filter((property) => !isShort(property));
  if (covered.length === 0) return [];
  const movements = await tx.all(selectOwnMovements(tx, chart, [account], covered, { to: day }));
  const emptyRow = ({ propertyId }: OwnedProperty): BeneficiaryBalance => ({ ...beneficiaryAt(propertyId), balanceCents: 0 });
  const rows = balances.filter(({ kind }) => kind === "owner");
  const propertyNames = new Map(covered.map(({ propertyId, propertyName }) => [propertyId, propertyName]));
  return divideByOwner(rows, { ownerIds: new Map(), shared: covered }, movements, emptyRow).flatMap(({ ownerId, propertyId, balanceCents }) => {
    if (!ownerId || balanceCents >= 0 || !propertyNames.has(propertyId!)) return [];
    const place = propertyLabel(propertyId!, propertyNames.get(propertyId!));
    const owner = names.get(ownerId) ?? `the owner ${ownerId}`;
    return [
      `The bank account ${account.name} lacks ${-balanceCents} cents that ${owner} owes at ${place}, because the money of the payment was already used: money of the other owners covers them. Record a contribution of ${owner}.`,
    ];
  });
}

/** Returns the trust accounts to which payments were deposited or from which they were refunded. */
const findAccounts = (tx: OrgTx, paymentIds: readonly string[]): Promise<Account[]> =>
  tx.all(sql<Account>`select id, name, category_id, owner_id from bank_account where organization_id = ${tx.organizationId} and account_type <> 'business' and id in (
      select d.trust_bank_account_id from bank_deposit_payment m join bank_deposit d on d.organization_id = m.organization_id and d.id = m.deposit_id
        where m.organization_id = ${tx.organizationId} and m.payment_id = any(${[...paymentIds]}::uuid[])
      union select trust_bank_account_id from payment_refund where organization_id = ${tx.organizationId} and payment_id = any(${[...paymentIds]}::uuid[]))
    order by id`);
