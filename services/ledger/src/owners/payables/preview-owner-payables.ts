/** Calculation of payouts to owners. */
import type { ownerPayables } from "@freehold/contract/trust/owner-payables";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { addDays, maxDate, minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OwnedProperty, Owner } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { type AvailableMoney, findMoneySubject, readAvailableMoney, type Commitment, type MoneySubject } from "../ledgers/available-money.ts";
import { findOwnedProperties } from "../owned-properties.ts";
import { readPayoutLimits } from "./payout-limits.ts";
import { limitPayouts } from "./payout-limits.rules.ts";
import { payoutTerms, reservePart, skipReason } from "./payout.rules.ts";

type Operations = typeof ownerPayables.operations;
export type PayoutRequest = BodyOf<Operations["previewOwnerPayables"]>;
type Preview = Output<Operations["previewOwnerPayables"]>["preview"];

/** Properties and owners of a request, read from portfolio before a transaction begins. */
export interface Payees extends MoneySubject {
  owners: Map<string, Owner>;
  /** All properties with owners, also those that the request does not pay. */
  owned: OwnedProperty[];
}

/** Part of an owner in the money of a property that is to be paid. */
interface Payout {
  ownerId: string;
  amountCents: number;
  money: AvailableMoney;
}

/** Returns the properties and owners that a request pays. Throws a 400 that names an unknown owner or property. */
export async function findPayees(db: OrgDb, clients: Clients, { ownerIds, propertyIds, periodEnd }: PayoutRequest): Promise<Payees> {
  const owned = await findOwnedProperties(db, clients);
  const properties = owned.filter(({ isDeleted, propertyId }) => !isDeleted && (!propertyIds || propertyIds.includes(propertyId)));
  const missing = propertyIds?.findIndex((id) => !properties.some(({ propertyId }) => propertyId === id)) ?? -1;
  if (missing !== -1) throw unknownReference(`propertyIds.${missing}`, "property with owners");
  const shareholders = properties.flatMap(({ ownerships }) => ownerships.flatMap(({ shares }) => shares.map(({ ownerId }) => ownerId)));
  const named = await db.all(
    sql<{ id: string }>`select distinct owner_id as id from journal_line where organization_id = ${db.organizationId} and owner_id is not null`,
  );
  const ids = new Set([...shareholders, ...named.map(({ id }) => id), ...(ownerIds ?? [])]);
  const { owners } = await clients.portfolio.getOwners(db, { ids: [...ids] });
  const byId = new Map(owners.map((owner) => [owner.id, owner]));
  const unknown = ownerIds?.findIndex((id) => !byId.has(id)) ?? -1;
  if (unknown !== -1) throw unknownReference(`ownerIds.${unknown}`, "owner");
  return { ...(await findMoneySubject(db, clients, properties, periodEnd)), owners: byId, owned };
}

/** Returns the payouts of a preview. */
export async function previewOwnerPayables(db: OrgDb, clients: Clients, request: PayoutRequest): Promise<{ preview: Preview }> {
  const payees = await findPayees(db, clients, request);
  const account = await findPayingAccount(db, request.bankAccountId);
  return { preview: await calculatePayouts(db, payees, request, account) };
}

