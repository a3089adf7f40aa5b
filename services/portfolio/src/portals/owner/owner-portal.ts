/** Owner portal: the owner's profile, properties, leases and work orders. */
import { agreedStatuses, OwnedLease, OwnedProperty, OwnedWorkOrder, PortalOwner, type ownerPortal } from "@freehold/contract/portals/owner-portal";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { listLeaseRows } from "../../leases/leases.queries.ts";
import { ownerView } from "../../people/owners/owner.view.ts";
import { getOwnerRow } from "../../people/owners/owners.queries.ts";
import { getPropertyRow, listPropertyRows, type PropertyRow } from "../../properties/properties.queries.ts";
import { propertyView } from "../../properties/property.view.ts";
import { listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getPortalOrganization } from "../organization.ts";
import { portalLeaseViews } from "../portal-lease.view.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { findOwnerShares } from "./owner-shares.queries.ts";

type Operations = (typeof ownerPortal)["operations"];

/** Returns the owner of the caller with the organization. */
export async function getOwnerPortalMe(db: OrgDb, clients: Clients): Promise<Output<Operations["getOwnerPortalMe"]>> {
  const [owner, organization] = await Promise.all([getOwnerRow(db, requireSubjectId(db.principal)), getPortalOrganization(db, clients)]);
  return { owner: pickPortalFields(PortalOwner, ownerView(owner, null)), organization };
}

/** Returns the API representation of properties with the caller's current share in basis points. */
async function ownedPropertyViews(db: OrgDb, rows: PropertyRow[]): Promise<OwnedProperty[]> {
  const ids = rows.map(({ id }) => id);
  const shares = await findOwnerShares(db, requireSubjectId(db.principal), ids, today(db.principal.timezone));
  return rows.map((row) => pickPortalFields(OwnedProperty, Object.assign(propertyView(row, null), { shareBps: shares.get(row.id) ?? null })));
}

type ListProperties = Operations["listOwnedProperties"];

/** Returns a page of the properties that the caller currently owns. */
export async function listOwnedProperties(db: OrgDb, query: QueryOf<ListProperties>): Promise<Output<ListProperties>> {
  const { rows, paging } = await listPropertyRows(db, { ...query, ownerId: requireSubjectId(db.principal) });
  return { properties: await ownedPropertyViews(db, rows), ...paging };
}

/** Returns a property of the caller. Throws 404, also for another owner's property. */
export async function getOwnedProperty(db: OrgDb, id: string): Promise<Output<Operations["getOwnedProperty"]>> {
  const row = await getPropertyRow(db, id);
  if (!row.owners.some((owner) => owner.id === requireSubjectId(db.principal))) throw notFound("Property");
  const [property] = await ownedPropertyViews(db, [row]);
  return { property: property! };
}

type ListLeases = Operations["listOwnedLeases"];

/** Returns a page of the leases of the caller's properties, without drafts and cancelled leases. */
export async function listOwnedLeases(db: OrgDb, { status = [...agreedStatuses], ...query }: QueryOf<ListLeases>): Promise<Output<ListLeases>> {
  const { rows, paging } = await listLeaseRows(db, { ...query, status, ownerId: requireSubjectId(db.principal) });
  return { leases: (await portalLeaseViews(db, rows)).map((lease) => pickPortalFields(OwnedLease, lease)), ...paging };
}

type ListWorkOrders = Operations["listOwnedWorkOrders"];

/** Returns a page of the work orders of the caller's properties. */
export async function listOwnedWorkOrders(db: OrgDb, clients: Clients, query: QueryOf<ListWorkOrders>): Promise<Output<ListWorkOrders>> {
  const { workOrders, ...paging } = await listWorkOrders(db, clients, query);
  return { workOrders: workOrders.map((workOrder) => pickPortalFields(OwnedWorkOrder, workOrder)), ...paging };
}
