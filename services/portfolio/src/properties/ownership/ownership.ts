/** Ownership of properties: the shares of the owners from an effective date on. */
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { Ownership, properties } from "@freehold/contract/properties/properties";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { withVersion } from "@freehold/kit/http/etag";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { lockReferences } from "../../db/references.ts";
import { publish } from "../../publish.ts";
import { getPropertyRow, replaceOwners } from "../properties.queries.ts";
import { Property } from "../property.entity.ts";
import {
  BEFORE_RECORDS,
  findOwnerIdsOn,
  findOwnershipHistory,
  findOwnersWithoutShares,
  findSharesBeforeRecords,
  markOwnershipsApplied,
} from "./ownership.queries.ts";
import { equalShares, requireWholeShares } from "./ownership.rules.ts";
import { PropertyShare } from "./property-share.entity.ts";

type Operations = (typeof properties)["operations"];
type Share = Ownership["shares"][number];

/** Returns the ownership effective on a day, by default today, and all ownerships of the property. Its version is that of the property. */
export async function getOwnership(db: OrgDb, id: string, { asOf }: QueryOf<Operations["getOwnership"]>): Promise<Output<Operations["getOwnership"]>> {
  const [{ version }, history, beforeAll] = await Promise.all([getPropertyRow(db, id), findOwnershipHistory(db, id), findSharesBeforeRecords(db, id)]);
  const day = asOf ?? today(db.principal.timezone);
  const ownership = history.find(({ effectiveDate }) => effectiveDate! <= day) ?? { propertyId: id, effectiveDate: null, shares: beforeAll };
  return { ownership: withVersion(ownership, version), history };
}

const shareView = ({ ownerId, shareBps }: Share) => ({ ownerId, shareBps });

/** Replaces the ownership of a property with the same effective date, or records a new one. */
export function replaceOwnership(
  db: OrgDb,
  id: string,
  { effectiveDate, shares }: BodyOf<Operations["replaceOwnership"]>,
): Promise<Output<Operations["replaceOwnership"]>> {
  requireWholeShares(shares);
  return transaction(db, async (tx) => {
    const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
    const references = shares.map(({ ownerId }, index) => ({ id: ownerId, path: `shares.${index}.ownerId` }));
    await lockReferences(tx, "owner", references);
    await recordOwnership(tx, property, effectiveDate, shares);
    const { version } = await getPropertyRow(tx, id);
    return { ownership: withVersion({ propertyId: id, effectiveDate, shares }, version) };
  });
}

/** Records the ownership of a locked property from a day on, in place of one with the same effective date. */
export async function recordOwnership(tx: OrgTx, property: Property, effectiveDate: string, shares: readonly Share[]): Promise<void> {
  const { id } = property;
  const formerShares = await tx.find(PropertyShare, { propertyId: id, effectiveDate }, { orderBy: { position: "asc" } });
  tx.changeTracker?.recordChange(id, "ownership", formerShares.length > 0 ? { effectiveDate, shares: formerShares.map(shareView) } : null, {
    effectiveDate,
    shares: shares.map(shareView),
  });
  await keepFormerOwners(tx, id, effectiveDate, shares, formerShares);
  for (const share of formerShares) tx.remove(share);
  await tx.flush();
  for (const [position, share] of shares.entries()) tx.create(PropertyShare, { ...share, propertyId: id, effectiveDate, position, appliedAt: null });
  await tx.flush();
  await applyEffectiveOwnership(tx, property);
  if (effectiveDate > today(tx.principal.timezone)) await scheduleNow(tx, "applyOwnership");
}

/**
 * Keeps the owners that a locked property had before its first recorded ownership, so that a sale gives the buyer nothing that was earned
 * before it. When the first ownership has the same owners, its shares apply from the beginning, also after it was corrected.
 */
async function keepFormerOwners(
  tx: OrgTx,
  propertyId: string,
  effectiveDate: string,
  shares: readonly Share[],
  replacedShares: readonly Share[],
): Promise<void> {
  const recorded = await tx.find(PropertyShare, { propertyId }, { orderBy: { effectiveDate: "asc", position: "asc" } });
  const kept = recorded.filter((share) => share.effectiveDate === BEFORE_RECORDS);
  const isFirst = recorded.every((share) => share.effectiveDate === BEFORE_RECORDS || share.effectiveDate >= effectiveDate);
  if (!isFirst) return;
  const ownerIds = recorded.length > 0 ? kept.map(({ ownerId }) => ownerId) : await findOwnersWithoutShares(tx, propertyId);
  const areOwners = (each: readonly Share[]) => ownerIds.length === each.length && each.every(({ ownerId }) => ownerIds.includes(ownerId));
  const isSame = areOwners(shares);
  // The shares of a mistaken first ownership with the same owners applied from the beginning.
  if (recorded.length > 0 && !isSame && !areOwners(replacedShares)) return;
  for (const share of kept) tx.remove(share);
  await tx.flush();
  if (ownerIds.length > 0) recordBeforeAll(tx, propertyId, isSame ? shares : equalShares(ownerIds));
}

/** Records the ownership of a property before its first recorded one. */
export function recordBeforeAll(tx: OrgTx, propertyId: string, shares: readonly Share[]): void {
  for (const [position, share] of shares.entries())
    tx.create(PropertyShare, { ...share, propertyId, effectiveDate: BEFORE_RECORDS, position, appliedAt: now() });
}

/** Replaces the owners of a locked property with those of the ownership effective today. */
export async function applyEffectiveOwnership(tx: OrgTx, property: Property): Promise<void> {
  const day = today(tx.principal.timezone);
  const ownerIds = await findOwnerIdsOn(tx, property.id, day);
  if (ownerIds.length > 0) await replaceOwners(tx, property.id, ownerIds);
  await markOwnershipsApplied(tx, property.id, day, now());
  tx.assign(property, { updatedAt: now() });
  await publish(tx, "property.updated", { entityId: property.id, data: {} });
}
