import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { findEntityDocuments } from "../../documents/documents.queries.ts";
import { lockMaintenanceReferences, resolveLocation, requireConsistentLocation, requireOfficeUser } from "../work-orders/work-order-references.ts";
import { publishInspectionEvent, lockUnfinishedInspection } from "./change-inspection.ts";
import { Inspection, InspectionTemplate } from "./inspection.entity.ts";
import { requireLocationChangeable } from "./inspection.rules.ts";
import { inspectionView } from "./inspection.view.ts";
import { getInspectionRow, listInspectionRows } from "./inspections.queries.ts";
import { resolveAreas } from "./save-inspection-areas.ts";
import { copyTemplateAreas, identifyItems } from "./templates/template-areas.rules.ts";

type Operations = (typeof inspections)["operations"];

/** Returns a page of inspections. */
export async function listInspections(db: OrgDb, query: QueryOf<Operations["listInspections"]>): Promise<Output<Operations["listInspections"]>> {
  const { rows, paging } = await listInspectionRows(db, query);
  return { inspections: rows.map(inspectionView), ...paging };
}

/**
 * Creates a scheduled inspection with the areas of the template or of the request. Throws 400 for unknown references and
 * when property, unit and lease do not belong together.
 */
export async function createInspection(
  db: OrgDb,
  clients: Clients,
  { templateId, areas, scheduledAt, ...terms }: BodyOf<Operations["createInspection"]>,
): Promise<Output<Operations["createInspection"]>> {
  await requireOfficeUser(db, clients, terms.inspectorUserId, "inspectorUserId");
  return transaction(db, async (tx) => {
    await lockMaintenanceReferences(tx, terms);
    const { propertyId, unitId, leaseId } = await resolveLocation(tx, terms);
    await requireConsistentLocation(tx, { propertyId, unitId, leaseId });
    const template = templateId ? await requireTemplate(tx, templateId) : null;
    const id = newId();
    const inspection = tx.create(Inspection, {
      ...omitUndefined(terms),
      id,
      unitId: unitId ?? null,
      leaseId: leaseId ?? null,
      scheduledAt: new Date(scheduledAt),
      status: "scheduled",
      templateId: template?.id ?? null,
      areas: template ? copyTemplateAreas(identifyItems(template.id, template.areas), newId) : await resolveAreas(tx, { id, areas: [] }, {}, areas ?? []),
      signatures: [],
      createdByUserId: db.principal.userId,
    });
    await tx.flush();
    await publishInspectionEvent(tx, "inspection.created", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
}

async function requireTemplate(tx: OrgTx, id: string): Promise<InspectionTemplate> {
  const template = await tx.findOne(InspectionTemplate, { id, deletedAt: null });
  if (!template) throw unknownReference("templateId", "inspection template");
  return template;
}

/** Returns an inspection with its documents. */
export async function getInspection(db: OrgDb, id: string): Promise<Output<Operations["getInspection"]>> {
  const [inspection, documents] = await Promise.all([getInspectionRow(db, id), findEntityDocuments(db, "inspection", id)]);
  return { inspection: inspectionView(inspection), documents };
}

type Changes = BodyOf<Operations["updateInspection"]>;

/**
 * Updates the given fields of an inspection. Throws 409 when the inspection is finished, and when the location changes although items
 * have work orders; 400 when the resulting location is inconsistent.
 */
export async function updateInspection(db: OrgDb, clients: Clients, id: string, changes: Changes): Promise<Output<Operations["updateInspection"]>> {
  // An unknown inspection is reported before an unknown inspector.
  if (changes.inspectorUserId) await getInspectionRow(db, id);
  await requireOfficeUser(db, clients, changes.inspectorUserId, "inspectorUserId");
  return transaction(db, async (tx) => {
    const inspection = await lockUnfinishedInspection(tx, id);
    await lockMaintenanceReferences(tx, changes);
    await requireValidLocationChange(tx, inspection, changes);
    const { scheduledAt, ...rest } = changes;
    tx.assign(inspection, { ...omitUndefined(rest), ...(scheduledAt !== undefined && { scheduledAt: new Date(scheduledAt) }), updatedAt: now() });
    await publishInspectionEvent(tx, "inspection.updated", inspection);
    return { inspection: inspectionView(await getInspectionRow(tx, id)) };
  });
}

/** Throws 400 for an inconsistent location, and 409 when the location changes although items have work orders. */
async function requireValidLocationChange(tx: OrgTx, inspection: Inspection, changes: Changes): Promise<void> {
  const { propertyId, unitId, leaseId } = changes;
  if ([propertyId, unitId, leaseId].every((value) => value === undefined)) return;
  const after = {
    propertyId: propertyId ?? inspection.propertyId,
    unitId: unitId === undefined ? inspection.unitId : unitId,
    leaseId: leaseId === undefined ? inspection.leaseId : leaseId,
  };
  await requireConsistentLocation(tx, after);
  const { workOrders } = await getInspectionRow(tx, inspection.id);
  requireLocationChangeable(inspection, after, Object.keys(workOrders).length > 0);
}
