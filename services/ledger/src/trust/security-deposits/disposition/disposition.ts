/** Disposition of a security deposit as its letter states it. */
import type { DispositionStatement } from "@freehold/contract/trust/security-deposit.schema";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { localDateOf, today } from "@freehold/kit/time/clock";
import type { Clients } from "../../../clients.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { readDeadline } from "./deadline.queries.ts";
import { remainingDays } from "./statutory-deadlines.ts";

/** Returns the disposition of a security deposit: a draft until it is finalized. Throws 404 for an unknown deposit. */
export async function getSecurityDepositDisposition(db: OrgDb, { identity }: Clients, id: string): Promise<DispositionStatement> {
  const deposit = await getSecurityDeposit(db, id);
  const { leaseId, tenantId, forwardingAddress, moveOutDate, dispositionDueOn, deductions, deductionsCents, disposition, refundPayableCents, refundedCents } =
    deposit;
  const [{ name: organizationName }, { timezone }, deadline, names] = await Promise.all([
    identity.getOrganization(db, {}),
    getLedgerSettings(db),
    readDeadline(db, deposit),
    db.first(sql<{ tenantName: string; propertyName: string | null; unitNumber: string | null }>`
      select t.full_name as tenant_name, p.name as property_name, u.unit_number from tenant_copy t
        left join lease_copy l on l.organization_id = t.organization_id and l.id = ${leaseId}
        left join property_copy p on p.organization_id = l.organization_id and p.id = l.property_id
        left join unit_copy u on u.organization_id = l.organization_id and u.id = l.unit_id
      where t.organization_id = ${db.organizationId} and t.id = ${tenantId}`),
  ]);
  const refundCents = refundPayableCents + refundedCents;
  return {
    securityDepositId: id,
    organizationName,
    tenantName: names?.tenantName ?? "",
    propertyName: names?.propertyName ?? "",
    unitNumber: names?.unitNumber ?? null,
    forwardingAddress,
    moveOutDate,
    dispositionDueOn,
    remainingDays: dispositionDueOn && remainingDays(dispositionDueOn, today(timezone)),
    deadline,
    heldCents: disposition ? refundCents + deductionsCents : deposit.heldCents,
    deductions,
    deductionsCents,
    refundCents,
    isFinal: disposition !== null,
    sentAt: disposition?.sentAt ?? null,
    sentOn: disposition && localDateOf(disposition.sentAt, timezone),
  } as DispositionStatement;
}
