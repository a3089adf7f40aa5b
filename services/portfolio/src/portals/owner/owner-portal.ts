/** What an owner sees: itself, and its properties with all that is on them. */
import { agreedStatuses, OwnedLease, OwnedProperty, OwnedWorkOrder, PortalOwner, type ownerPortal } from "@freehold/contract/portals/owner-portal";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { leaseView } from "../../leases/lease.view.ts";
import { listLeaseRows } from "../../leases/leases.queries.ts";
import { ownerView } from "../../people/owners/owner.view.ts";
import { getOwnerRow } from "../../people/owners/owners.queries.ts";
import { getPropertyRow, listPropertyRows, type PropertyRow } from "../../properties/properties.queries.ts";
import { propertyView } from "../../properties/property.view.ts";
import { listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getPortalOrganization } from "../organization.ts";
import { pickPortalFields } from "../shown.ts";
import { requireSubjectId } from "../subject.ts";
import { findOwnerShares } from "./owner-shares.queries.ts";

type Operations = (typeof ownerPortal)["operations"];

export async function getOwnerPortalMe(db: OrgDb, clients: Clients): Promise<Output<Operations["getOwnerPortalMe"]>> {
  const [owner, organization] = await Promise.all([getOwnerRow(db, requireSubjectId(db.principal)), getPortalOrganization(db, clients)]);
  return { owner: pickPortalFields(PortalOwner, ownerView(owner, null)), organization };
}

/** Properties as the caller sees them, with its own shares of them today. */
async function views(db: OrgDb, rows: PropertyRow[]): Promise<OwnedProperty[]> {
  const ids = rows.map(({ id }) => id);
  const shares = await findOwnerShares(db, requireSubjectId(db.principal), ids, today(db.principal.timezone));
  return rows.map((row) => pickPortalFields(OwnedProperty, Object.assign(propertyView(row, undefined), { shareBps: shares.get(row.id) ?? null })));
}

type Properties = Operations["listOwnedProperties"];

/** The properties that are the caller's today. */
export async function listOwnedProperties(db: OrgDb, query: QueryOf<Properties>): Promise<Output<Properties>> {
  const { rows, paging } = await listPropertyRows(db, { ...query, ownerId: requireSubjectId(db.principal) });
  return { properties: await views(db, rows), ...paging };
}

/** One of them; another's looks as if it were not there. */
export async function getOwnedProperty(db: OrgDb, id: string): Promise<Output<Operations["getOwnedProperty"]>> {
  const row = await getPropertyRow(db, id);
  if (!row.owners.some((owner) => owner.id === requireSubjectId(db.principal))) throw notFound("Property");
  const [property] = await views(db, [row]);
  return { property: property! };
}

type Leases = Operations["listOwnedLeases"];

/** The leases of the caller's properties that were ever agreed on. */
export async function listOwnedLeases(db: OrgDb, { status = [...agreedStatuses], ...query }: QueryOf<Leases>): Promise<Output<Leases>> {
  const { rows, paging } = await listLeaseRows(db, { ...query, status, ownerId: requireSubjectId(db.principal) }, []);
  return { leases: rows.map((row) => pickPortalFields(OwnedLease, leaseView(row, undefined))), ...paging };
}

type Work = Operations["listOwnedWorkOrders"];

/** The work on the caller's properties. */
export async function listOwnedWorkOrders(db: OrgDb, query: QueryOf<Work>): Promise<Output<Work>> {
  const { workOrders, ...paging } = await listWorkOrders(db, query);
  return { workOrders: workOrders.map((workOrder) => pickPortalFields(OwnedWorkOrder, workOrder)), ...paging };
}
