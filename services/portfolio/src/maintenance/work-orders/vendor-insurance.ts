/** Organization policy for vendors with expired liability insurance: off, warn or block. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { WorkOrderChange, type WorkOrder } from "./work-order.entity.ts";

interface VendorWithInsurance {
  name: string;
  expiresOn: string | null;
}

/**
 * Checks the liability insurance of a vendor about to be assigned. When all of it has expired, throws 409 if the organization's
 * policy is `block`, and returns the warning for the history if the policy is `warn`.
 */
export async function checkVendorInsurance(db: OrgDb, clients: Clients, vendorId: string | null | undefined): Promise<string | undefined> {
  const vendorWithLapsedInsurance = vendorId ? await findLapsedInsurance(db, vendorId) : undefined;
  if (!vendorWithLapsedInsurance) return undefined;
  const { policies } = await clients.identity.getOrganization(db, {});
  const { vendorInsurance } = JSON.parse(policies) as Policies;
  if (vendorInsurance === "warn") return `The liability insurance of ${vendorWithLapsedInsurance.name} expired on ${vendorWithLapsedInsurance.expiresOn}.`;
  if (vendorInsurance === "off") return undefined;
  throw conflict(
    `The vendor's liability insurance expired on ${vendorWithLapsedInsurance.expiresOn}. Record a valid insurance, or choose another vendor.`,
    "invalid_transition",
    [{ path: "vendorId", code: "not_allowed", message: "The vendor's liability insurance has expired." }],
  );
}

/** Records the warning, if any, in the history of the work order. */
export function recordInsuranceWarning(tx: OrgTx, { id, updatedAt }: WorkOrder, warning: string | undefined): void {
  const entry = { workOrderId: id, at: updatedAt, actorUserId: tx.principal.userId, field: "vendorInsurance" };
  if (warning) tx.create(WorkOrderChange, { ...entry, fromValue: null, toValue: warning });
}

/** Returns the vendor with the latest expiry of its liability insurances, or undefined when an insurance is valid or none is recorded. */
async function findLapsedInsurance(db: OrgDb, vendorId: string): Promise<VendorWithInsurance | undefined> {
  const latest = await db.first(sql<VendorWithInsurance>`select v.name, max(i.expires_on) as expires_on from vendor v
      join vendor_insurance i on i.organization_id = v.organization_id and i.vendor_id = v.id and i.kind = 'liability'
    where v.organization_id = ${db.organizationId} and v.id = ${vendorId} group by v.name`);
  return latest?.expiresOn && latest.expiresOn < today(db.principal.timezone) ? latest : undefined;
}