/** Calculates the payouts of a request from a bank account. Throws a 400 for a period that has not ended. */
export async function calculatePayouts(
  db: StatementRunner,
  { owners, owned, ...subject }: Payees,
  { periodEnd, ownerIds }: PayoutRequest,
  account: PayingAccount,
): Promise<Preview> {
  const [{ timezone }, chart] = [await getLedgerSettings(db), await getChart(db)];
  if (periodEnd > today(timezone))
    throw invalid([{ path: "periodEnd", code: "not_allowed", message: "The period has not ended. Set periodEnd to today or an earlier day." }]);
  const bankAccountId = account.id;
  const commitments = await findCommitments(db, bankAccountId);
  const money = await readAvailableMoney(db, chart, subject, { asOf: periodEnd, timezone, bankAccountId, countsLaterPayouts: true }, commitments);
  const earlier = await findEarlierPayouts(db, bankAccountId);
  const preview: Preview = { lines: [], skipped: [], totalCents: 0 as Preview["totalCents"] };
  const payouts: Payout[] = [];
  const skip = ({ ownerId, money: each }: Omit<Payout, "amountCents">, reason: Preview["skipped"][number]["reason"]) =>
    preview.skipped.push({ ownerId, propertyId: each.property.propertyId, reason, availableCents: each.availableTo(ownerId) } as Preview["skipped"][number]);
  for (const each of money)
    for (const [ownerId, amountCents] of each.parts) {
      if ((ownerIds && !ownerIds.includes(ownerId)) || (account.ownerId && account.ownerId !== ownerId)) continue;
      const owner = owners.get(ownerId);
      // A payout was drafted for the owner, who was not one after all.
      if (!owner) continue;
      const isOpen = earlier.get(`${ownerId} ${each.property.propertyId}`)?.isOpen;
      const reason = isOpen ? "open_payable" : skipReason(each.availableTo(ownerId), reservePart(each.figures, each.shares, ownerId), owner, amountCents);
      if (reason) skip({ ownerId, money: each }, reason);
      else payouts.push({ ownerId, money: each, amountCents });
    }
  const promised = await findPromised(db, bankAccountId);
  const payables = payouts.map(({ ownerId, amountCents, money: { property } }) => ({ ownerId, propertyId: property.propertyId, amountCents }));
  const propertyIds = new Set([...payables, ...promised].map(({ propertyId }) => propertyId));
  const limits = await readPayoutLimits(db, chart, account, owned, maxDate(periodEnd, today(timezone)), propertyIds);
  const amounts = limitPayouts(payables, limits, promised);
  for (const [index, { ownerId, money: each, amountCents: partCents }] of payouts.entries()) {
    const amountCents = amounts[index]!;
    if (amountCents === 0) {
      skip({ ownerId, money: each }, "negative");
      continue;
    }
    const { property, figures, unpaidExpenseIds, heldWorkOrderIds } = each;
    const { propertyId, additionalReserveNote } = property;
    const last = earlier.get(`${ownerId} ${propertyId}`);
    const periodStart = minDate(last ? addDays(last.periodEnd, 1) : startOfMonth(periodEnd), periodEnd);
    const calculation = payoutTerms({ ...figures, unpaidExpenseIds, heldWorkOrderIds, additionalReserveNote }, partCents, amountCents);
    const method = owners.get(ownerId)!.payoutMethod;
    const line = { ownerId, propertyId, bankAccountId, periodStart, periodEnd, grossCents: figures.cashCents, amountCents, calculation, method };
    preview.lines.push(line as Preview["lines"][number]);
  }
  preview.totalCents = preview.lines.reduce((sum, { amountCents }) => sum + amountCents, 0) as Preview["totalCents"];
  return preview;
}

/** Trust account that pays owners: all, or the only one whose money it holds. */
export interface PayingAccount {
  id: string;
  categoryId: string;
  ownerId: string | null;
}

/** Returns the trust account that pays owners: the given one, or the only active operating account. Throws a 400 when there is none or several. */
export async function findPayingAccount(db: StatementRunner, id: string | undefined): Promise<PayingAccount> {
  const accounts = await db.all(sql<
    PayingAccount & { accountType: string }
  >`select id, category_id, owner_id, account_type from bank_account where organization_id = ${db.organizationId}
    and is_active and ${id === undefined ? sql`account_type = 'operating'` : sql`id = ${id}`}`);
  const refuse = (code: "required" | "not_allowed", message: string) => invalid([{ path: "bankAccountId", code, message }]);
  if (id !== undefined && accounts.length === 0) throw unknownReference("bankAccountId", "active bank account");
  if (accounts.length !== 1) throw refuse("required", `There are ${accounts.length} active operating accounts. Set bankAccountId to the account to pay from.`);
  if (accounts[0]!.accountType === "business") throw refuse("not_allowed", "A business account holds no money of owners. Name a trust account.");
  return accounts[0]!;
}

/** Returns the payouts from other bank accounts that are drafted or approved: their owners were promised that money. */
const findCommitments = (db: StatementRunner, bankAccountId: string): Promise<Commitment[]> =>
  db.all(sql<Commitment>`select owner_id, property_id, sum(amount_cents)::bigint as amount_cents from owner_payable
    where organization_id = ${db.organizationId} and bank_account_id <> ${bankAccountId} and status in ('draft', 'approved') group by 1, 2`);

/** Returns the payouts from a bank account that are drafted or approved. */
const findPromised = (db: StatementRunner, bankAccountId: string) =>
  db.all(sql<Commitment>`select owner_id, property_id, amount_cents from owner_payable
    where organization_id = ${db.organizationId} and bank_account_id = ${bankAccountId} and status in ('draft', 'approved')`);

/** Returns the latest payout of each owner and property from a bank account that was not voided, and whether one is drafted or approved. */
async function findEarlierPayouts(db: StatementRunner, bankAccountId: string) {
  type Row = { ownerId: string; propertyId: string; periodEnd: string; isOpen: boolean };
  const rows = await db.all(sql<Row>`select owner_id, property_id, max(period_end) as period_end, bool_or(status in ('draft', 'approved')) as is_open
    from owner_payable where organization_id = ${db.organizationId} and bank_account_id = ${bankAccountId} and status <> 'voided' group by 1, 2`);
  return new Map(rows.map((row) => [`${row.ownerId} ${row.propertyId}`, row]));
}
