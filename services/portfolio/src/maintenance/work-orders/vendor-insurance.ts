/** Organization policy for vendors with expired liability insurance: off, warn or block. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, type ApiError } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { WorkOrderChange, type WorkOrder } from "./work-order.entity.ts";

interface VendorWithInsurance {
  name: string;
  expiresOn: string | null;
}

/** Consequence of assigning a vendor, by the organization's policy: a refusal, a warning for the history, or none. */
export interface InsuranceCheck {
  refusal?: ApiError;
  warning?: string;
}

/** Checks the liability insurance of a vendor who may be assigned, and returns the consequence when all of it has expired. */
export async function checkVendorInsurance(db: OrgDb, clients: Clients, vendorId: string | null | undefined): Promise<InsuranceCheck> {
  const vendorWithLapsedInsurance = vendorId ? await findLapsedInsurance(db, vendorId) : undefined;
  if (!vendorWithLapsedInsurance) return {};
  const { name, expiresOn } = vendorWithLapsedInsurance;
  const { policies } = await clients.identity.getOrganization(db, {});
  const { vendorInsurance } = JSON.parse(policies) as Policies;
  if (vendorInsurance === "warn") return { warning: `The liability insurance of ${name} expired on ${expiresOn}.` };
  if (vendorInsurance === "off") return {};
  const message = `The vendor's liability insurance expired on ${expiresOn}. Record a valid insurance, or choose another vendor.`;
  const error = { path: "vendorId", code: "not_allowed" as const, message: "The vendor's liability insurance has expired." };
  return { refusal: conflict(message, "invalid_transition", [error]) };
}

/** Applies the check to a work order that is assigned to the vendor: throws the refusal, or records the warning in the history. */
export function applyInsuranceCheck(tx: OrgTx, { id, updatedAt }: WorkOrder, { refusal, warning }: InsuranceCheck): void {
  if (refusal) throw refusal;
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
