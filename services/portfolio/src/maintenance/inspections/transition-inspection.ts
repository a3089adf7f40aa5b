/** Status transitions of inspections. Each locks the row, so only one of several concurrent transitions succeeds. */
import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { Principal } from "@freehold/kit/auth/principal";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { futureTimeAt, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { attachedDocumentIds } from "./areas.rules.ts";
import { publishInspectionEvent, lockInspection } from "./change-inspection.ts";
import { inspectionStateMachine, stampSignatures } from "./inspection.rules.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, lockInspectionDocuments } from "./inspections.queries.ts";

type Operations = (typeof inspections)["operations"];

/** Returns the id of the caller's user; null for a service key. */
const userIdOf = ({ userId, isServiceKey }: Principal): string | null => (isServiceKey ? null : userId);

/** Starts a scheduled inspection. The caller becomes the inspector when none is assigned, unless the caller is a service key. */
export const startInspection = (db: OrgDb, id: string): Promise<Output<Operations["startInspection"]>> =>
  transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "in_progress");
    tx.assign(inspection, { status, startedAt: now(), inspectorUserId: inspection.inspectorUserId ?? userIdOf(tx.principal) });
    await publishInspectionEvent(tx, "inspection.started", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });

/** Completes an inspection in progress. Afterwards its areas cannot be changed, and the documents attached to them cannot be deleted. */
export function completeInspection(
  db: OrgDb,
  id: string,
  { summary, completedAt, signatures }: BodyOf<Operations["completeInspection"]>,
): Promise<Output<Operations["completeInspection"]>> {
  const completionTime = completedAt === undefined ? now() : new Date(completedAt);
  if (completionTime > now()) throw invalid([futureTimeAt("completedAt")]);
  const stampedSignatures = stampSignatures(signatures, completionTime, now());
  return transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "completed");
    await lockInspectionDocuments(tx, id, attachedDocumentIds(inspection.areas));
    // A completedAt before the recorded start means that the start was recorded late, so the completion time replaces it.
    const startedAt = inspection.startedAt && inspection.startedAt < completionTime ? inspection.startedAt : completionTime;
    tx.assign(inspection, { status, completedAt: completionTime, startedAt, signatures: stampedSignatures, ...omitUndefined({ summary }) });
    await publishInspectionEvent(tx, "inspection.completed", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
}

/** Cancels an inspection that is not finished. */
export const cancelInspection = (db: OrgDb, id: string, { reason }: BodyOf<Operations["cancelInspection"]>): Promise<Output<Operations["cancelInspection"]>> =>
  transaction(db, async (tx) => {
    const inspection = await lockInspection(tx, id);
    const status = inspectionStateMachine.transition(inspection.status, "cancelled");
    tx.assign(inspection, { status, cancelledAt: now(), cancelReason: reason ?? null });
    await publishInspectionEvent(tx, "inspection.cancelled", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
