/** Who owns how much of a property, from which day on. */
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { Ownership, properties } from "@freehold/contract/properties";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announce } from "../../announce.ts";
import { findProperty, replaceOwners } from "../properties.queries.ts";
import { Property } from "../property.entity.ts";
import { holdReferences } from "../../references.ts";
import { markApplied, ownersOn, ownershipsOf } from "./ownership.queries.ts";
import { refuseUnevenShares } from "./ownership.rules.ts";
import { PropertyShare } from "./property-share.entity.ts";

type Operations = (typeof properties)["operations"];
type Share = Ownership["shares"][number];

/** The ownership on a day, and all there are. */
export async function getOwnership(db: OrgDb, id: string, { asOf }: QueryOf<Operations["getOwnership"]>): Promise<Output<Operations["getOwnership"]>> {
  const [, history] = await Promise.all([findProperty(db, id), ownershipsOf(db, id)]);
  const day = asOf ?? today(db.principal.timezone);
  const nobodys: Ownership = { propertyId: id, effectiveDate: null, shares: [] };
  return { ownership: history.find(({ effectiveDate }) => effectiveDate! <= day) ?? nobodys, history };
}

const shareOf = ({ ownerId, shareBps }: Share) => ({ ownerId, shareBps });

/** Says who owns the property from a day on, in place of what was said of that day before. */
export function replaceOwnership(
  db: OrgDb,
  id: string,
  { effectiveDate, shares }: BodyOf<Operations["replaceOwnership"]>,
): Promise<Output<Operations["replaceOwnership"]>> {
  refuseUnevenShares(shares);
  return transaction(db, async (tx) => {
    const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
    const named = shares.map(({ ownerId }, index) => ({ id: ownerId, path: `shares.${index}.ownerId` }));
    await holdReferences(tx, "owner", named);
    const before = await tx.find(PropertyShare, { propertyId: id, effectiveDate }, { orderBy: { position: "asc" } });
    tx.changeTracker?.recordChange(id, "ownership", before.length > 0 ? { effectiveDate, shares: before.map(shareOf) } : null, {
      effectiveDate,
      shares: shares.map(shareOf),
    });
    for (const earlier of before) tx.remove(earlier);
    await tx.flush();
    for (const [position, share] of shares.entries()) tx.create(PropertyShare, { ...share, propertyId: id, effectiveDate, position, appliedAt: null });
    await tx.flush();
    await followOwnership(tx, property);
    if (effectiveDate > today(tx.principal.timezone)) await scheduleNow(tx, "applyOwnership");
    return { ownership: { propertyId: id, effectiveDate, shares } };
  });
}

/** The property's owners become those of the ownership that is in effect where the organization is. */
export async function followOwnership(tx: OrgTx, property: Property): Promise<void> {
  const day = today(tx.principal.timezone);
  const ownerIds = await ownersOn(tx, property.id, day);
  if (ownerIds.length > 0) await replaceOwners(tx, property.id, ownerIds);
  await tx.all(markApplied(tx, property.id, day, now()));
  tx.assign(property, { updatedAt: now() });
  await announce(tx, "property.updated", { entityId: property.id, data: {} });
}
