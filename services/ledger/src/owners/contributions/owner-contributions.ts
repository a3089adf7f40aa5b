/** Contributions of owners: record, list and void. */
import type { OwnerContribution as View, ownerContributions } from "@freehold/contract/trust/owner-contributions";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import { LAST_DATE } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import { now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { getChart } from "../../chart/categories.ts";
import { OWNER_CONTRIBUTIONS } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { getJournalEntry } from "../../journal/journal-entries.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { postEntries, reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings, onLedgerDays } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive } from "../../trust/bank-accounts/bank-account-references.ts";
import { lockAccountsOfEntries } from "../../trust/bank-accounts/trust-funds.ts";
import { selectOwnerBalances } from "../ledgers/owner-ledger.queries.ts";
import { shareTerms } from "../ownership.rules.ts";
import { findOwnedProperties, findOwnershipOf, requireOwner } from "../owned-properties.ts";
import { requireMoneyOfEntries } from "../owners-funds.ts";
import { OwnerContribution } from "./owner-contribution.entity.ts";

type Operations = typeof ownerContributions.operations;
type Body = BodyOf<Operations["createOwnerContribution"]>;
type Row = View & { version: number };
const publish = eventPublisher("ledger");

const columns = sql`c.id, c.organization_id, c.owner_id, c.property_id, c.bank_account_id, c.amount_cents, c.received_at, c.payment_method, c.memo,
  c.entry_id as journal_entry_id, c.created_at, c.updated_at, c.voided_at, c.void_reason, c.version`;
const view = ({ version, ...row }: Row): View => withVersion(row, version);

async function getOwnerContribution(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<Row>`select ${columns} from owner_contribution c where c.organization_id = ${db.organizationId} and c.id = ${id}`);
  if (!row) throw notFound("Contribution");
  return view(row);
}

/** Returns a page of the contributions of an owner. Throws 404 for an unknown owner. */
export async function listOwnerContributions(db: OrgDb, clients: Clients, ownerId: string, query: QueryOf<Operations["listOwnerContributions"]>) {
  await requireOwner(db, clients, ownerId);
  const { propertyId, isVoided, receivedAfter, receivedBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "c",
    select: columns,
    from: sql`owner_contribution c`,
    sorts: { receivedAt: sql`c.received_at`, amountCents: sql`c.amount_cents`, createdAt: sql`c.created_at` },
    where: [
      ...listConditions(db, "c", query, false),
      sql`c.owner_id = ${ownerId}`,
      propertyId !== undefined && sql`c.property_id = ${propertyId}`,
      isVoided !== undefined && sql`(c.voided_at is not null) = ${isVoided}`,
      ...onLedgerDays(db, sql`c.received_at`, receivedAfter, receivedBefore),
    ],
  });
  return { contributions: rows.map(view), ...paging };
}

/**
 * Records a contribution of an owner, for a deleted property up to what the owner owes there. Throws 404 for an unknown owner, a 400 for a deleted
 * one, for a property that the owner never owned and for a bank account that cannot hold the money, and a 409 for an archived bank account.
 */
