/** Leases in the tenant portal. */
import { PortalParkingRight, PortalRecurringCharge, type tenantPortal } from "@freehold/contract/portals/tenant-portal";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import { findLeaseChargeRules } from "../../leases/lease-billing.ts";
import { findOwnLeaseRows, getOwnLeaseRow, type LeaseRow } from "../../leases/leases.queries.ts";
import { findParkingRights } from "../../leases/parking-rights/parking-rights.ts";
import { portalLeaseViews } from "../portal-lease.view.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { requireSubjectId } from "@freehold/domain/portal-subject";

type Operations = (typeof tenantPortal)["operations"];

/** Returns the leases of which the caller is primary occupant or co-tenant, except drafts and cancelled ones: newest first, at most 100. */
export const findOwnLeases = async (db: OrgDb): Promise<LeaseRow[]> => findOwnLeaseRows(db, requireSubjectId(db.principal));

/** Returns the leases of the caller, see `findOwnLeases`. */
export const listTenantPortalLeases = async (db: OrgDb): Promise<Output<Operations["listTenantPortalLeases"]>> => ({
  leases: await portalLeaseViews(db, await findOwnLeases(db)),
});

/**
 * Returns a lease of the caller with its parking rights and recurring charges. While the ledger is unavailable, the recurring
 * charges are an empty list, and `linkedCharge` is null for a parking right linked to a recurring charge rule. Throws 404, also
 * for another tenant's lease.
 */
export async function getTenantPortalLease(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getTenantPortalLease"]>> {
  const lease = await getOwnLeaseRow(db, id, requireSubjectId(db.principal));
  const recurringChargeRules = await findLeaseChargeRules(db, clients, id);
  const [parkingRights, [portalLease]] = await Promise.all([findParkingRights(db, id, recurringChargeRules), portalLeaseViews(db, [lease])]);
  return {
    lease: portalLease!,
    parkingRights: parkingRights.map((right) => pickPortalFields(PortalParkingRight, right)),
    recurringChargeRules: recurringChargeRules.map((rule) => pickPortalFields(PortalRecurringCharge, rule)),
  };
}
