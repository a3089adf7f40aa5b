/** The leases that are a tenant's own. */
import { PortalParkingRight, type tenantPortal } from "@freehold/contract/tenant-portal";
import type { Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { rulesOf } from "../../leases/billing/lease-billing.ts";
import { findLease, findLeasesOfTenant, type LeaseRow } from "../../leases/leases.queries.ts";
import { parkingRightsOf } from "../../leases/parking-rights/parking-rights.ts";
import { portalLeaseView } from "../portal-lease.view.ts";
import { shown } from "../shown.ts";
import { subjectOf } from "../subject.ts";
import { isTenantOf } from "./tenant-lease.rules.ts";

type Operations = (typeof tenantPortal)["operations"];

/** The caller's own leases, newest first: at most a hundred. */
export async function ownLeases(db: OrgDb): Promise<LeaseRow[]> {
  const tenantId = subjectOf(db.principal);
  const leases = await findLeasesOfTenant(db, tenantId);
  return leases.filter((lease) => isTenantOf(lease, tenantId, today(db.principal.timezone)));
}

export const listTenantPortalLeases = async (db: OrgDb): Promise<Output<Operations["listTenantPortalLeases"]>> => ({
  leases: (await ownLeases(db)).map(portalLeaseView),
});

/** One of the caller's own leases; another's looks as if it were not there. */
export async function getTenantPortalLease(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getTenantPortalLease"]>> {
  const lease = await findLease(db, id);
  if (!isTenantOf(lease, subjectOf(db.principal), today(db.principal.timezone))) throw notFound("Lease");
  const recurringChargeRules = await rulesOf(db, ask, id);
  const parkingRights = await parkingRightsOf(db, id, recurringChargeRules);
  return { lease: portalLeaseView(lease), parkingRights: parkingRights.map((right) => shown(PortalParkingRight, right)), recurringChargeRules };
}
