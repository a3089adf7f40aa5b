/** The way every inspection is changed: locked, and announced. */
import type { EventType } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { announce } from "../../announce.ts";
import { Inspection } from "./inspection.entity.ts";
import { refuseFinished } from "./inspection.rules.ts";

/** The inspection to change, locked until the commit: 404 when there is none, 412 when `If-Match` names another version. */
export const lockInspection = (tx: OrgTx, id: string): Promise<Inspection> => tx.getForUpdate(Inspection, id, "Inspection");

/** The same, for what can only be done until it is completed or cancelled. */
export async function lockUnfinished(tx: OrgTx, id: string): Promise<Inspection> {
  const inspection = await lockInspection(tx, id);
  refuseFinished(inspection.status);
  return inspection;
}

type OfInspection = Extract<EventType, `inspection.${string}`>;

/** Announces what became of an inspection. */
export const announceInspection = (tx: OrgTx, event: OfInspection, { id, propertyId, unitId, leaseId, type, status }: Inspection): Promise<void> =>
  announce(tx, event, { entityId: id, data: { propertyId, unitId: unitId ?? null, leaseId: leaseId ?? null, type, status } });
