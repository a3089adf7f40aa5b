/** What an organization does about a vendor whose liability insurance has run out: nothing, say so, or give it no work. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import { WorkOrderChange, type WorkOrder } from "./work-order.entity.ts";

interface Insured {
  name: string;
  expiresOn: string | null;
}

/**
 * Looks at a vendor that is to get work, whose liability insurance, all of it that is kept here, may have run out: refuses it where
 * the organization's policy is to block such vendors, and answers the warning for the history where the policy is to warn.
 */
export async function checkVendorInsurance(db: OrgDb, clients: Clients, vendorId: string | null | undefined): Promise<string | undefined> {
  const lapsed = vendorId ? await lapsedOf(db, vendorId) : undefined;
  if (!lapsed) return undefined;
  const { policies } = await clients.identity.getOrganization(db, {});
  const { vendorInsurance } = JSON.parse(policies) as Policies;
  if (vendorInsurance === "warn") return `The liability insurance of ${lapsed.name} ran out on ${lapsed.expiresOn}.`;
  if (vendorInsurance === "off") return undefined;
  throw conflict(`The vendor's liability insurance ran out on ${lapsed.expiresOn}. Enter a new one, or choose another vendor.`, "invalid_transition", [
    { path: "vendorId", code: "not_allowed", message: "The vendor's liability insurance has run out." },
  ]);
}

/** Writes the warning, if there is one, into the history of the work order that the vendor got. */
export function recordInsuranceWarning(tx: OrgTx, { id, updatedAt }: WorkOrder, warning: string | undefined): void {
  const entry = { workOrderId: id, at: updatedAt, actorUserId: tx.principal.userId, field: "vendorInsurance" };
  if (warning) tx.create(WorkOrderChange, { ...entry, fromValue: null, toValue: warning });
}

/** A vendor and the last day of its liability insurance when that is over; nothing while one holds or when none is known. */
async function lapsedOf(db: OrgDb, vendorId: string): Promise<Insured | undefined> {
  const latest = await db.first(sql<Insured>`select v.name, max(i.expires_on) as expires_on from vendor v
      join vendor_insurance i on i.organization_id = v.organization_id and i.vendor_id = v.id and i.kind = 'liability'
    where v.organization_id = ${db.organizationId} and v.id = ${vendorId} group by v.name`);
  return latest?.expiresOn && latest.expiresOn < today(db.principal.timezone) ? latest : undefined;
}
