/** Leases that hold security deposits: a deposit follows the changes of its lease, and a renewal takes the deposits of the lease before it over. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { startOfDay } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import { DEPOSITS_HELD } from "../../chart/chart.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { SecurityDeposit } from "./security-deposit.entity.ts";
import { publishDepositEvent } from "./security-deposit-events.ts";
import { depositDimensions } from "./security-deposit.rules.ts";
import { hasTransactions } from "./security-deposit.view.ts";

/**
 * Gives the open security deposits of locked leases the tenant, property and unit of their lease, which can change until the lease starts,
 * unless money is charged or held. A lease of a merged tenant is left to the merge, which reassigns its deposits. Idempotent.
 */
export async function followLeases(tx: OrgTx, leaseIds: readonly string[]): Promise<void> {
  const changed = await tx.all(sql<Pick<SecurityDeposit, "id" | "leaseId" | "tenantId" | "propertyId" | "unitId">>`
    update security_deposit d set tenant_id = l.tenant_id, property_id = l.property_id, unit_id = l.unit_id, updated_at = now(), version = d.version + 1
    from lease_copy l where l.organization_id = ${tx.organizationId} and l.id = any(${[...leaseIds]}::uuid[])
      and d.organization_id = l.organization_id and d.lease_id = l.id and d.is_open
      and (d.tenant_id, d.property_id, d.unit_id) <> (l.tenant_id, l.property_id, l.unit_id)
      and not exists (select from tenant_copy t where t.organization_id = l.organization_id and t.id = l.tenant_id and t.merged_into_id is not null)
      and not exists (select from security_deposit_charge x join charge c on c.organization_id = x.organization_id and c.id = x.id
        where x.organization_id = d.organization_id and x.security_deposit_id = d.id and c.status <> 'voided')
      and not ${hasTransactions}
    returning d.id, d.lease_id, d.tenant_id, d.property_id, d.unit_id`);
  for (const deposit of changed) await publishDepositEvent(tx, "security_deposit.updated", deposit);
}

/** Moves the security deposits of a lease to the renewal that takes it over, with what was used of them. The leases are locked. */
export async function takeOverDeposits(tx: OrgTx, leaseId: string, renewalId: string): Promise<void> {
  const rows = await tx.all(
    sql<{ id: string }>`select id from security_deposit where organization_id = ${tx.organizationId} and lease_id = ${leaseId} order by id`,
  );
  const deposits = await tx.findAllForUpdate(
    SecurityDeposit,
    rows.map(({ id }) => id),
  );
  for (const deposit of deposits) {
    // The tenant stays, so the period for the disposition, which began if the lease expired before its renewal was activated, does not run.
    tx.assign(deposit, { leaseId: renewalId, ...(deposit.isOpen && { moveOutDate: null, isMoveOutByOffice: false, dispositionDueOn: null }) });
    await gatherAtHolder(tx, deposit);
  }
}

/**
 * Moves what was used, transferred or paid back of a deposit, in entries of its own, to the lease that holds the deposit: dated the day of
 * the entry, the start of the lease or the first open day, whichever is latest. Payments of the charges have moved already. Idempotent.
 */
export async function gatherAtHolder(tx: OrgTx, deposit: SecurityDeposit): Promise<void> {
  const [{ timezone }, chart] = [await getLedgerSettings(tx), await getChart(tx)];
  const heldId = chart.accountId(DEPOSITS_HELD);
  const lease = await tx.first(
    sql<{ startDate: string }>`select start_date from lease_copy where organization_id = ${tx.organizationId} and id = ${deposit.leaseId}`,
  );
  const earliest = await lockOpenDate(tx, lease?.startDate ?? "0001-01-01");
  const elsewhere = await tx.all(sql<{
    leaseId: string;
    date: string;
    cents: number;
  }>`select l.lease_id, greatest(l.entry_date, ${earliest}::date) as date, sum(l.credit_cents - l.debit_cents)::bigint as cents
    from journal_line l where l.organization_id = ${tx.organizationId} and l.deposit_id = ${deposit.id} and l.account_id = ${heldId} and l.lease_id <> ${deposit.leaseId}
    group by 1, 2 having sum(l.credit_cents) <> sum(l.debit_cents) order by 2, 1`);
  const holder = { ...depositDimensions(deposit), description: "Deposit taken over by the renewal" };
  await postEntries(
    tx,
    timezone,
    elsewhere.map(({ leaseId, date, cents }) => {
      const [from, to] = cents > 0 ? [{ ...holder, leaseId }, holder] : [holder, { ...holder, leaseId }];
      const lines = [debit(heldId, Math.abs(cents), from), credit(heldId, Math.abs(cents), to)];
      const document = { type: "security_deposit", id: deposit.id } as const;
      const memo = "Security deposit taken over by the renewal";
      return { id: newId(), memo, occurredAt: startOfDay(date, timezone), entryDate: date, source: "security_deposit" as const, document, lines };
    }),
  );
}
