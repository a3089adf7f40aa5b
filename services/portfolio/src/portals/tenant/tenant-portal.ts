import { PortalTenant, type tenantPortal } from "@freehold/contract/tenant-portal";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import { tenantView } from "../../people/tenants/tenant.view.ts";
import { findTenant } from "../../people/tenants/tenants.queries.ts";
import { portalLeaseView } from "../portal-lease.view.ts";
import { organizationOf } from "../organization.ts";
import { shown } from "../shown.ts";
import { subjectOf } from "../subject.ts";
import { ownLeases } from "./tenant-leases.ts";

/** Nothing is paid online while no processor is set up. */
const features = { onlinePayments: false, autopay: false, maintenance: true };

/** Who the caller is, at whose, under which leases, and what it can do here. */
export async function getTenantPortalMe(db: OrgDb, ask: Clients): Promise<Output<(typeof tenantPortal)["operations"]["getTenantPortalMe"]>> {
  const [tenant, organization, leases] = await Promise.all([findTenant(db, subjectOf(db.principal)), organizationOf(db, ask), ownLeases(db)]);
  return { tenant: shown(PortalTenant, tenantView(tenant, db.principal, null)), organization, leases: leases.map(portalLeaseView), features };
}
