/** Approval by owners of estimates above the maintenance limit of their properties. */
import type { OwnerApproval, ownerPortal } from "@freehold/contract/portals/owner-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { withVersion } from "@freehold/kit/http/etag";
import { findUserNames } from "../../rpc/lookups.ts";
import type { Clients } from "../../clients.ts";
import { estimateView } from "../../maintenance/work-orders/estimates/estimate.view.ts";
import { approveWorkOrderEstimate, rejectWorkOrderEstimate } from "../../maintenance/work-orders/estimates/estimates.ts";
import { getApprovalRow, listApprovalRows, type ApprovalRow } from "./approvals.queries.ts";

type Operations = (typeof ownerPortal)["operations"];
type ListOperation = Operations["listOwnerApprovals"];

const approvalView = (row: ApprovalRow, names: ReadonlyMap<string, string>): OwnerApproval => {
  const { vendorName, limitCents, workOrder } = row;
  return withVersion({ ...estimateView(row, names), vendorName, limitCents, workOrder }, row.version);
};

/** Returns a page of the estimates that exceed the maintenance limit of one of the caller's properties. */
export async function listOwnerApprovals(db: OrgDb, clients: Clients, query: QueryOf<ListOperation>): Promise<Output<ListOperation>> {
  const { rows, paging } = await listApprovalRows(db, query);
  const names = await findUserNames(
    db,
    clients,
    rows.map(({ decidedByUserId }) => decidedByUserId),
  );
  return { approvals: rows.map((row) => approvalView(row, names)), ...paging };
}

type Decision = BodyOf<Operations["approveOwnerApproval"]>;
type DecideEstimate = typeof approveWorkOrderEstimate;

/** Approves or rejects an estimate. Throws 404 unless the estimate exceeds the maintenance limit of one of the caller's properties. */
async function decide(decideEstimate: DecideEstimate, db: OrgDb, clients: Clients, id: string, decision: Decision): Promise<{ approval: OwnerApproval }> {
  const { vendorName, limitCents, workOrder } = await getApprovalRow(db, id);
  const { estimate } = await decideEstimate(db, clients, id, decision);
  return { approval: Object.assign(estimate, { vendorName, limitCents, workOrder }) };
}

/** Approves an estimate and rejects the other approved or submitted ones of its work order. */
export const approveOwnerApproval = (db: OrgDb, clients: Clients, id: string, decision: Decision) =>
  decide(approveWorkOrderEstimate, db, clients, id, decision);

/** Rejects a submitted estimate. */
export const rejectOwnerApproval = (db: OrgDb, clients: Clients, id: string, decision: Decision) => decide(rejectWorkOrderEstimate, db, clients, id, decision);
