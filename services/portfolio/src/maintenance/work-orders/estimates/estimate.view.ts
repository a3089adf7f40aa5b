import type { WorkOrderEstimate } from "@freehold/contract/maintenance/work-orders";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../../rpc/lookups.ts";
import type { EstimateRow } from "./estimates.queries.ts";

/** Returns the API representation of an estimate, with the name of the user who approved or rejected it when that name is known. */
export const estimateView = ({ version, ...estimate }: EstimateRow, names: ReadonlyMap<string, string>): WorkOrderEstimate =>
  withVersion({ ...estimate, decidedBy: userReference(names, estimate.decidedByUserId) }, version);
