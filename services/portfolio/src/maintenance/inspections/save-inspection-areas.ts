import type { inspections, SentArea } from "@freehold/contract/inspections";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { invalid } from "@freehold/kit/errors";
import { documentsNamed, mergedAreas, refuseLostWork, refuseOtherWork, type KeptArea, type WorkOrdersOfItems } from "./areas.rules.ts";
import { announceInspection, lockUnfinished } from "./change-inspection.ts";
import { inspectionView } from "./inspection.view.ts";
import { findInspection, holdDocuments } from "./inspections.queries.ts";

type Answer = Output<(typeof inspections)["operations"]["saveInspectionAreas"]>;

/** Replaces all areas of an inspection that is not finished. Every save is a new version, also one that says what was known. */
export const saveInspectionAreas = (db: OrgDb, id: string, sent: readonly SentArea[]): Promise<Answer> =>
  transaction(db, async (tx) => {
    const inspection = await lockUnfinished(tx, id);
    const { workOrders } = await findInspection(tx, id);
    const areas = await areasToKeep(tx, inspection, workOrders, sent);
    tx.assign(inspection, { areas, updatedAt: now() });
    await announceInspection(tx, "inspection.updated", inspection);
    return { inspection: inspectionView(await findInspection(tx, id)) };
  });

/** The areas that an inspection is to have, with every document that is sent held; or what is wrong with them. */
export async function areasToKeep(
  tx: OrgTx,
  { id, areas }: { id: string; areas: readonly KeptArea[] },
  workOrders: WorkOrdersOfItems,
  sent: readonly SentArea[],
): Promise<KeptArea[]> {
  const kept = mergedAreas(areas, sent, newId);
  refuseOtherWork(sent, workOrders);
  await refuseOtherDocuments(tx, id, sent);
  refuseLostWork(areas, kept, workOrders);
  return kept;
}

async function refuseOtherDocuments(tx: OrgTx, inspectionId: string, sent: readonly SentArea[]): Promise<void> {
  const named = documentsNamed(sent);
  const there = await holdDocuments(
    tx,
    inspectionId,
    named.map(({ id }) => id),
  );
  const missing = named.filter(({ id }) => !there.has(id));
  const message = (path: string) => `There is no document about the inspection with this id. Upload it with entityType inspection, then check ${path}.`;
  if (missing.length > 0) throw invalid(missing.map(({ path }) => ({ path, code: "not_found", message: message(path) })));
}
