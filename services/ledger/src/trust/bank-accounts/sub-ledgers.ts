/** Sub-ledgers of a bank account: to whom the money in it belongs. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import { getChart, type Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT } from "../../chart/chart.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import type { BankAccount } from "./bank-account.entity.ts";
import { readBookBalance } from "./balances.ts";
import { getBankAccount } from "./bank-accounts.ts";
import { bankLines } from "./register.queries.ts";

type Operation = typeof bankAccounts.operations.listSubLedgers;
type SubLedger = Output<Operation>["subLedgers"][number];

/** Money of one beneficiary: of a property, of a tenant at a property, or of the manager when there is neither. */
export type Beneficiary = Pick<SubLedger, "kind" | "propertyId" | "tenantId">;
export type BeneficiaryBalance = Beneficiary & { balanceCents: number };

/**
 * Selects the money in a bank account by beneficiary at the end of a day. Deposits held and prepaid rent are in the account in which
 * the money of their payment is, unless the line names another one, as those of transfers do. The rest of the money of a property
 * belongs to its owners; the rest of the money without a property to the manager.
 */
export const selectSubLedgers = (
  db: StatementRunner,
  chart: Chart,
  account: Pick<BankAccount, "id" | "categoryId">,
  asOf: string,
): RawBuilder<BeneficiaryBalance> => sql<BeneficiaryBalance>`
  with money as materialized (
    select l.payment_id, l.property_id, sum(l.debit_cents - l.credit_cents) as cents from ${bankLines(db, account)} and l.entry_date <= ${asOf} group by 1, 2),
  deposited as materialized (select payment_id from money where payment_id is not null group by payment_id having sum(cents) <> 0),
  liability as materialized (
    select case l.account_id when ${chart.accountId(DEPOSITS_HELD)} then 'deposit' else 'prepaid' end as kind, l.property_id,
      coalesce(t.merged_into_id, l.tenant_id) as tenant_id, sum(l.credit_cents - l.debit_cents) as cents
    from journal_line l left join tenant_copy t on t.organization_id = l.organization_id and t.id = l.tenant_id
    where l.organization_id = ${db.organizationId} and l.account_id in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)}) and l.entry_date <= ${asOf}
      and (l.bank_account_id = ${account.id} or (l.bank_account_id is null and l.payment_id in (select payment_id from deposited)))
    group by 1, 2, 3),
  rest as (select property_id, sum(cents) as cents from (
      select property_id, cents from money union all select property_id, -cents from liability) part group by property_id)
  select kind, property_id, tenant_id, cents::bigint as balance_cents from liability where cents <> 0
  union all select case when property_id is null then 'manager' else 'owner' end, property_id, null, cents::bigint from rest where cents <> 0`;

const kinds: readonly SubLedger["kind"][] = ["owner", "deposit", "prepaid", "manager"];

/** Returns the sub-ledgers of a bank account at the end of a day. Throws 404 for an unknown bank account. */
export async function listSubLedgers(db: OrgDb, id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const [account, { timezone }, chart] = await Promise.all([getBankAccount(db, id), getLedgerSettings(db), getChart(db)]);
  const asOf = query.asOf ?? today(timezone);
  const [rows, { bookCents }] = await Promise.all([db.all(selectSubLedgers(db, chart, account, asOf)), readBookBalance(db, account, asOf)]);
  const subLedgers = rows
    .toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || (keyOf(one) < keyOf(other) ? -1 : 1))
    .map((row) => ({ ...row, ownerId: row.kind === "owner" ? account.ownerId : null }));
  const totalCents = subLedgers.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
  return { subLedgers, totalCents, bookCents, differenceCents: bookCents - totalCents } as Output<Operation>;
}

const keyOf = ({ propertyId, tenantId }: Beneficiary): string => `${propertyId} ${tenantId}`;
