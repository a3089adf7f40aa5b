/** Queries of the ledger of a lease or tenant: the journal entries that change its open charges or its unallocated credit. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, PREPAID_RENT } from "../../chart/chart.ts";

/** Holder of a ledger: a lease, or a tenant with the charges and payments of all leases. */
export type LedgerHolder = { leaseId: string } | { tenantId: string };

/**
 * Returns the entries of a ledger as a subquery with the columns `organization_id`, `id`, `entry_date`, `source`,
 * `source_type`, `source_id`, `memo`, `net_cents` and `balance_cents`. Each entry has the change of the balance, debits
 * positive, and the balance after it. The entries are found by their documents: the charges and payments of the holder, and
 * the payments of others that settle these charges. The charge of a refund that was returned debits accounts receivable and
 * credits prepaid rent, so it changes no balance: the refund and the reversal of the payment are its entries.
 */
export const ledgerEntries = (db: StatementRunner, chart: Chart, holder: LedgerHolder): RawBuilder<unknown> => {
  const isHeld = "leaseId" in holder ? sql`lease_id = ${holder.leaseId}` : sql`tenant_id = ${holder.tenantId}`;
  return sql`(
    with held_charge as (select id from charge where organization_id = ${db.organizationId} and ${isHeld}),
      held_payment as (select id from payment where organization_id = ${db.organizationId} and ${isHeld}),
      document as (select id from held_charge union select id from held_payment
        union select payment_id from payment_allocation where organization_id = ${db.organizationId} and charge_id in (select id from held_charge)),
      entry as (select e.organization_id, e.id, e.entry_date, e.source, e.source_type, e.source_id, e.memo, sum(l.debit_cents - l.credit_cents)::bigint as net_cents
        from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
        where e.organization_id = ${db.organizationId} and e.source_id = any(array(select id from document))
          and ((l.account_id = ${chart.accountId(ACCOUNTS_RECEIVABLE)} and l.charge_id in (select id from held_charge))
            or (l.account_id = ${chart.accountId(PREPAID_RENT)} and (l.payment_id in (select id from held_payment) or l.charge_id in (select id from held_charge))))
        group by e.organization_id, e.id having sum(l.debit_cents) <> sum(l.credit_cents))
    select entry.*, (sum(net_cents) over (order by entry_date, id))::text as balance_cents from entry)`;
};

/** Select list of the allocations of an entry `ledger`: those that the entry posts, or all live ones of the charge that it posts. */
export const entryAllocations = sql`(
  select jsonb_agg(jsonb_build_object('id', a.id, 'chargeId', a.charge_id, 'paymentId', a.payment_id, 'amountCents', a.amount_cents) order by a.id)
  from payment_allocation a where a.organization_id = ledger.organization_id
    and a.released_at is null and (a.entry_id = ledger.id or (ledger.source = 'charge' and a.charge_id = ledger.source_id))) as allocations`;
