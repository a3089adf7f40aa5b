/** Queries of the ledger of a lease or tenant: the journal entries that change its open charges or its unallocated credit. */
import type { ledgers, LedgerEntry } from "@freehold/contract/ledger/ledgers";
import type { entrySources } from "@freehold/contract/ledger/journal-entries";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { z } from "zod";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, PREPAID_RENT } from "../../chart/chart.ts";
import { isChangedEntry } from "../../reporting/changed-entries.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { isInVersion } from "../../reporting/ledger-version.ts";
import { isOfTenant } from "../../reporting/tenant-of-version.ts";

/**
 * Holder of a ledger: leases, also with the payments without a lease of a tenant, or a tenant with the charges and payments of all
 * leases.
 */
export type LedgerHolder = { leaseIds: readonly string[]; payerId?: string | undefined } | { tenantId: string };

type Query = Pick<QueryOf<typeof ledgers.operations.listLeaseLedger>, "from" | "updatedAfter" | "includeDeleted" | "sortDirection" | "page" | "pageSize"> & {
  asOf: string;
  ledgerVersion?: number | undefined;
};

/** Row of a page: an entry, or nulls on an empty page, with the totals of all pages. */
export interface LedgerRow {
  total: number;
  openingCents: string;
  closingCents: string;
  id: string | null;
  entryDate: string;
  source: (typeof entrySources)[number];
  sourceType: "charge" | "payment";
  sourceId: string;
  memo: string;
  netCents: number;
  balanceCents: string;
  allocations: z.output<typeof LedgerEntry>["allocations"] | null;
}

/** Selects a page of a ledger up to a day; a single row without an entry when the page is empty. */
export function ledgerPage(db: OrgDb, chart: Chart, holder: LedgerHolder, query: Query): RawBuilder<LedgerRow> {
  const { from = "0001-01-01", asOf, sortDirection, page, pageSize } = query;
  const direction = sql.raw(sortDirection);
  const isListed = sql`entry_date between ${from} and ${asOf} and ${isChangedEntry(db, sql`ledger.id`, query)}`;
  return sql<LedgerRow>`
    with ledger as materialized (${ledgerEntries(db, chart, holder, query)}),
      total as (select count(*) filter (where ${isListed}) as total,
        coalesce(sum(net_cents) filter (where entry_date < ${from}), 0)::text as opening_cents,
        coalesce(sum(net_cents) filter (where entry_date <= ${asOf}), 0)::text as closing_cents from ledger),
      page as materialized (select * from ledger where ${isListed}
        order by entry_date ${direction}, id ${direction} limit ${pageSize} offset ${(page - 1) * pageSize})
    select total.*, page.id, entry_date, source, source_type, source_id, memo, net_cents, balance_cents, ${allocationsOf(db, query)}
    from total left join page on true order by entry_date ${direction}, page.id ${direction}`;
}

/**
 * Selects the entries of a ledger: each with the change of the balance, debits positive, and the balance after it. The entries
 * are found by their documents: the charges and payments of the holder, and the payments of others that settle these charges.
 * The charge that balances the refund of a returned payment debits accounts receivable and credits prepaid rent, so it changes no
 * balance: the ledger has the refund and the reversal of the payment instead.
 */
