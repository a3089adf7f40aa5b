/** Fees and interest of the bank: record and void. */
import type { BankAdjustment as View, bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { now, startOfDay } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { getChart, type Chart } from "../../chart/categories.ts";
import { BANK_FEES, OTHER_INCOME } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { requireProperty } from "../../require-property.ts";
import { credit, debit, type EntryLine } from "../../journal/journal.rules.ts";
import { postEntries, reverseEntries } from "../../journal/posting.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { requireMoneyOfEntries } from "../../owners/owners-funds.ts";
import { getLedgerSettings, type LedgerSettings } from "../../settings/ledger-settings.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { requireMoneyAccount, type MoneyAccount } from "../bank-accounts/bank-account-references.ts";
import { lockAccountsOfEntries } from "../bank-accounts/trust-funds.ts";
import { BankAdjustment } from "./bank-adjustment.entity.ts";

type Operations = typeof bankAccounts.operations;
type Body = BodyOf<Operations["createBankAdjustment"]>;
const publish = eventPublisher("ledger");

async function getBankAdjustment(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<View & { version: number }>`select id, organization_id, bank_account_id, kind, amount_cents, occurred_on, property_id, memo,
      entry_id as journal_entry_id, created_at, updated_at, voided_at, void_reason, version
    from bank_adjustment where organization_id = ${db.organizationId} and id = ${id}`);
  if (!row) throw notFound("Adjustment");
  const { version, ...view } = row;
  return withVersion(view, version);
}

/**
 * Records a fee or interest of the bank. Throws 404 for an unknown bank account, a 400 for an unknown property and for one at a business account, and a 409 for an
 * archived account. The bank has taken a fee already, so one that uses money of others is recorded with a warning.
 */
export async function createBankAdjustment(db: OrgDb, clients: Clients, bankAccountId: string, body: Body): Promise<{ adjustment: View; warnings: string[] }> {
  const { accountType, name } = await getBankAccount(db, bankAccountId);
  const { kind, amountCents, occurredOn, propertyId = null, memo = null } = body;
  if (accountType === "business" && propertyId !== null) throw invalid([propertyOfCompanyError(name)]);
  await requireProperty(db, clients, propertyId);
  const properties = await findOwnershipOf(db, clients, kind === "bank_fee" && propertyId ? [propertyId] : []);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const { timezone } = settings;
    const bank = await requireMoneyAccount(tx, chart, bankAccountId, "id");
    const [id, entryId] = [newId(), newId()];
    const entry = {
      id: entryId,
      memo: memo ?? (kind === "bank_fee" ? "Bank fee" : "Interest"),
      occurredAt: startOfDay(occurredOn, timezone),
      entryDate: occurredOn,
      source: "adjustment" as const,
      document: { type: "adjustment" as const, id },
    };
    await postEntries(tx, timezone, [{ ...entry, lines: adjustmentLines(chart, bank, { kind, amountCents, propertyId }) }]);
    if (kind === "bank_fee" && bank.account) {
      await requireMoneyOfEntries(tx, warningOnly(settings), chart, [bank.account], properties, [entryId]);
    }
    tx.create(BankAdjustment, { id, bankAccountId, kind, amountCents, occurredOn, propertyId, memo, entryId, voidedAt: null, voidReason: null });
    await tx.flush();
    await publish(tx, "adjustment.created", { entityId: id, data: { bankAccountId, kind } });
    return { adjustment: await getBankAdjustment(tx, id), warnings: tx.warnings };
  });
}

/** Returns settings under which money of others that is used is a warning, unless it is not checked at all. */
const warningOnly = (settings: LedgerSettings): LedgerSettings =>
  settings.policies.trustOverdraft === "off" ? settings : { ...settings, policies: { ...settings.policies, trustOverdraft: "warn" } };

const propertyOfCompanyError = (name: string) => ({
  path: "propertyId",
  code: "not_allowed" as const,
  message: `${name} is a business account, whose fees and interest are those of the company. Leave propertyId out.`,
});

/** Returns the lines of a fee or of interest, at the property that bears or receives it. */
function adjustmentLines(
  chart: Chart,
  { accountId, bankAccountId }: MoneyAccount,
  { kind, amountCents, propertyId = null }: Pick<Body, "kind" | "amountCents" | "propertyId">,
): EntryLine[] {
  const atBank = { propertyId, bankAccountId };
  return kind === "bank_fee"
    ? [debit(chart.accountId(BANK_FEES), amountCents, { propertyId }), credit(accountId, amountCents, atBank)]
    : [debit(accountId, amountCents, atBank), credit(chart.accountId(OTHER_INCOME), amountCents, { propertyId })];
}

/**
 * Voids a fee or interest of the bank on its own day. Throws 404 for an unknown one, and a 409 for one that is voided or whose interest has been used, by the
 * property or by one of several owners.
 */
export async function voidBankAdjustment(
  db: OrgDb,
  clients: Clients,
  bankAccountId: string,
  id: string,
  reason: string,
): Promise<{ adjustment: View; warnings: string[] }> {
  const { propertyId } = await getBankAdjustment(db, id);
  const properties = await findOwnershipOf(db, clients, propertyId ? [propertyId] : []);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const { timezone } = settings;
    const adjustment = await tx.getForUpdate(BankAdjustment, id, "Adjustment", { bankAccountId });
    if (adjustment.voidedAt) throw conflict("The adjustment has already been voided. Record a new one instead.", "invalid_transition");
    const accounts = await lockAccountsOfEntries(tx, [adjustment.entryId]);
    const reversalIds = await reverseEntries(tx, timezone, [adjustment.entryId], {
      occurredAt: startOfDay(adjustment.occurredOn, timezone),
      memo: truncate(`Adjustment voided: ${reason}`, 500),
    });
    const reversals = [...reversalIds.values()];
    await requireMoneyOfEntries(tx, settings, chart, accounts, properties, reversals);
    tx.assign(adjustment, { voidedAt: now(), voidReason: reason });
    await publish(tx, "adjustment.voided", { entityId: id, data: { bankAccountId, kind: adjustment.kind } });
    return { adjustment: await getBankAdjustment(tx, id), warnings: tx.warnings };
  });
}
