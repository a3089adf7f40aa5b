/** Reversal of entries that have taken money out of security deposits. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now, today } from "@freehold/kit/time/clock";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import { getChart } from "../../../chart/categories.ts";
import { DEPOSITS_HELD } from "../../../chart/chart.ts";
import { reverseEntries } from "../../../journal/posting.ts";
import { requireOwnersFunds } from "../../../owners/owners-funds.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import type { Beneficiary } from "../../bank-accounts/sub-ledgers.queries.ts";
import { beneficiaryAt } from "../../bank-accounts/trust-funds.rules.ts";
import { lockAccountsOfEntries, requireTrustFunds } from "../../bank-accounts/trust-funds.ts";

interface ReturnedEntries {
  /** Entries that have moved the money. */
  entryIds: readonly string[];
  /** Those of them that are not the entries of credits, which `reverseCredits` reverses. */
  ownEntryIds: readonly string[];
  /** Receiver of the money in the account: the owners of the property, another deposit, or nobody when the money left the account. */
  receiver: "owners" | "deposit" | "nobody";
  memo: string;
  /** Properties of the deposit with their ownerships. */
  properties: readonly OwnedProperty[];
}

/**
 * Reverses entries today, or on their later day. Throws a 409 when those who had received the money lack it from that day on.
 */
export async function returnToDeposit(
  tx: OrgTx,
  { entryIds, ownEntryIds, receiver, memo, properties }: ReturnedEntries,
  reverseCredits: () => Promise<void>,
): Promise<void> {
  const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  // Charges are locked before bank accounts.
  await reverseCredits();
  const accounts = await lockAccountsOfEntries(tx, entryIds);
  if (ownEntryIds.length > 0) await reverseEntries(tx, settings.timezone, ownEntryIds, { occurredAt: now(), memo });
  if (receiver === "nobody") return;
  const received = receiver === "owners" ? sql`l.debit_cents > 0` : sql`l.credit_cents > 0`;
  const lines = await tx.all(sql<{ bankAccountId: string; propertyId: string; tenantId: string; date: string }>`
    select distinct greatest(e.entry_date, ${today(settings.timezone)}::date) as date, l.property_id, coalesce(t.merged_into_id, l.tenant_id) as tenant_id, l.bank_account_id
    from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
      left join tenant_copy t on t.organization_id = l.organization_id and t.id = l.tenant_id
    where e.organization_id = ${tx.organizationId} and e.id = any(${[...entryIds]}::uuid[]) and l.account_id = ${chart.accountId(DEPOSITS_HELD)}
      and l.bank_account_id is not null and ${received}`);
  for (const { bankAccountId, propertyId, tenantId, date } of lines) {
    const account = accounts.find(({ id }) => id === bankAccountId)!;
    const beneficiary: Beneficiary = receiver === "owners" ? beneficiaryAt(propertyId) : { kind: "deposit", propertyId, tenantId };
    await requireTrustFunds(tx, settings, chart, account, [beneficiary], date);
    if (receiver === "owners") await requireOwnersFunds(tx, settings, chart, account, properties, await findReversals(tx, entryIds), date);
  }
}

async function findReversals(tx: OrgTx, entryIds: readonly string[]): Promise<string[]> {
  const rows = await tx.all(
    sql<{
      id: string;
    }>`select reversed_by_id as id from journal_entry where organization_id = ${tx.organizationId} and id = any(${[...entryIds]}::uuid[]) and reversed_by_id is not null`,
  );
  return rows.map(({ id }) => id);
}
