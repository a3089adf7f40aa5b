/** Checks of money on its way to and from the bank, of reconciliations, and of vendors who are paid. */
import type { Diagnostic } from "@freehold/contract/trust/diagnostics";
import { sql } from "@freehold/kit/db/statement";
import { addDays } from "@freehold/kit/time/plain-date";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { selectDraftItems } from "../reconciliations/reconciliation-items.queries.ts";
import { selectUnreconciledAccounts } from "../reconciliations/unreconciled-accounts.queries.ts";
import { finding, type Check } from "./check.ts";

type Key = Extract<
  Diagnostic["key"],
  "stale_undeposited" | "stale_outstanding_check" | "reconciliation_lapsed" | "vendor_insurance_lapsed" | "unassigned_bank_money"
>;

/** Trust money must reach the bank within three business days (California) or banking days (North Carolina). */
const UNDEPOSITED_DAYS = 3;
/** Half of the six months after which a bank need not pay a check (UCC 4-404), so that there is time to act. */
const OUTSTANDING_DAYS = 90;
/** A month, and two weeks for its statement to arrive. */
const UNRECONCILED_DAYS = 45;
const NO_DRAFT = "00000000-0000-0000-0000-000000000000";

export const bankChecks: Record<Key, Check> = {
  stale_undeposited: (db, { chart, day }) => sql`
    select ${finding({
      entityType: "payment",
      entityId: sql`m.payment_id`,
      name: sql`coalesce(t.full_name, 'Unknown')`,
      propertyId: sql`p.property_id`,
      date: sql`m.received_on`,
      amountCents: sql`m.cents`,
    })} from (select payment_id, min(entry_date) as received_on, sum(debit_cents - credit_cents) as cents from journal_line
        where organization_id = ${db.organizationId} and account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} and payment_id is not null and entry_date <= ${day}
        group by 1 having sum(debit_cents) > sum(credit_cents)) m
      join payment p on p.organization_id = ${db.organizationId} and p.id = m.payment_id
      left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = p.tenant_id
    where m.received_on < ${addDays(day, -UNDEPOSITED_DAYS)}`,

  stale_outstanding_check: (db, { accounts, day }) =>
    sql`select ${finding({ entityType: "journal_entry", entityId: sql`null::uuid`, name: sql`null::text` })} where false ${sql.join(
      accounts.map(
        (account) => sql` union all select ${finding({
          entityType: "journal_entry",
          entityId: sql`i.entry_id`,
          name: sql`i.memo`,
          bankAccountId: sql`${account.id}`,
          date: sql`i.entry_date`,
          amountCents: sql`i.cents`,
        })} from (${selectDraftItems(db, account, { id: NO_DRAFT, statementEndDate: day, isFirst: true })}) i
          where i.cents < 0 and i.entry_date < ${addDays(day, -OUTSTANDING_DAYS)}`,
      ),
      sql``,
    )}`,

  reconciliation_lapsed: (db, { day }) => sql`
    select ${finding({ entityType: "bank_account", entityId: sql`a.id`, name: sql`a.name`, bankAccountId: sql`a.id`, date: sql`a.reconciled_through` })}
    from (${selectUnreconciledAccounts(db, addDays(day, -UNRECONCILED_DAYS))}) a`,

  vendor_insurance_lapsed: (_, { vendors }) => sql`
    select ${finding({ entityType: "vendor", entityId: sql`v.id`, name: sql`v.name`, date: sql`v."insuredUntil"` })}
    from jsonb_to_recordset(${JSON.stringify(vendors)}::jsonb) as v(id uuid, name text, "insuredUntil" date)`,

  unassigned_bank_money: (db, { day }) => sql`
    select ${finding({ entityType: "account", entityId: sql`c.id`, name: sql`c.code || ' ' || c.name`, amountCents: sql`m.cents` })}
    from (select account_id, sum(debit_cents - credit_cents) as cents from journal_line
      where organization_id = ${db.organizationId} and bank_account_id is null and entry_date <= ${day}
        and account_id in (select id from category where organization_id = ${db.organizationId} and is_bank) group by 1 having sum(debit_cents) <> sum(credit_cents)) m
    join category c on c.organization_id = ${db.organizationId} and c.id = m.account_id`,
};
