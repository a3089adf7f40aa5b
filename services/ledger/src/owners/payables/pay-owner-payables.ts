/** Payment of payouts to owners, and its void. */
import type { OwnerPayable as View, ownerPayables } from "@freehold/contract/trust/owner-payables";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { localDateOf, now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import type { OwnedProperty, Owner } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart, type Chart } from "../../chart/categories.ts";
import { OWNER_DISTRIBUTIONS } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { lockOpenDate, postEntries, reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { propertyLabel } from "../../trust/bank-accounts/holder-names.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { readLowestBalances, refuseOrWarn } from "../../trust/bank-accounts/trust-funds.ts";
import { findOwnedProperties, findOwnershipOf } from "../owned-properties.ts";
import { requireOwnersFunds } from "../owners-funds.ts";
import { OwnerPayable } from "./owner-payable.entity.ts";
import { findOwnerPayables, getOwnerPayable, publishPayableEvent } from "./owner-payables.ts";
import { requirePayoutLimits } from "./payout-limits.ts";
import { numberChecks, ownerPayableStateMachine } from "./payout.rules.ts";

type Operations = typeof ownerPayables.operations;

/**
 * Pays an approved payout. Throws 404 for an unknown one, and a 409 unless it is approved, payouts to the owner are not on hold, and the
 * property, the owner and the bank account have the money.
 */
export async function payOwnerPayable(
  db: OrgDb,
  clients: Clients,
  id: string,
  { paidAt, method, referenceNumber = null }: BodyOf<Operations["payOwnerPayable"]>,
): Promise<{ ownerPayable: View; warnings: string[] }> {
  const terms = await findPaymentTerms(db, clients, [id]);
  return transaction(db, async (tx) => {
    const payable = (await tx.findAllForUpdate(OwnerPayable, [id]))[0];
    if (!payable) throw notFound("Owner payout");
    if (method) tx.assign(payable, { method });
    tx.assign(payable, { referenceNumber });
    await payAll(tx, [payable], new Date(paidAt), terms);
    return { ownerPayable: await getOwnerPayable(tx, id), warnings: tx.warnings };
  });
}

/** Pays approved payouts, all or none. Throws a 400 that names an unknown or repeated id, and a 409 as for a single one. */
export async function payOwnerPayables(
  db: OrgDb,
  clients: Clients,
  { ids, paidAt, firstCheckNumber }: BodyOf<Operations["payOwnerPayables"]>,
): Promise<{ ownerPayables: View[]; warnings: string[] }> {
  const terms = await findPaymentTerms(db, clients, ids);
  return transaction(db, async (tx) => {
    const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
    if (repeated !== -1) throw invalid([{ path: `ids.${repeated}`, code: "unique", message: "A payout can be paid once. Name it once." }]);
    const payables = await tx.findAllForUpdate(OwnerPayable, ids);
    const unknown = ids.findIndex((id) => !payables.some((payable) => payable.id === id));
    if (unknown !== -1) throw unknownReference(`ids.${unknown}`, "owner payout");
    if (firstCheckNumber !== undefined)
      for (const [payable, referenceNumber] of numberChecks(payables, ids, firstCheckNumber)) tx.assign(payable, { referenceNumber });
    await payAll(tx, payables, new Date(paidAt), terms);
    return { ownerPayables: await findOwnerPayables(tx, ids), warnings: tx.warnings };
  });
}

/** Terms of owners and properties on the day of a payment, which may have changed since the payouts were drafted. */
interface PaymentTerms {
  properties: OwnedProperty[];
  /** All properties of the owners, sold ones included. */
  ofOwners: OwnedProperty[];
  owners: ReadonlyMap<string, Owner>;
}

/** Returns the terms of the owners and properties of payouts, read from portfolio before a transaction begins. */
async function findPaymentTerms(db: OrgDb, clients: Clients, ids: readonly string[]): Promise<PaymentTerms> {
  const payables = await findOwnerPayables(db, ids);
  if (payables.length === 0) return { properties: [], ofOwners: [], owners: new Map() };
  const ownerIds = [...new Set(payables.map(({ ownerId }) => ownerId))];
  const [properties, ofOwners, { owners }] = await Promise.all([
    findOwnershipOf(db, clients, [...new Set(payables.map(({ propertyId }) => propertyId))]),
    findOwnedProperties(db, clients, ownerIds),
    clients.portfolio.getOwners(db, { ids: ownerIds }),
  ]);
  return { properties, ofOwners, owners: new Map(owners.map((owner) => [owner.id, owner])) };
}

/** Throws a 409 while payouts to an owner are on hold. */
function requireNoHold(payables: readonly OwnerPayable[], { owners }: PaymentTerms): void {
  const held = payables.map(({ ownerId }) => owners.get(ownerId)).find((owner) => owner?.holdPayouts);
  if (held) throw conflict(`Payouts to ${held.fullName} are on hold. End the hold first, or leave the payout out.`, "invalid_transition");
}

/** Posts and saves the payment of locked payouts. */
async function payAll(tx: OrgTx, payables: readonly OwnerPayable[], paidAt: Date, terms: PaymentTerms): Promise<void> {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const accounts = await lockBankAccounts(tx, [...new Set(payables.map(({ bankAccountId }) => bankAccountId))]);
  for (const account of accounts.values()) requireActive(account);
  const requestedOn = localDateOf(paidAt, settings.timezone);
  requirePeriodsEnded(payables, requestedOn);
  const paidOn = await lockOpenDate(tx, requestedOn);
  const entries = payables.map(({ id, bankAccountId, ownerId, propertyId, amountCents, periodStart, periodEnd }) => {
    const dimensions = { propertyId, ownerId };
    return {
      id: newId(),
      memo: `Payout for ${periodStart} to ${periodEnd}`,
      occurredAt: paidAt,
      entryDate: requestedOn,
      source: "distribution" as const,
      document: { type: "owner_payable" as const, id },
      lines: [
        debit(chart.accountId(OWNER_DISTRIBUTIONS), amountCents, dimensions),
        credit(accounts.get(bankAccountId)!.categoryId, amountCents, { ...dimensions, bankAccountId }),
      ],
    };
  });
  requireNoHold(payables, terms);
  const statuses = payables.map(({ status }) => ownerPayableStateMachine.transition(status, "paid"));
  await postEntries(tx, settings.timezone, entries);
  for (const [index, payable] of payables.entries()) tx.assign(payable, { status: statuses[index]!, paidAt, entryId: entries[index]!.id });
  for (const account of accounts.values()) {
    const paid = payables.filter(({ bankAccountId }) => bankAccountId === account.id);
    await requireFundsAndReserves(tx, settings, chart, account, paid, terms, paidOn);
    const propertiesOf = terms.properties.filter(({ propertyId }) => paid.some((payable) => payable.propertyId === propertyId));
    const entryIds = entries.filter((_, index) => payables[index]!.bankAccountId === account.id).map(({ id }) => id);
    await requireOwnersFunds(tx, settings, chart, account, propertiesOf, entryIds, paidOn);
    const payees = [...terms.owners.values()].filter(({ id }) => paid.some(({ ownerId }) => ownerId === id));
    await requirePayoutLimits(tx, settings, chart, account, payees, terms.ofOwners, paidOn);
  }
  for (const payable of payables) await publishPayableEvent(tx, "owner_payable.paid", payable);
}

/** Throws a 400 for a payment on a day before the end of a period, whose money was not counted yet. */
function requirePeriodsEnded(payables: readonly OwnerPayable[], paidOn: string): void {
  const late = payables.find(({ periodEnd }) => periodEnd > paidOn);
  if (!late) return;
  const message = `The period of a payout ends on ${late.periodEnd}. Set paidAt to that day or a later one.`;
  throw invalid([{ path: "paidAt", code: "before_start", message }]);
}

/** Throws a 409, or under the policy `warn` adds a warning, when posted payouts leave a property with less than its reserves in a locked account. */
async function requireFundsAndReserves(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  payables: readonly OwnerPayable[],
  { properties }: PaymentTerms,
  date: string,
): Promise<void> {
  if (settings.policies.trustOverdraft === "off") return;
  const reservesOf = ({ reserveCents = 0, additionalReserveCents = 0 }: Partial<OwnedProperty> = {}) => reserveCents + additionalReserveCents;
  const reserves = new Map(payables.map(({ propertyId }) => [propertyId, reservesOf(properties.find((each) => each.propertyId === propertyId))]));
  const lowest = await readLowestBalances(tx, chart, account, [...reserves.keys()].map(beneficiaryAt), date);
  const names = new Map(properties.map(({ propertyId, propertyName }) => [propertyId, propertyName]));
  for (const { propertyId, balanceCents } of lowest) {
    const missingCents = reserves.get(propertyId!)! - balanceCents;
    if (missingCents <= 0) continue;
    const message = `The bank account ${account.name} would lack ${missingCents} cents of ${propertyLabel(propertyId!, names.get(propertyId!))} and its reserves. Void the payout and draft a new one, or deposit money of the property first.`;
    await refuseOrWarn(tx, settings, message);
  }
}

/** Voids a payout; for a paid one also its journal entry, on its own day. Throws 404 for an unknown one, and a 409 for one that is voided. */
export const voidOwnerPayable = (db: OrgDb, id: string, reason: string | undefined): Promise<{ ownerPayable: View }> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const payable = await tx.getForUpdate(OwnerPayable, id, "Owner payout");
    const status = ownerPayableStateMachine.transition(payable.status, "voided");
    if (payable.entryId && payable.paidAt) {
      for (const account of (await lockBankAccounts(tx, [payable.bankAccountId])).values()) requireActive(account);
      const memo = truncate(reason ? `Payout voided: ${reason}` : "Payout voided", 500);
      await reverseEntries(tx, timezone, [payable.entryId], { occurredAt: payable.paidAt, memo });
    }
    tx.assign(payable, { status, voidedAt: now(), voidReason: reason ?? null });
    await publishPayableEvent(tx, "owner_payable.voided", payable);
    return { ownerPayable: await getOwnerPayable(tx, id) };
  });
