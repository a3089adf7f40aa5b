import type { Note, visibilities } from "@freehold/contract/overview/notes";
import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { findUserNames } from "../rpc/lookups.ts";
import type { Clients } from "../clients.ts";
import { insertNote } from "../documents/notes/notes.ts";
import { noteView } from "../documents/notes/note.view.ts";
import { getNoteRow } from "../documents/notes/notes.queries.ts";
import { lockWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { workOrderView } from "../maintenance/work-orders/work-order.view.ts";
import { getWorkOrderRow } from "../maintenance/work-orders/work-orders.queries.ts";

interface Comment {
  body: string;
  visibility: (typeof visibilities)[number];
}

/** Adds a note of a portal user to a work order and returns both, the work order in the form of the portal. */
export async function addPortalComment<V>(
  db: OrgDb,
  clients: Clients,
  id: string,
  comment: Comment,
  toPortalView: (tx: StatementRunner, workOrder: WorkOrder) => V | Promise<V>,
): Promise<{ workOrder: V; note: Note }> {
  const names = await findUserNames(db, clients, [db.principal.userId]);
  return transaction(db, async (tx) => {
    await lockWorkOrder(tx, id);
    const note = await insertNote(tx, { ...comment, entityType: "work_order", entityId: id });
    return { workOrder: await toPortalView(tx, workOrderView(await getWorkOrderRow(tx, id), [])), note: noteView(await getNoteRow(tx, note.id), names) };
  });
}
