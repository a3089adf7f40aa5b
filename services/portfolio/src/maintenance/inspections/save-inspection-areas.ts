import type { inspections, SentArea } from "@freehold/contract/maintenance/inspections";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import {
  referencedDocuments,
  mergeAreas,
  requireItemsWithWorkOrdersRetained,
  requireOwnWorkOrders,
  type StoredArea,
  type WorkOrderIdsByItem,
} from "./areas.rules.ts";
import { publishInspectionEvent, lockUnfinishedInspection } from "./change-inspection.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, lockInspectionDocuments } from "./inspections.queries.ts";

type Result = Output<(typeof inspections)["operations"]["saveInspectionAreas"]>;

/** Replaces all areas of an unfinished inspection. Every save increments the version, even without a difference. */
export const saveInspectionAreas = (db: OrgDb, id: string, sentAreas: readonly SentArea[]): Promise<Result> =>
  transaction(db, async (tx) => {
    const inspection = await lockUnfinishedInspection(tx, id);
    const { workOrders } = await getInspectionRow(tx, id);
    const areas = await resolveAreas(tx, inspection, workOrders, sentAreas);
    tx.assign(inspection, { areas, updatedAt: now() });
    await publishInspectionEvent(tx, "inspection.updated", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });

/**
 * Returns the areas to store and locks the documents that the request attaches to items. Throws 400 for invalid areas, 409 when
 * the request omits an item that has a work order.
 */
export async function resolveAreas(
  tx: OrgTx,
  { id, areas }: { id: string; areas: readonly StoredArea[] },
  workOrders: WorkOrderIdsByItem,
  sentAreas: readonly SentArea[],
): Promise<StoredArea[]> {
  const mergedAreas = mergeAreas(areas, sentAreas, newId);
  requireOwnWorkOrders(sentAreas, workOrders);
  await requireInspectionDocuments(tx, id, sentAreas);
  requireItemsWithWorkOrdersRetained(areas, mergedAreas, workOrders);
  return mergedAreas;
}

async function requireInspectionDocuments(tx: OrgTx, inspectionId: string, sentAreas: readonly SentArea[]): Promise<void> {
  const references = referencedDocuments(sentAreas);
  const lockedIds = await lockInspectionDocuments(
    tx,
    inspectionId,
    references.map(({ id }) => id),
  );
  const missing = references.filter(({ id }) => !lockedIds.has(id));
  const message = (path: string) => `The inspection has no document with this id. Upload it with entityType inspection, then check ${path}.`;
  if (missing.length > 0) throw invalid(missing.map(({ path }) => ({ path, code: "not_found", message: message(path) })));
}