function ledgerEntries(db: OrgDb, chart: Chart, holder: LedgerHolder, { ledgerVersion }: Query): RawBuilder<unknown> {
  const { isHeld, hasPayments, isHeldCredit } = holderConditions(db, holder, ledgerVersion);
  return sql`
    with held_charge as (select id from charge record where record.organization_id = ${db.organizationId} and ${isHeld}),
      held_payment as (select id from payment record where record.organization_id = ${db.organizationId} and ${hasPayments}),
      document as (select id from held_charge union select id from held_payment
        union select payment_id from payment_allocation where organization_id = ${db.organizationId} and charge_id in (select id from held_charge)),
      entry as (select e.id, e.entry_date, e.source, e.source_type, e.source_id, e.memo, sum(l.debit_cents - l.credit_cents)::bigint as net_cents
        from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
        where e.organization_id = ${db.organizationId} and e.source_id = any(array(select id from document))
          and ((l.account_id = ${chart.accountId(ACCOUNTS_RECEIVABLE)} and l.charge_id in (select id from held_charge))
            or (l.account_id = ${chart.accountId(PREPAID_RENT)} and (${isHeldCredit} or l.charge_id in (select id from held_charge))))
          and ${isInVersion(db, ledgerVersion, "l")}
        group by e.organization_id, e.id having sum(l.debit_cents) <> sum(l.credit_cents))
    select entry.*, (sum(net_cents) over (order by entry_date, id))::text as balance_cents from entry`;
}

/** Returns the conditions of the charges and payments of a holder, under the alias `record`, and of the lines `l` of its credit. */
function holderConditions(
  db: OrgDb,
  holder: LedgerHolder,
  ledgerVersion: number | undefined,
): Record<"isHeld" | "hasPayments" | "isHeldCredit", RawBuilder<unknown>> {
  const ofHeldPayment = sql`l.payment_id in (select id from held_payment)`;
  if ("tenantId" in holder) {
    const isHeld = isOfTenant(db, holder.tenantId, ledgerVersion);
    return { isHeld, hasPayments: isHeld, isHeldCredit: ofHeldPayment };
  }
  const { leaseIds, payerId } = holder;
  const isHeld = sql`record.lease_id = any(${[...leaseIds]}::uuid[])`;
  const isOfPayer = payerId === undefined ? sql`false` : sql`(record.lease_id is null and record.tenant_id = ${payerId})`;
  // Credit of a tenancy moves to its renewals, so the entries of all its payments may name the lease.
  const hasPayments = sql`(${isHeld} or record.lease_id = any(${leasesOfTenancies(db, leaseIds)}) or ${isOfPayer})`;
  const isPayersCredit = payerId === undefined ? sql`false` : sql`(l.lease_id is null and ${ofHeldPayment})`;
  return { isHeld, hasPayments, isHeldCredit: sql`(l.lease_id = any(${[...leaseIds]}::uuid[]) or ${isPayersCredit})` };
}

/**
 * Select list of the allocations of an entry of the page: those that the entry posts, or all allocations to the charge that it posts.
 * Includes allocations that are dated by the end of the last day and not released by then. In an earlier version, only entries of that
 * version post and release allocations.
 */
function allocationsOf(db: OrgDb, { asOf, ledgerVersion }: Query): RawBuilder<unknown> {
  const isEntryInVersion = (entryId: RawBuilder<unknown>) =>
    sql`exists (select from journal_line l where l.organization_id = a.organization_id and l.entry_id = ${entryId} and ${isInVersion(db, ledgerVersion, "l")})`;
  const reversalId = sql`(select r.entry_id from payment_reversal r where r.organization_id = a.organization_id and r.payment_id = a.payment_id)`;
  const isSettled = sql`exists (select from journal_entry e where e.organization_id = a.organization_id and e.id = a.entry_id and e.entry_date <= ${asOf})`;
  const isUnreleased = sql`(a.released_at is null or a.released_on > ${asOf})`;
  const isLive =
    ledgerVersion === undefined
      ? isUnreleased
      : sql`${isEntryInVersion(sql`a.entry_id`)} and (${isUnreleased} or not ${isEntryInVersion(sql`coalesce(a.release_entry_id, ${reversalId})`)})`;
  return sql`(
    select jsonb_agg(jsonb_build_object('id', a.id, 'chargeId', a.charge_id, 'paymentId', a.payment_id, 'amountCents', a.amount_cents) order by a.id)
    from payment_allocation a where a.organization_id = ${db.organizationId}
      and ((a.payment_id = page.source_id and a.entry_id = page.id) or (page.source = 'charge' and a.charge_id = page.source_id)) and ${isSettled} and ${isLive}) as allocations`;
}
