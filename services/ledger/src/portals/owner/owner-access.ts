/** Access of an owner to the money of the own properties. */
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach, withReachedRecords } from "@freehold/kit/db/portal-reach";
import { notFound } from "@freehold/kit/errors";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../clients.ts";
import { findOwnedProperties, requireOwner } from "../../owners/owned-properties.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";

/** Owner with the properties in reach, and the database with that reach. */
export interface OwnerAccess {
  db: OrgDb;
  ownerId: string;
  timezone: string;
  /** Properties that the owner owns, owned or will own, by name. */
  properties: OwnedProperty[];
}

/**
 * Returns the database and calls of the ledger's own work, for figures that depend on the shares and the money of all owners of a
 * property, of which the answer has the caller's part.
 */
export const asLedger = ({ database, principal, request }: OrgDb): OrgDb => new OrgDb(database, systemPrincipal(principal.organizationId), request);

/**
 * Returns the access of the calling owner. Row-level security confines the database to the properties, and to what names no other owner;
 * the queries divide it by the share on each day. Throws a 404 for a requested property that the owner never owned, and for a deleted owner.
 */
export async function openOwnerAccess(caller: OrgDb, clients: Clients, propertyId?: string): Promise<OwnerAccess> {
  const ownerId = requireSubjectId(caller.principal);
  const [owned, { timezone }, { isDeleted }] = await Promise.all([
    // Portfolio shows an owner neither the shares of others nor former ones, by which amounts are divided.
    findOwnedProperties(asLedger(caller), clients, [ownerId]),
    // The time zone of the organization is a setting of the office.
    getLedgerSettings(withOfficeReach(caller)),
    requireOwner(caller, clients, ownerId),
  ]);
  if (isDeleted) throw notFound("Owner");
  const properties = propertyId === undefined ? owned : owned.filter((property) => property.propertyId === propertyId);
  if (propertyId !== undefined && properties.length === 0) throw notFound("Property");
  const db = new OrgDb(caller.database, { ...caller.principal, timezone }, caller.request);
  return {
    db: withReachedRecords(
      db,
      owned.map((property) => ({ id: property.propertyId })),
    ),
    ownerId,
    timezone,
    properties,
  };
}
