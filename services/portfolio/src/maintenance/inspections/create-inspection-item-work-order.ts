import type { inspections } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { truncate } from "@freehold/kit/truncate";
import { checkVendorInsurance } from "../work-orders/vendor-insurance.ts";
import { requireOfficeUser } from "../work-orders/work-order-references.ts";
import { insertWorkOrder } from "../work-orders/work-orders.ts";
import { lockInspection } from "./change-inspection.ts";
import { workOrderExistsError, requireNotCancelled } from "./inspection.rules.ts";
import { getInspectionRow } from "./inspections.queries.ts";

type Operation = (typeof inspections)["operations"]["createInspectionItemWorkOrder"];
const MAX_TITLE_LENGTH = 160;

/**
 * Creates the work order of an inspection item, with the location of the inspection and the item's note and estimated cost as
 * defaults. Throws 409 when the item already has one. Does not change the version of the inspection.
 */
export async function createInspectionItemWorkOrder(
  db: OrgDb,
  clients: Clients,
  id: string,
  itemId: string,
  terms: BodyOf<Operation>,
): Promise<Output<Operation>> {
  if (terms.assignedUserId || terms.vendorId) await getInspectionRow(db, id);
  await requireOfficeUser(db, clients, terms.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, terms.vendorId);
  return transaction(db, async (tx) => {
    const { propertyId, unitId, leaseId, status, areas } = await lockInspection(tx, id);
    const area = areas.find(({ items }) => items.some((item) => item.id === itemId));
    const item = area?.items.find((candidate) => candidate.id === itemId);
    if (!area || !item) throw notFound("Inspection item");
    requireNotCancelled(status);
    if ((await getInspectionRow(tx, id)).workOrders[itemId]) throw workOrderExistsError();
    const workOrderTerms = {
      title: truncate(`${area.name}: ${item.name}`, MAX_TITLE_LENGTH),
      description: item.note,
      estimateCents: item.estimatedCostCents,
      ...omitUndefined(terms),
      propertyId,
      unitId: unitId ?? null,
      leaseId: leaseId ?? null,
      source: "inspection" as const,
      inspectionId: id,
      inspectionItemId: itemId,
    };
    return insertWorkOrder(tx, workOrderTerms, insurance);
  });
}