export async function createOwnerContribution(
  db: OrgDb,
  clients: Clients,
  ownerId: string,
  { propertyId, amountCents, receivedAt, bankAccountId, paymentMethod, memo = null }: Body,
): Promise<Output<Operations["createOwnerContribution"]>> {
  const [owner, properties] = await Promise.all([requireOwner(db, clients, ownerId), findOwnedProperties(db, clients, [ownerId])]);
  if (owner.isDeleted) throw conflict("The owner is deleted. Record the contribution for another owner.", "invalid_transition");
  const property = properties.find((each) => each.propertyId === propertyId);
  if (!property) throw unknownReference("propertyId", "property of the owner");
  return transaction(db, async (tx) => {
    const [{ timezone }, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const categoryId = await lockTrustAccount(tx, bankAccountId, ownerId);
    const [id, entryId] = [newId(), newId()];
    const dimensions = { propertyId, ownerId };
    await postEntries(tx, timezone, [
      {
        id: entryId,
        memo: memo ?? `Contribution of ${truncate(owner.fullName, 200)}`,
        occurredAt: new Date(receivedAt),
        source: "contribution",
        document: { type: "contribution", id },
        lines: [debit(categoryId, amountCents, { ...dimensions, bankAccountId }), credit(chart.accountId(OWNER_CONTRIBUTIONS), amountCents, dimensions)],
      },
    ]);
    if (property.isDeleted) await requireDebt(tx, property, ownerId, amountCents);
    const terms = { id, ownerId, propertyId, bankAccountId, amountCents, receivedAt: new Date(receivedAt), paymentMethod, memo, entryId };
    tx.create(OwnerContribution, { ...terms, voidedAt: null, voidReason: null });
    await tx.flush();
    await publish(tx, "owner_contribution.recorded", { entityId: id, data: { ownerId, propertyId }, audience: { ownerIds: [ownerId] } });
    return { contribution: await getOwnerContribution(tx, id), journalEntry: await getJournalEntry(tx, entryId) };
  });
}

/**
 * Throws a 400 unless an owner owed the amount of a posted contribution at a deleted property, whose money cannot be paid out any more. Contributions
 * there follow each other by the lock of the property, which is the last one that a transaction takes.
 */
async function requireDebt(tx: OrgTx, property: OwnedProperty, ownerId: string, amountCents: number): Promise<void> {
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended('owners of ' || ${property.propertyId}, 0))`);
  const balances = await tx.all(selectOwnerBalances(tx, shareTerms(property), LAST_DATE));
  const owedCents = amountCents - (balances.find((balance) => balance.ownerId === ownerId)?.balanceCents ?? 0);
  if (owedCents <= 0) throw unknownReference("propertyId", "property of the owner");
  if (amountCents <= owedCents) return;
  const message = `The property is deleted, and the owner owes ${owedCents} cents there. Lower amountCents, or name another property.`;
  throw invalid([{ path: "amountCents", code: "sum_exceeded", message }]);
}

/** Locks the bank account that holds a contribution and returns its account of the chart. Throws a 400 for one that cannot hold money of the owner. */
async function lockTrustAccount(tx: OrgTx, bankAccountId: string, ownerId: string): Promise<string> {
  const account = (await lockBankAccounts(tx, [bankAccountId])).get(bankAccountId);
  if (!account) throw unknownReference("bankAccountId", "bank account");
  requireActive(account);
  const refuse = (message: string) => invalid([{ path: "bankAccountId", code: "not_allowed", message }]);
  if (account.accountType === "business") throw refuse(`${account.name} is a business account, which holds no money of owners. Name a trust account.`);
  if (account.ownerId !== null && account.ownerId !== ownerId)
    throw refuse(`${account.name} holds the money of another owner alone. Name an account of this owner, or one that pools the money of several owners.`);
  return account.categoryId;
}

/**
 * Voids a contribution on its own day. Throws 404 for an unknown one, and a 409 for one that is voided or whose money has been used, also
 * when only the other owners of the property would have enough left.
 */
export async function voidOwnerContribution(
  db: OrgDb,
  clients: Clients,
  ownerId: string,
  id: string,
  reason: string,
): Promise<Output<Operations["voidOwnerContribution"]>> {
  const { propertyId } = await getOwnerContribution(db, id);
  const properties = await findOwnershipOf(db, clients, [propertyId]);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const contribution = await tx.getForUpdate(OwnerContribution, id, "Contribution", { ownerId });
    if (contribution.voidedAt) throw conflict("The contribution has already been voided. Record a new one instead.", "invalid_transition");
    const accounts = await lockAccountsOfEntries(tx, [contribution.entryId]);
    const memo = truncate(`Contribution voided: ${reason}`, 500);
    const reversalIds = await reverseEntries(tx, settings.timezone, [contribution.entryId], { occurredAt: contribution.receivedAt, memo });
    await requireMoneyOfEntries(tx, settings, chart, accounts, properties, [...reversalIds.values()]);
    tx.assign(contribution, { voidedAt: now(), voidReason: reason });
    await publish(tx, "owner_contribution.voided", { entityId: id, data: { ownerId, propertyId }, audience: { ownerIds: [ownerId] } });
    const journalEntry = await getJournalEntry(tx, contribution.entryId);
    return { contribution: await getOwnerContribution(tx, id), journalEntry, warnings: tx.warnings };
  });
}
