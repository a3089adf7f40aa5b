/** The way every inspection is changed: locked, and announced. */
import type { EventType } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { publish } from "../../publish.ts";
import { Inspection } from "./inspection.entity.ts";
import { requireUnfinishedInspection } from "./inspection.rules.ts";

/** The inspection to change, locked until the commit: 404 when there is none, 412 when `If-Match` names another version. */
export const lockInspection = (tx: OrgTx, id: string): Promise<Inspection> => tx.getForUpdate(Inspection, id, "Inspection");

/** The same, for what can only be done until it is completed or cancelled. */
export async function lockUnfinishedInspection(tx: OrgTx, id: string): Promise<Inspection> {
  const inspection = await lockInspection(tx, id);
  requireUnfinishedInspection(inspection.status);
  return inspection;
}

type OfInspection = Extract<EventType, `inspection.${string}`>;

/** Announces what became of an inspection. */
export const publishInspectionEvent = (tx: OrgTx, event: OfInspection, { id, propertyId, unitId, leaseId, type, status }: Inspection): Promise<void> =>
  publish(tx, event, { entityId: id, data: { propertyId, unitId: unitId ?? null, leaseId: leaseId ?? null, type, status } });
