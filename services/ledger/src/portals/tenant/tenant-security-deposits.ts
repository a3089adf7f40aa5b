/** Security deposits of a tenant, in the tenant portal. */
import { PortalSecurityDeposit, type tenantPortalMoney } from "@freehold/contract/portals/tenant-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { SecurityDeposit } from "@freehold/contract/trust/security-deposit.schema";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import {
  securityDepositColumns,
  securityDepositRows,
  securityDepositView,
  type SecurityDepositRow,
} from "../../trust/security-deposits/security-deposit.view.ts";
import { openTenantAccess } from "./tenant-access.ts";

type Operations = typeof tenantPortalMoney.operations;
type ListOperation = Operations["listTenantPortalSecurityDeposits"];

/** Returns a page of the security deposits of the caller's leases. Throws a 404 for a lease of others. */
export async function listTenantPortalSecurityDeposits(caller: OrgDb, clients: Clients, query: QueryOf<ListOperation>): Promise<Output<ListOperation>> {
  const { db, timezone, tenantId } = await openTenantAccess(caller, clients, query.leaseId);
  const { leaseId, status, updatedAfter } = query;
  const { rows, paging } = await listPage<SecurityDepositRow>(db, query, {
    table: "d",
    select: securityDepositColumns,
    from: securityDepositRows(db, today(timezone)),
    sorts: { createdAt: sql`d.created_at`, dispositionDueOn: sql`d.disposition_due_on` },
    nullable: ["dispositionDueOn"],
    where: [
      ...listConditions(db, "d", {}, false),
      updatedAfter !== undefined && sql`d.changed_at > ${updatedAfter}`,
      leaseId !== undefined && sql`d.lease_id = any(${leasesOfTenancies(db, [leaseId])})`,
      status && sql`d.status = any(${status})`,
    ],
  });
  return { securityDeposits: rows.map((row) => portalView(securityDepositView(row), tenantId)), ...paging };
}

/** Returns a security deposit of the caller. Throws 404 for others. */
export async function getTenantPortalSecurityDeposit(
  caller: OrgDb,
  clients: Clients,
  id: string,
): Promise<Output<Operations["getTenantPortalSecurityDeposit"]>> {
  const { db, timezone, tenantId } = await openTenantAccess(caller, clients);
  const row = await db.first(sql<SecurityDepositRow>`select ${securityDepositColumns} from ${securityDepositRows(db, today(timezone), sql`s.id = ${id}`)}`);
  if (!row) throw notFound("Security deposit");
  return { securityDeposit: portalView(securityDepositView(row), tenantId) };
}

/**
 * Returns a security deposit as a tenant sees it. Deductions are drafts of the office until the disposition is finalized, and the new
 * address of a tenant is for that tenant alone.
 */
function portalView(deposit: SecurityDeposit, tenantId: string): PortalSecurityDeposit {
  const isFinal = deposit.disposition !== null;
  const deductions = isFinal ? deposit.deductions.map(({ journalEntryId: _journalEntryId, ...deduction }) => deduction) : [];
  const draftCents = isFinal ? 0 : deposit.deductionsCents;
  const amounts = {
    deductionsCents: (deposit.deductionsCents - draftCents) as SecurityDeposit["deductionsCents"],
    refundPayableCents: Math.max(deposit.heldCents, 0) as SecurityDeposit["refundPayableCents"],
  };
  const portal = Object.assign(
    deposit,
    {
      deductions,
      dispositionSentAt: deposit.disposition?.sentAt ?? null,
      forwardingAddress: deposit.tenantId === tenantId ? deposit.forwardingAddress : null,
    },
    isFinal ? {} : amounts,
  );
  return pickPortalFields(PortalSecurityDeposit, portal);
}
