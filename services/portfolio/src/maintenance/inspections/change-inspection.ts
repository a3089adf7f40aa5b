/** Row locks and events shared by all changes of an inspection. */
import type { EventType } from "@freehold/contract/events";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { publish } from "../../publish.ts";
import { Inspection } from "./inspection.entity.ts";
import { requireUnfinishedInspection } from "./inspection.rules.ts";

/** Returns an inspection, locked until the commit. Throws 404, and 412 when `If-Match` names another version. */
export const lockInspection = (tx: OrgTx, id: string): Promise<Inspection> => tx.getForUpdate(Inspection, id, "Inspection");

/** Like `lockInspection`; throws 409 when the inspection is completed or cancelled. */
export async function lockUnfinishedInspection(tx: OrgTx, id: string): Promise<Inspection> {
  const inspection = await lockInspection(tx, id);
  requireUnfinishedInspection(inspection.status);
  return inspection;
}

type InspectionEvent = Extract<EventType, `inspection.${string}`>;

/** Publishes an event of an inspection with its location, type and status. */
export const publishInspectionEvent = (tx: OrgTx, event: InspectionEvent, { id, propertyId, unitId, leaseId, type, status }: Inspection): Promise<void> =>
  publish(tx, event, { entityId: id, data: { propertyId, unitId: unitId ?? null, leaseId: leaseId ?? null, type, status } });
