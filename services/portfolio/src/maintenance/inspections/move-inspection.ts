/** How an inspection goes on: each move once, whoever else tries it at the same moment. */
import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { evidenceDocumentIds } from "./areas.rules.ts";
import { publishInspectionEvent, lockInspection } from "./change-inspection.ts";
import { inspectionStateMachine, requireAllInspected, stampSignatures } from "./inspection.rules.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, lockInspectionDocuments } from "./inspections.queries.ts";

type Operations = (typeof inspections)["operations"];

/** Starts a scheduled inspection; whoever does is its inspector, unless somebody is. */
export const startInspection = (db: OrgDb, id: string): Promise<Output<Operations["startInspection"]>> =>
  transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "in_progress");
    tx.assign(inspection, { status, startedAt: now(), inspectorUserId: inspection.inspectorUserId ?? tx.principal.userId });
    await publishInspectionEvent(tx, "inspection.started", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });

/** Completes an inspection that is in progress: what was found and the documents that show it stay from then on. */
export function completeInspection(
  db: OrgDb,
  id: string,
  { summary, completedAt, signatures, allowNotInspected }: BodyOf<Operations["completeInspection"]>,
): Promise<Output<Operations["completeInspection"]>> {
  const at = completedAt === undefined ? now() : new Date(completedAt);
  if (at > now()) throw invalid([{ path: "completedAt", code: "max", message: "completedAt cannot lie in the future." }]);
  const kept = stampSignatures(signatures, at, now());
  return transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "completed");
    if (!allowNotInspected) requireAllInspected(inspection.areas);
    await lockInspectionDocuments(tx, id, evidenceDocumentIds(inspection.areas));
    // A visit that was over before anybody said that it had begun, began when it was over.
    const startedAt = inspection.startedAt && inspection.startedAt < at ? inspection.startedAt : at;
    tx.assign(inspection, { status, completedAt: at, startedAt, signatures: kept, ...omitUndefined({ summary }) });
    await publishInspectionEvent(tx, "inspection.completed", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
}

/** Calls off an inspection that is not finished. */
export const cancelInspection = (db: OrgDb, id: string, { reason }: BodyOf<Operations["cancelInspection"]>): Promise<Output<Operations["cancelInspection"]>> =>
  transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "cancelled");
    tx.assign(inspection, { status, cancelledAt: now(), cancelReason: reason ?? null });
    await publishInspectionEvent(tx, "inspection.cancelled", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
