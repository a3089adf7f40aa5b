/** Checks of payments, charges and security deposits. */
import type { Diagnostic } from "@freehold/contract/trust/diagnostics";
import { sql } from "@freehold/kit/db/statement";
import { addDays } from "@freehold/kit/time/plain-date";
import { OWNER_RECEIVABLE } from "../../chart/chart.ts";
import { securityDepositRows } from "../security-deposits/security-deposit.view.ts";
import { finding, type Check } from "./check.ts";

type Key = Extract<Diagnostic["key"], "unused_prepayment" | "allocation_mismatch" | "deposit_disposition_due" | "owner_receivable">;

/** Days before its deadline from which a disposition is reported. */
const DISPOSITION_DAYS = 7;

export const receivableChecks: Record<Key, Check> = {
  unused_prepayment: (db, { day }) => sql`
    select ${finding({ entityType: "tenant", entityId: sql`p.tenant_id`, name: sql`coalesce(t.full_name, 'Unknown')`, amountCents: sql`least(p.cents, c.cents)` })}
    from (select tenant_id, sum(unallocated_cents) as cents from payment where organization_id = ${db.organizationId} and unallocated_cents > 0 and status = 'received' group by 1) p
    join (select tenant_id, sum(balance_cents) as cents from open_charge where organization_id = ${db.organizationId} and due_date <= ${day} group by 1) c using (tenant_id)
    left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = p.tenant_id`,

  allocation_mismatch: (db) => {
    const allocated = (document: string) => sql`coalesce((select sum(a.amount_cents) from payment_allocation a
      where a.organization_id = ${db.organizationId} and ${sql.ref(`a.${document}_id`)} = d.id and a.released_at is null), 0)`;
    return sql`
      select ${finding({ entityType: "payment", entityId: sql`d.id`, name: sql`coalesce(t.full_name, 'Unknown')`, propertyId: sql`d.property_id`, amountCents: sql`d.difference` })}
      from (select d.id, d.tenant_id, d.property_id, d.amount_cents - d.unallocated_cents - d.refunded_cents - ${allocated("payment")} as difference
        from payment d where d.organization_id = ${db.organizationId} and d.status in ('received', 'refunded')) d
      left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = d.tenant_id where d.difference <> 0
      union all select ${finding({ entityType: "charge", entityId: sql`d.id`, name: sql`d.name`, propertyId: sql`d.property_id`, date: sql`d.due_date`, amountCents: sql`d.difference` })}
      from (select d.id, d.name, d.property_id, d.due_date, d.amount_cents - d.credited_cents - d.balance_cents - ${allocated("charge")} as difference
        from charge d where d.organization_id = ${db.organizationId} and d.status <> 'voided') d where d.difference <> 0`;
  },

  deposit_disposition_due: (db, { day }) => sql`
    select ${finding({
      entityType: "security_deposit",
      entityId: sql`d.id`,
      name: sql`coalesce(t.full_name, 'Unknown')`,
      propertyId: sql`d.property_id`,
      bankAccountId: sql`d.bank_account_id`,
      date: sql`d.disposition_due_on`,
      amountCents: sql`d.held_cents`,
    })} from ${securityDepositRows(db, day)} left join tenant_copy t on t.organization_id = ${db.organizationId} and t.id = d.tenant_id
    where d.status = 'disposition_due' and d.disposition_due_on <= ${addDays(day, DISPOSITION_DAYS)}`,

  owner_receivable: (db, { chart, day }) => sql`
    select ${finding({ entityType: "property", entityId: sql`m.property_id`, name: sql`coalesce(p.name, 'Unknown')`, propertyId: sql`m.property_id`, amountCents: sql`m.cents` })}
    from (select property_id, sum(debit_cents - credit_cents) as cents from journal_line where organization_id = ${db.organizationId}
      and account_id = ${chart.accountId(OWNER_RECEIVABLE)} and property_id is not null and entry_date <= ${day} group by 1 having sum(debit_cents) <> sum(credit_cents)) m
    left join property_copy p on p.organization_id = ${db.organizationId} and p.id = m.property_id`,
};
