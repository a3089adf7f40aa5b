/** Events of security deposits. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { tenantAudiences } from "../../projections/tenant-audience.ts";
import type { SecurityDeposit } from "./security-deposit.entity.ts";

const publish = eventPublisher("ledger");

type Subject = Pick<SecurityDeposit, "id" | "leaseId" | "tenantId" | "propertyId" | "unitId">;
/** Events that the tenant sees, too: those of the money and of the final disposition. */
type TenantEvent =
  | "security_deposit.created"
  | "security_deposit.received"
  | "security_deposit.applied"
  | "security_deposit.transferred"
  | "security_deposit.finalized"
  | "security_deposit.reopened"
  | "security_deposit.refunded"
  | "security_deposit.transaction_voided";

/** Publishes an event of a security deposit. The tenants of the lease see all but changes of terms and of draft deductions. */
export async function publishDepositEvent(
  tx: OrgTx,
  type: TenantEvent | "security_deposit.updated",
  { id, leaseId, tenantId, propertyId, unitId }: Subject,
): Promise<void> {
  const event = { entityId: id, data: { leaseId, tenantId, propertyId, unitId } };
  const audiences = type === "security_deposit.updated" ? [] : await tenantAudiences(tx, [{ tenantId, leaseIds: [leaseId] }]);
  return publish(tx, type, { ...event, ...(audiences[0] && { audience: audiences[0] }) });
}
