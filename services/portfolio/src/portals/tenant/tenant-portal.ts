import { PortalTenant, type tenantPortal } from "@freehold/contract/portals/tenant-portal";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";
import { tenantView } from "../../people/tenants/tenant.view.ts";
import { getTenantRow } from "../../people/tenants/tenants.queries.ts";
import { portalLeaseViews } from "../portal-lease.view.ts";
import { getPortalOrganization } from "../organization.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { findOwnLeases } from "./tenant-leases.ts";

/** Features of the portal. It has no operations for online payments and autopay. */
const features = { onlinePayments: false, autopay: false, maintenance: true };

/** Returns the caller's profile, organization, leases and available features. */
export async function getTenantPortalMe(db: OrgDb, clients: Clients): Promise<Output<(typeof tenantPortal)["operations"]["getTenantPortalMe"]>> {
  const [tenant, organization, leases] = await Promise.all([
    getTenantRow(db, requireSubjectId(db.principal)),
    getPortalOrganization(db, clients),
    findOwnLeases(db),
  ]);
  const tenantInPortal = pickPortalFields(PortalTenant, tenantView(tenant, db.principal, null));
  return { tenant: tenantInPortal, organization, leases: await portalLeaseViews(db, leases), features };
}
