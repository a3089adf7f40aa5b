import type { inspections, SentArea } from "@freehold/contract/maintenance/inspections";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { referencedDocuments, mergeAreas, requireOrderedItemsKept, requireOwnWorkOrders, type StoredArea, type WorkOrderIdsByItem } from "./areas.rules.ts";
import { publishInspectionEvent, lockUnfinishedInspection } from "./change-inspection.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, lockInspectionDocuments } from "./inspections.queries.ts";

type Answer = Output<(typeof inspections)["operations"]["saveInspectionAreas"]>;

/** Replaces all areas of an inspection that is not finished. Every save is a new version, also one that says what was known. */
export const saveInspectionAreas = (db: OrgDb, id: string, sent: readonly SentArea[]): Promise<Answer> =>
  transaction(db, async (tx) => {
    const inspection = await lockUnfinishedInspection(tx, id);
    const { workOrders } = await getInspectionRow(tx, id);
    const areas = await resolveAreas(tx, inspection, workOrders, sent);
    tx.assign(inspection, { areas, updatedAt: now() });
    await publishInspectionEvent(tx, "inspection.updated", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });

/** The areas that an inspection is to have, with every document that is sent held; or what is wrong with them. */
export async function resolveAreas(
  tx: OrgTx,
  { id, areas }: { id: string; areas: readonly StoredArea[] },
  workOrders: WorkOrderIdsByItem,
  sent: readonly SentArea[],
): Promise<StoredArea[]> {
  const kept = mergeAreas(areas, sent, newId);
  requireOwnWorkOrders(sent, workOrders);
  await refuseOtherDocuments(tx, id, sent);
  requireOrderedItemsKept(areas, kept, workOrders);
  return kept;
}

async function refuseOtherDocuments(tx: OrgTx, inspectionId: string, sent: readonly SentArea[]): Promise<void> {
  const named = referencedDocuments(sent);
  const there = await lockInspectionDocuments(
    tx,
    inspectionId,
    named.map(({ id }) => id),
  );
  const missing = named.filter(({ id }) => !there.has(id));
  const message = (path: string) => `There is no document about the inspection with this id. Upload it with entityType inspection, then check ${path}.`;
  if (missing.length > 0) throw invalid(missing.map(({ path }) => ({ path, code: "not_found", message: message(path) })));
}
