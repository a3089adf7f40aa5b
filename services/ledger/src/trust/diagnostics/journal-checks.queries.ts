/** Checks of the journal. */
import type { Diagnostic } from "@freehold/contract/trust/diagnostics";
import { sql } from "@freehold/kit/db/statement";
import { finding, type Check } from "./check.ts";

type Key = Extract<Diagnostic["key"], "journal_unbalanced" | "property_imbalance" | "moved_entries">;

export const journalChecks: Record<Key, Check> = {
  // Triggers reject such entries, so that a finding means damage.
  journal_unbalanced: (db) => sql`
    select ${finding({ entityType: "journal_entry", entityId: sql`e.id`, name: sql`e.memo`, date: sql`e.entry_date`, amountCents: sql`m.cents` })}
    from (select entry_id, sum(debit_cents - credit_cents) as cents from journal_line where organization_id = ${db.organizationId} group by 1
      having sum(debit_cents) <> sum(credit_cents)
        or coalesce(sum(debit_cents) filter (where cash_account_id is not null), 0) <> coalesce(sum(credit_cents) filter (where cash_account_id is not null), 0)) m
    join journal_entry e on e.organization_id = ${db.organizationId} and e.id = m.entry_id`,

  property_imbalance: (db) => sql`
    select ${finding({ entityType: "journal_entry", entityId: sql`e.id`, name: sql`e.memo`, propertyId: sql`m.property_id`, date: sql`e.entry_date`, amountCents: sql`m.cents` })}
    from journal_entry e join lateral (select l.property_id, sum(l.debit_cents - l.credit_cents) as cents from journal_line l
      where l.organization_id = e.organization_id and l.entry_id = e.id and l.property_id is not null group by 1 having sum(l.debit_cents) <> sum(l.credit_cents)) m on true
    where e.organization_id = ${db.organizationId} and e.source = 'manual' and e.status = 'posted'`,

  moved_entries: (db) => sql`
    select ${finding({ entityType: "journal_entry", entityId: sql`e.id`, name: sql`e.memo`, date: sql`e.moved_from`, amountCents: sql`e.debit_total_cents` })}
    from journal_entry e where e.organization_id = ${db.organizationId} and e.moved_from is not null and e.entry_date >= first_open_day(${db.organizationId})`,
};
