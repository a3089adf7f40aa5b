/** Balance of a tenant: what is due today and next. */
import type { PortalBalance } from "@freehold/contract/portals/tenant-portal-money";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { creditHeldFor } from "../../receivables/balances/held-money.queries.ts";
import { findUnchargedPeriods } from "../../receivables/balances/uncharged-periods.queries.ts";
import { openTenantAccess, type TenantAccess } from "./tenant-access.ts";
import { nextDue, type Due } from "./tenant-balance.rules.ts";

type Amounts = Pick<PortalBalance, "dueCents" | "pastDueCents" | "unallocatedCents">;

/** Returns the balance of a lease of the caller, or of all of them. Throws a 404 for a lease of others. */
export async function getTenantPortalBalance(caller: OrgDb, clients: Clients, leaseId: string | undefined): Promise<{ balance: PortalBalance }> {
  const access = await openTenantAccess(caller, clients, leaseId);
  const asOf = today(access.timezone);
  const [[amounts], charged, uncharged] = await Promise.all([
    access.db.all(selectAmounts(access, asOf, leaseId === undefined)),
    access.db.all(selectDueLater(access, asOf)),
    // The terms of recurring charges are the office's; the tenant sees when and how much they charge next.
    findUnchargedPeriods(withOfficeReach(access.db), access.currentLeaseIds, asOf),
  ]);
  const next = nextDue([...charged, ...uncharged.flatMap(({ dueDates }) => dueDates)], asOf);
  const [onlyLeaseId] = access.leaseIds.length === 1 ? access.leaseIds : [];
  return { balance: { leaseId: onlyLeaseId ?? null, asOf, ...amounts!, ...next } };
}

const openCharges = ({ db, leaseIds }: TenantAccess) =>
  sql`charge c where c.organization_id = ${db.organizationId} and c.lease_id = any(${leaseIds}::uuid[]) and c.balance_cents > 0`;

/** Selects what is due, and the credit held for the leases or, without a lease, for the tenant. */
const selectAmounts = (access: TenantAccess, day: string, countsPayersCredit: boolean) => sql<Amounts>`
  select ${clampSumToSafeInteger(sql`(select sum(c.balance_cents) from ${openCharges(access)} and c.due_date <= ${day})`)} as due_cents,
    ${clampSumToSafeInteger(sql`(select sum(c.balance_cents) from ${openCharges(access)} and c.due_date < ${day})`)} as past_due_cents,
    ${clampSumToSafeInteger(sql`(select sum(p.unallocated_cents) from payment p where p.organization_id = ${access.db.organizationId} and p.unallocated_cents > 0
      and (exists (select from unnest(${access.leaseIds}::uuid[]) lease (id) where ${creditHeldFor(sql`lease.id`)})
        or (${countsPayersCredit} and p.lease_id is null and p.tenant_id = ${access.tenantId})))`)} as unallocated_cents`;

const selectDueLater = (access: TenantAccess, day: string) =>
  sql<Due>`select c.due_date, c.balance_cents as amount_cents from ${openCharges(access)} and c.due_date > ${day} order by c.due_date limit 1000`;
